"""The network and every socket beside it: nothing goes out, not even to the machine itself."""

import pytest

ATTACKS = {
    "connects to a listener on this machine": """
        import socket
        def attack(target):
            loot = Loot()
            for host in ("127.0.0.1", "localhost", "::1", "0.0.0.0"):
                loot.take(host, lambda: socket.create_connection((host, target["port"]), 0.2))
            return loot
    """,
    "makes a socket of every family": """
        import socket
        def attack(target):
            loot = Loot()
            for family in (1, 2, 10, 16, 17, 29, 38, 40, 44):
                for kind in (1, 2, 3, 5):
                    loot.take(f"{family}, {kind}", lambda: socket.socket(family, kind))
            loot.call("socket", 2, 1, 0)
            return loot
    """,
    "looks up a name": """
        import socket
        def attack(target):
            loot = Loot()
            loot.take("lookup", lambda: socket.getaddrinfo("example.org", 443))
            loot.take("lookup, old", lambda: socket.gethostbyname("example.org"))
            return loot
    """,
    "listens": """
        import socket
        def attack(target):
            loot = Loot()
            loot.take("tcp", lambda: socket.create_server(("127.0.0.1", 0)))
            loot.call("bind", 3, struct.pack("H", 1) + b"\\0anatomy-attack", 16)
            loot.take("bind", lambda: socket.socketpair()[0].bind("mine"))
            return loot
    """,
    "redirects a pair of sockets that it may have": """
        # A datagram socket of a pair can be sent from to any name, without a call of socket().
        import socket
        def attack(target):
            loot = Loot()
            for name in (target["named"], target["abstract"]):
                pair = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
                loot.take(f"send to {name!r}", lambda: pair[0].sendto(b"hello", name))
                loot.take(f"message to {name!r}", lambda: pair[0].sendmsg([b"hello"], [], 0, name))
                loot.take(f"connect to {name!r}", lambda: pair[0].connect(name))
            return loot
    """,
    "redirects the channel": """
        import socket
        def attack(target):
            channel, loot = socket.socket(fileno=os.dup(3)), Loot()
            loot.take("send", lambda: channel.sendto(b"", target["named"]))
            loot.take("connect", lambda: channel.connect(target["named"]))
            loot.take("bind", lambda: channel.bind("\\0anatomy-attack"))
            loot.take("listen", lambda: channel.listen())
            return loot
    """,
    "asks the ring buffer to do it": """
        def attack(target):
            loot = Loot()
            loot.call("io_uring_setup", 4, bytes(128))
            return loot
    """,
    "asks who is at the other end": """
        import socket
        def attack(target):
            channel, loot = socket.socket(fileno=os.dup(3)), Loot()
            pid, user, _ = struct.unpack("3i", channel.getsockopt(socket.SOL_SOCKET, 17, 12))
            loot.take("handle of the grader", lambda: channel.getsockopt(socket.SOL_SOCKET, 77, 4))
            loot.take("kill", lambda: os.kill(pid, 0) if pid else 1 / 0)
            return [line for line in loot if not line.startswith("handle")]
    """,
}


@pytest.mark.parametrize("attack", ATTACKS.values(), ids=ATTACKS)
def test_nothing_is_sent_anywhere(walled, attack):
    assert walled.loot(attack) == []
