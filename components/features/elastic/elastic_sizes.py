"""Tells the metrics server the size of the Job and the ranks that the jobs need."""

import json
import os
import typing


class Sizes:
    def __init__(self):
        self.told: typing.Optional[dict] = None

    def tell(self, size: int, want: int):
        """Replaces the file. The folder is the jobs' too, so no link in it is followed."""
        sizes = {"size": size, "want": want}
        if sizes == self.told:
            return
        path = f"{os.environ['MINICLUSTER_RUN']}/sizes"
        try:
            if os.path.lexists(path + ".new"):
                os.unlink(path + ".new")
            file = os.open(path + ".new", os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with open(file, "w", encoding="ascii") as opened:
                json.dump(sizes, opened)
            os.replace(path + ".new", path)
        except OSError:
            return
        self.told = sizes
