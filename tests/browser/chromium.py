"""Where Chromium lies on this machine. `python3 chromium.py` prints the program, or fails."""

import shutil
import sys
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome")
PLACES = (
    Path("/Applications/Chromium.app/Contents/MacOS/Chromium"),
    Path("/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"),
)


def find() -> str | None:
    """The program; None if there is none."""
    on_path = (found for name in NAMES if (found := shutil.which(name)))
    return next(on_path, None) or next((str(place) for place in PLACES if place.is_file()), None)


if __name__ == "__main__":
    if (program := find()) is None:
        sys.exit("There is no Chromium on this machine.")
    sys.stdout.write(f"{program}\n")
