"""Noticing that a module was saved, in a thread of its own, for as long as the server runs."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable, Mapping

import watchfiles

from grader.site.serve.live import Live
from grader.site.serve.modules import Modules, Stamp, identity

SETTLE_MS = 20
"""An editor writes a file in several steps; this long without a change means that it is done."""
LOOK_MS = 1000
"""How often the folder is looked at all the same: some file systems announce no changes, and a folder that is gone
announces nothing ever again."""
ABSENCE = 0.2
"""Seconds that a file may be away or empty: there are editors that take the old one away before they write the new."""


class Watch:
    """Tells which lessons were saved. The events of the file system only say when to look; what has changed is seen
    from the files themselves, so that nothing is missed and nothing is told twice."""

    def __init__(
        self, modules: Modules, live: Live, *, saved: Callable[[Iterable[str]], None], returned: Callable[[], None]
    ) -> None:
        """saved: is told the lessons; returned: is told when the folder was away and is back."""
        self._modules = modules
        self._returned = returned
        self._saved = saved
        self._live = live
        self._seen: Mapping[str, Stamp] = modules.stamps()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="watch", daemon=True)

    def start(self) -> None:
        """Watch from now on; a file that was saved since this was made is told as well."""
        logging.getLogger("watchfiles").setLevel(logging.ERROR)
        self._thread.start()

    def close(self) -> None:
        """End the thread."""
        self._over.set()
        if self._thread.ident is not None:
            self._thread.join(2 * LOOK_MS / 1000)

    def _watch(self) -> None:
        polling: bool | None = None  # as watchfiles sees fit
        away = False
        while not self._over.is_set():
            folder = self._modules.folder
            here = identity(folder)
            self._tell_absence(here is None)
            if here is None:
                away = True
                self._over.wait(LOOK_MS / 1000)
                continue
            self._look()
            if away:
                away = False
                self._returned()
            try:
                changes = watchfiles.watch(
                    folder, watch_filter=None, step=SETTLE_MS, debounce=10 * SETTLE_MS, rust_timeout=LOOK_MS,
                    yield_on_timeout=True, stop_event=self._over, recursive=False, force_polling=polling,
                )  # fmt: skip
                for _ in changes:
                    if identity(folder) != here:
                        break
                    self._look()
            except FileNotFoundError:
                continue  # it has gone since
            except OSError:  # the system's watches are used up, or this file system has none
                if polling:
                    self._over.wait(LOOK_MS / 1000)
                polling = True

    def _tell_absence(self, absent: bool) -> None:
        folder = self._modules.folder
        says = f"The folder {folder} is not there. Put it back, and grading goes on." if absent else None
        self._live.fault("folder", says)

    def _look(self) -> None:
        now = self._modules.stamps()
        if any(_is_in_between(stamp) and stamp != self._seen[slug] for slug, stamp in now.items()):
            self._over.wait(ABSENCE)
            now = self._modules.stamps()
            if identity(self._modules.folder) is None:  # the whole folder: no file of it was taken away
                return
        changed = [slug for slug, stamp in now.items() if stamp != self._seen[slug]]
        self._seen = now
        if changed and not self._over.is_set():
            self._saved(changed)


def _is_in_between(stamp: Stamp) -> bool:
    return stamp is None or stamp.size == 0
