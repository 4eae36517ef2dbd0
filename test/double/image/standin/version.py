"""What the stand-in says it is. The number is that of the flux-core it was checked against."""

import os

IMITATED_VERSION = "0.88.0"
OTHER_VERSION_FILE = "/usr/lib/flux-standin/VERSION"
WHAT_THIS_IS = "stand-in for Flux (not Flux)"


def version_text() -> str:
    """The version to report. An image variant may carry another one in a file."""
    if os.path.exists(OTHER_VERSION_FILE):
        with open(OTHER_VERSION_FILE, encoding="utf-8") as file:
            return file.read().strip()
    return IMITATED_VERSION
