"""What the files of the lead's pod tell: docs/how-it-works.md#files-of-a-pod. Jobs can write them too, so nothing here
trusts their content, and no file makes the server wait."""

import json
import os
import typing

LONGEST = 4096


class Pod:
    def __init__(self, folder: str, settings: dict):
        self.folder, self.settings = folder, settings

    def read(self) -> dict:
        sizes = self.sizes()
        values = {
            "minicluster_min_ranks": self.settings["least"],
            "minicluster_max_ranks": self.settings["most"],
            "minicluster_requested_ranks": sizes.get("size", self.settings.get("size")),
            "minicluster_needed_ranks": sizes.get("want"),
            "minicluster_broker_restarts": self.number("restarts") or 0,
            "minicluster_attempt": self.number("attempt"),
        }
        if self.settings["archive"]:
            values["minicluster_archive_saved_timestamp_seconds"] = self.time_of("archive.saved")
            values["minicluster_archive_failed"] = int(self.time_of("archive.failed") is not None)
        return values

    def content(self, name: str) -> str:
        """The content of a file, or nothing. A pipe without a writer has none either."""
        try:
            file = os.open(os.path.join(self.folder, name), os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
            try:
                return os.read(file, LONGEST).decode("ascii", "replace")
            finally:
                os.close(file)
        except OSError:
            return ""

    def number(self, name: str) -> "int | None":
        word = (self.content(name).split() or [""])[0]
        return int(word) if word.isdigit() and len(word) < 16 else None

    def time_of(self, name: str) -> "float | None":
        try:
            return os.stat(os.path.join(self.folder, name)).st_mtime
        except OSError:
            return None

    def sizes(self) -> "typing.Dict[str, int]":
        """The sizes that elastic.py has written."""
        try:
            found = json.loads(self.content("sizes"))
            return {name: int(found[name]) for name in ("size", "want")}
        except (ValueError, KeyError, TypeError):
            return {}
