"""Files: nothing outside the worker's own folder can be read, listed, written or even found; its own folder is bounded."""

import pytest

from grader.sandbox import Limits

ATTACKS = {
    "reads the machine's files": """
        def attack(target):
            loot = Loot()
            for path in ("/etc/passwd", "/etc/hostname", "/etc/shadow", "/root/.bash_history", "/var/log/lastlog"):
                loot.take(path, lambda: open(path, "rb").read(20))
            return loot
    """,
    "reads what the kernel tells of processes": """
        def attack(target):
            loot = Loot()
            for pid in ("self", "thread-self", 1, *(target[who] for who in ("grader", "zygote", "neighbour", "victim"))):
                for name in ("environ", "cmdline", "maps", "mem", "status", "fd/1", "root/etc/passwd", "cwd/x"):
                    loot.take(f"{pid} {name}", lambda: open(f"/proc/{pid}/{name}", "rb").read(20))
            return loot
    """,
    "reads a hidden test by every road": """
        def attack(target):
            loot, path = Loot(), target["suite"]
            roads = [path, "../" * 30 + path, f"/proc/{target['grader']}/root{path}", f"/proc/self/root{path}",
                     f"/proc/self/cwd/..{path}", path.replace("/", "//"), f"/./{path}", f"/dev/fd/../..{path}"]
            for road in roads:
                loot.take(road, lambda: open(road).read())
                loot.take(f"lines of {road}", lambda: os.read(os.open(road, os.O_RDONLY | os.O_NOFOLLOW), 99))
            return loot
    """,
    "reads a hidden test through a link of its own": """
        def attack(target):
            loot = Loot()
            def through(make):
                make(target["suite"], "link")
                return open("link").read()
            loot.take("symbolic", lambda: through(os.symlink))
            loot.take("hard", lambda: through(os.link))
            loot.take("folder", lambda: (os.symlink("/", "root"), open("root" + target["suite"]).read()))
            return loot
    """,
    "reads a hidden test with the machinery of others": """
        def attack(target):
            import importlib.machinery, linecache, mmap, shutil, tokenize
            import numpy, torch
            path, loot = target["suite"], Loot()
            libc = ctypes.CDLL(None)
            libc.fopen.restype = ctypes.c_void_p
            loot.take("numpy", lambda: numpy.fromfile(path, dtype="uint8"))
            loot.take("torch.from_file", lambda: torch.from_file(path, size=20, dtype=torch.uint8))
            loot.take("torch storage", lambda: bytes(torch.UntypedStorage.from_file(path, False, 20)))
            loot.take("torch.load", lambda: torch.PyTorchFileReader(path))
            loot.take("import", lambda: importlib.machinery.SourceFileLoader("x", path).get_data(path))
            loot.take("linecache", lambda: linecache.getlines(path) or 1 / 0)
            loot.take("tokenize", lambda: tokenize.open(path).read())
            loot.take("copy", lambda: shutil.copy(path, "here"))
            loot.take("C", lambda: libc.fopen(path.encode(), b"r") or 1 / 0)
            loot.take("compile", lambda: exec(compile(open(path).read(), path, "exec")))
            return loot
    """,
    "reads the course from where it is installed": """
        def attack(target):
            import glob, sysconfig
            loot = Loot()
            for root in (target["project"], *sys.path, sysconfig.get_paths()["purelib"]):
                for name in ("reference", "grader", "lessons", "tests"):
                    loot.take(f"{root}/{name}", lambda: open(f"{root}/{name}/__init__.py").read(10))
                    loot.take(f"list {root}/{name}", lambda: os.listdir(f"{root}/{name}"))
                loot.take("answers", lambda: open(f"{root}/reference/normalization.py").read(10))
                loot.take("suite", lambda: open(f"{root}/grader/suites/test_normalization.py").read(10))
                loot.take("history", lambda: open(f"{root}/.git/HEAD").read(10))
            return loot + glob.glob("/*/**/test_normalization.py", recursive=False)
    """,
    "opens by handle instead of by name": """
        def attack(target):
            loot = Loot()
            handle = struct.pack("Ii", 8, 1) + bytes(8)
            loot.call("name_to_handle_at", -100, target["suite"].encode() + b"\\0", bytes(128), bytes(8), 0)
            loot.call("open_by_handle_at", -100, handle, 0)
            return loot
    """,
    "climbs out by a descriptor of its folder": """
        def attack(target):
            loot = Loot()
            here = os.open(".", os.O_RDONLY | os.O_DIRECTORY)
            def climb():
                place = here
                for _ in range(30):
                    place = os.open("..", os.O_RDONLY | os.O_DIRECTORY, dir_fd=place)
                return os.open(target["suite"].lstrip("/"), os.O_RDONLY, dir_fd=place)
            loot.take("climbed", climb)
            return loot
    """,
    "lists what others handed in": """
        def attack(target):
            loot = Loot()
            for path in (target["submissions"], f"{target['submissions']}/alice", target["open_folder"], "/var/lib", "/etc/ssl"):
                loot.take(f"names in {path}", lambda: os.listdir(path) or 1 / 0)
                loot.take(f"walk of {path}", lambda: next(os.scandir(path)).name)
            return loot
    """,
    "writes outside its folder": """
        def attack(target):
            import torch
            site, loot = os.path.dirname(os.path.dirname(torch.__file__)), Loot()
            for folder in (target["open_folder"], "/tmp", "/var/tmp", "/dev/shm", "/dev", "/run", "/", site,
                           os.path.dirname(torch.__file__), "/usr/lib", "..", target["project"]):
                name = f"{folder}/anatomy-attack-{os.getpid()}"
                def write():
                    open(name, "x").close()
                    os.unlink(name)
                loot.take(f"file in {folder}", write)
                loot.take(f"folder in {folder}", lambda: (os.mkdir(name), os.rmdir(name)))
            return loot
    """,
    "spoils torch for those who come after": """
        def attack(target):
            import torch
            loot = Loot()
            for path in (torch.__file__, os.__file__, sys.executable):
                loot.take(f"open {path}", lambda: os.close(os.open(path, os.O_WRONLY)))
                loot.take(f"append {path}", lambda: os.close(os.open(path, os.O_RDWR | os.O_APPEND)))
                loot.take(f"rename {path}", lambda: os.rename(path, path))
            loot.take("mapped", lambda: torch.UntypedStorage.from_file(torch.__file__, True, 16))
            torch.add = torch.nn.Linear = None
            torch.set_default_dtype(torch.float64)
            return loot
    """,
    "changes a hidden test": """
        def attack(target):
            path, loot = target["suite"], Loot()
            loot.take("chmod", lambda: os.chmod(path, 0o600))
            loot.take("chown", lambda: os.chown(path, 12345, 12345))
            loot.take("times", lambda: os.utime(path, (0, 0)))
            loot.take("truncate", lambda: os.truncate(path, 0))
            loot.take("open to truncate", lambda: os.open(path, os.O_RDONLY | os.O_TRUNC))
            loot.take("open to write", lambda: os.open(path, os.O_WRONLY))
            loot.take("rename", lambda: os.rename(path, path + "x"))
            loot.take("exchange", lambda: os.replace(path, target["open_folder"] + "/x"))
            loot.take("unlink", lambda: os.unlink(path))
            loot.take("link", lambda: os.link(path, target["open_folder"] + "/x"))
            loot.take("attribute", lambda: os.setxattr(path, "user.a", b"1"))
            loot.take("folder", lambda: os.rename(os.path.dirname(path), os.path.dirname(path) + "x"))
            return loot
    """,
    "makes devices and doors": """
        def attack(target):
            import stat
            loot = Loot()
            loot.take("memory device", lambda: os.mknod("mem", 0o666 | stat.S_IFCHR, os.makedev(1, 1)))
            loot.take("disk", lambda: os.mknod("disk", 0o666 | stat.S_IFBLK, os.makedev(8, 0)))
            loot.take("named pipe outside", lambda: os.mkfifo(target["open_folder"] + "/pipe"))
            for name in ("mem", "kmsg", "kvm", "fuse", "tty", "ptmx", "pts/0", "net/tun", "loop-control", "vhost-net"):
                loot.take(name, lambda: os.open(f"/dev/{name}", os.O_RDWR | os.O_NONBLOCK))
            return loot
    """,
}


@pytest.mark.parametrize("attack", ATTACKS.values(), ids=ATTACKS)
def test_nothing_outside_its_folder_is_in_reach(walled, attack):
    assert walled.loot(attack) == []


FINDINGS = """
    def attack(target):
        loot = Loot()
        loot.take("stat", lambda: os.stat(target["suite"]).st_size)
        loot.take("access", lambda: os.access(target["suite"], os.F_OK) or 1 / 0)
        loot.take("chdir", lambda: os.chdir(target["submissions"]))
        loot.take("path only", lambda: os.open(target["suite"], os.O_PATH))
        loot.take("readlink", lambda: os.readlink("/proc/self/exe"))
        return loot
"""


def test_whether_a_file_exists_can_be_told_only_where_namespaces_are_missing(walled):
    """Landlock forbids contents and names, not questions about a name that is known."""
    found = {line.partition(":")[0] for line in walled.loot(FINDINGS)}
    assert found <= (
        {"stat", "access", "chdir", "path only", "readlink"} if "namespaces" not in walled.neighbour.layers else set()
    )


PLANT = """
    def attack(target):
        import torch
        places = [".", "..", "/tmp", "/dev/shm", "/var/tmp", "/run", os.path.dirname(torch.__file__), "/dev/mqueue"]
        for folder in places:
            try:
                open(f"{folder}/for-the-next", "w").write("the inputs of test 1")
            except OSError:
                pass
        torch.left_for_the_next = sys.left_for_the_next = os.environ["left"] = "the inputs of test 1"
        return []
"""
GATHER = """
    def attack(target):
        import torch
        loot = Loot()
        for folder in (".", "..", "/tmp", "/dev/shm", "/var/tmp", "/run", os.path.dirname(torch.__file__), "/dev/mqueue"):
            loot.take(folder, lambda: open(f"{folder}/for-the-next").read())
        for place in (torch, sys):
            loot.take("module", lambda: place.left_for_the_next)
        loot.take("environment", lambda: os.environ["left"])
        return loot + os.listdir(".")
"""


def test_one_worker_leaves_nothing_for_the_next(walled):
    assert walled.loot(PLANT) == []
    assert walled.loot(GATHER) == []


def test_what_one_worker_leaves_in_its_folder_and_in_torch_is_gone_at_every_level(cage):
    own_things_only = PLANT.replace(
        '"..", "/tmp", "/dev/shm", "/var/tmp", "/run", os.path.dirname(torch.__file__), "/dev/mqueue"', ""
    )
    assert cage.loot(own_things_only) == []
    assert cage.loot(GATHER) == []


FILLING = {
    "with bytes": """
        def attack(target):
            written = 0
            try:
                for number in range(3000):
                    with open(f"{number}", "wb") as file:
                        written += file.write(bytes(1 << 20))
            except OSError:
                pass
            return [f"{written >> 20} MB"] if written > 100 << 20 else []
    """,
    "with names": """
        def attack(target):
            made = 0
            try:
                for made in range(20000):
                    open(f"{made}", "x").close()
            except OSError:
                pass
            return [f"{made} files"] if made > 5000 else []
    """,
    "with folders in folders": """
        def attack(target):
            made = 0
            try:
                for made in range(20000):
                    os.mkdir("a")
                    os.chdir("a")
            except OSError:
                pass
            return [f"{made} folders"] if made > 5000 else []
    """,
    "with one sparse file": """
        def attack(target):
            loot = Loot()
            loot.take("truncate", lambda: os.truncate("big", 1 << 40))
            with open("big", "wb") as file:
                loot.take("seek", lambda: os.ftruncate(file.fileno(), 1 << 40))
                loot.take("allocate", lambda: os.posix_fallocate(file.fileno(), 0, 1 << 40))
                loot.take("write far out", lambda: os.pwrite(file.fileno(), b"x", 1 << 39))
            return loot
    """,
}


@pytest.mark.parametrize("attack", FILLING.values(), ids=FILLING)
def test_its_own_folder_cannot_be_filled_without_end(walled, attack):
    assert walled.loot(attack, Limits(seconds=5)) == []
