"""A PostgreSQL server of the tests' own: in a temporary folder, gone with them, and quick because it may forget."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import psycopg
import pytest
from gradebook.binaries import find

USER, PASSWORD = "instructor", "s3cret-pass"
_ACCOUNTS = ("postgres", "nobody")
_PATIENCE = 30.0
_SETTINGS = {
    "fsync": "off",  # what was committed outlives the server, though not the machine
    "full_page_writes": "off",
    "autovacuum": "off",
    "shared_buffers": "16MB",
    "max_connections": "20",
    "wal_level": "minimal",
    "max_wal_senders": "0",
    "listen_addresses": "127.0.0.1",
}


class Server:
    """Started by entering it. Sockets ask for no password, the loopback does. Root is refused by PostgreSQL itself, so
    root lets an unprivileged account run it."""

    def __init__(self) -> None:
        binaries = find()
        if binaries is None:
            pytest.fail("There is no PostgreSQL server on this machine; tests/run installs one.", pytrace=False)
        self._binaries = binaries
        # In /tmp itself: the path of a Unix socket may have no more than about a hundred characters.
        self.folder = Path(tempfile.mkdtemp(prefix="pg-", dir="/tmp"))
        self._account: dict[str, Any] = {}
        if os.geteuid() == 0:
            name = next(name for name in _ACCOUNTS if _is_account(name))
            account = pwd.getpwnam(name)
            os.chown(self.folder, account.pw_uid, account.pw_gid)
            self._account = {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": []}
        self._process: subprocess.Popen[bytes] | None = None
        self.port = 0
        self._count = 0

    def __enter__(self) -> Self:
        try:
            self._initialise()
            self.start()
        except BaseException:
            self._remove()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._remove()

    def _run(self, *command: str) -> None:
        done = subprocess.run(
            [str(self._binaries / command[0]), *command[1:]], capture_output=True, cwd=self.folder, check=False,
            env={"PATH": os.environ.get("PATH", ""), "LC_ALL": "C"}, **self._account,
        )  # fmt: skip
        if done.returncode:
            pytest.fail(f"{command[0]} failed: {done.stderr.decode(errors='replace')}", pytrace=False)

    def _initialise(self) -> None:
        secret = self.folder / "secret"
        secret.write_text(PASSWORD, encoding="ascii")
        if self._account:
            os.chown(secret, self._account["user"], self._account["group"])
        self._run(
            "initdb", "--no-sync", "--encoding=UTF8", "--no-locale", f"--username={USER}", f"--pwfile={secret}",
            "--auth-local=trust", "--auth-host=scram-sha-256", "-D", str(self.folder / "data"),
        )  # fmt: skip

    def start(self) -> None:
        """Start it, again on the same port where it had one."""
        self.port = self.port or _free_port()
        settings = {**_SETTINGS, "port": str(self.port), "unix_socket_directories": str(self.folder)}
        options = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [str(self._binaries / "postgres"), "-D", str(self.folder / "data"), *options],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=self.folder,
                env={"PATH": os.environ.get("PATH", ""), "LC_ALL": "C"}, **self._account,
            )  # fmt: skip
        ends = time.monotonic() + _PATIENCE
        while True:
            try:
                psycopg.connect(self.conninfo, autocommit=True).close()
                return
            except psycopg.OperationalError as error:
                if self._process.poll() is not None or time.monotonic() > ends:
                    told = (self.folder / "log").read_text(encoding="utf-8", errors="replace")
                    pytest.fail(f"PostgreSQL does not start ({error}):\n{told}", pytrace=False)
            time.sleep(0.02)

    def stop(self) -> None:
        """Stop it as a crash would: whoever is connected is cut off in the middle."""
        if self._process is not None:
            self._process.send_signal(signal.SIGQUIT)
            self._process.wait(_PATIENCE)
            self._process = None

    def _remove(self) -> None:
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    @property
    def conninfo(self) -> str:
        return f"host={self.folder} port={self.port} user={USER} dbname=postgres"

    def url(self, query: str = "") -> str:
        """Through the socket."""
        return f"postgresql://{USER}@/postgres?host={self.folder}&port={self.port}{query}"

    def loopback(self, password: str = PASSWORD, database: str = "postgres") -> str:
        """Through the network, with a password."""
        return f"postgresql://{USER}:{password}@127.0.0.1:{self.port}/{database}"

    def execute(self, statement: str) -> None:
        """Do something as the server's owner."""
        with psycopg.connect(self.conninfo, autocommit=True) as connection:
            connection.execute(statement.encode())

    def fresh(self) -> str:
        """The URL of an empty schema, which is as good as a database of one's own and costs a millisecond."""
        self._count += 1
        name = f"t{self._count}"
        self.execute(f"CREATE SCHEMA {name}")
        return self.url(f"&options=-csearch_path%3D{name}")


def _is_account(name: str) -> bool:
    try:
        pwd.getpwnam(name)
    except KeyError:
        return False
    return True


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    """The server, started when a test first asks for it."""
    with Server() as server:
        yield server
