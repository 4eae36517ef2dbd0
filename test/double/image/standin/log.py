"""Log lines. Checked: src/broker/log.c (formats, levels, outputs)."""

import contextlib
import sys
import time
from collections import deque
from collections.abc import Callable

from .attributes import Attributes
from .errors import Refusal

NAMES = ["emerg", "alert", "crit", "err", "warning", "notice", "info", "debug"]
EMERG, ALERT, CRIT, ERR, WARNING, NOTICE, INFO, DEBUG = range(8)
DEFAULT_LEVELS = {
    "log-level": DEBUG,
    "log-stderr-level": ERR,
    "log-forward-level": ERR,
    "log-critical-level": CRIT,
    "log-syslog-level": ERR,
}


class Log:
    """The log of one broker. Until the rank is known, log lines have the host name in its place."""

    def __init__(self, attributes: Attributes, hostname: str):
        self.attributes = attributes
        self.who = hostname
        self.rank: int | None = None
        self.ring: deque[dict] = deque(maxlen=1024)
        self.forward: Callable[[dict], object] | None = None
        self.followers: list[Callable[[dict], None]] = []

    def finish_setup(self, rank: int) -> None:
        """Sets the rank and checks the log attributes."""
        for name, default in DEFAULT_LEVELS.items():
            self.attributes.set_default(name, str(default))
            if self.level(name) is None:
                self.write("broker", ERR, f"{name}: Invalid argument")
                raise Refusal("Error initializing logging: Invalid argument")
        self.attributes.set_default("log-stderr-mode", "leader")
        if self.attributes.get("log-stderr-mode") not in ("leader", "local"):
            self.write("broker", ERR, "log-stderr-mode: Invalid argument")
            raise Refusal("Error initializing logging: Invalid argument")
        self.attributes.set_default("log-ring-size", "1024")
        self.attributes.set_default("log-syslog-enable", "0")
        self.rank = rank
        self.who = str(rank)

    def level(self, name: str) -> int | None:
        text = self.attributes.get(name)
        try:
            value = int(text) if text is not None else DEFAULT_LEVELS[name]
        except ValueError:
            return None
        return value if value <= DEBUG else None

    def write(self, source: str, level: int, text: str) -> None:
        entry = {"time": time.time(), "source": source, "level": level, "who": self.who, "text": text}
        if self.rank is None:
            early = self.level("log-stderr-level")
            if early is None or level <= early:
                self.print(entry)
            return
        self.append(entry)

    def append(self, entry: dict) -> None:
        """Handles an entry of this broker, or one that a follower sent."""
        own = entry["who"] == self.who
        shown = False
        stderr_level = self.level("log-stderr-level") or 0
        if own:
            self.ring.append(entry)
            for follower in self.followers:
                follower(entry)
            local = self.attributes.get("log-stderr-mode") == "local"
            if entry["level"] <= (self.level("log-critical-level") or 0) or (local and entry["level"] <= stderr_level):
                self.print(entry)
                shown = True
        if self.rank != 0 and self.forward and entry["level"] <= (self.level("log-forward-level") or 0):
            self.forward(entry)
        leader = self.rank == 0 and self.attributes.get("log-stderr-mode") == "leader"
        if leader and not shown and entry["level"] <= stderr_level:
            self.print(entry)
        if self.rank == 0 and self.attributes.get("log-filename"):
            with open(str(self.attributes.get("log-filename")), "a", encoding="utf-8") as file:
                file.write(dated(entry) + "\n")

    def print(self, entry: dict) -> None:
        if self.attributes.get("log-stderr-mode") == "local":
            line = f"<{entry['level']}>{plain(entry)}"
        else:
            line = dated(entry)
        with contextlib.suppress(OSError):
            print(line, file=sys.stderr, flush=True)


def plain(entry: dict) -> str:
    return f"{entry['source']}.{NAMES[entry['level']]}[{entry['who']}]: {entry['text']}"


def dated(entry: dict) -> str:
    moment = time.localtime(entry["time"])
    micro = int(entry["time"] % 1 * 1e6)
    return f"{time.strftime('%b %d %H:%M:%S', moment)}.{micro:06d} {time.strftime('%Z %Y', moment)} {plain(entry)}"
