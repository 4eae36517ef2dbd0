"""Marks of the scripts of the broker's container, for programs in other containers of the pod."""

import os


def is_there(file: str):
    """True if a script of the broker's container has written a file of this name."""
    return os.path.exists(os.path.join(os.environ["MINICLUSTER_RUN"], file))
