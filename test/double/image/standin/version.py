"""The name and the version of the stand-in. The version is that of the flux-core which it was checked against."""

import os

IMITATED_VERSION = "0.88.0"
OTHER_VERSION_FILE = "/usr/lib/flux-standin/VERSION"
WHAT_THIS_IS = "stand-in for Flux (not Flux)"


def version_text() -> str:
    """The version to report. An image may have a file with another one."""
    if os.path.exists(OTHER_VERSION_FILE):
        with open(OTHER_VERSION_FILE, encoding="utf-8") as file:
            return file.read().strip()
    return IMITATED_VERSION
