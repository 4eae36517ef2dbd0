"""The places for agents in the lead, of which each takes memory. It needs no bindings, which need most of it."""

import fcntl
import os
import typing

# Memory of the lead for each agent, and for each submission at a time, in bytes: an agent takes about 30 MB of it.
AGENT_SHARE, SUBMISSION_SHARE = 128 * 2**20, 256 * 2**20
MOST_AGENTS, MOST_SUBMISSIONS = 32, 8
# One that follows jobs, and one for calls that end soon.
LEAST_AGENTS = 2
LIMITS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")


def memory_limit() -> float:
    for path in LIMITS:
        try:
            with open(path, encoding="utf-8") as file:
                return float(file.read())
        except (OSError, ValueError):
            continue
    return float("inf")


def share(most: int, each: int) -> int:
    """How many at a time the lead's memory takes."""
    return int(max(1, min(most, memory_limit() // each)))


class Places:
    """The places of a lead, as locks of files. The kernel gives the place of an agent back at its end."""

    def __init__(self, folder: str):
        self.folder = folder
        self.count = max(LEAST_AGENTS, share(MOST_AGENTS, AGENT_SHARE))
        self.number = -1
        self.own: typing.Optional[typing.IO[str]] = None

    def take(self, count: int) -> bool:
        """Takes one of the first places. False if all have agents."""
        for number in range(count):
            place = open(os.path.join(self.folder, f"agent-{number}.lock"), "w", encoding="utf-8")  # noqa: SIM115
            try:
                fcntl.flock(place, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                place.close()
                continue
            if self.own is not None:
                self.own.close()
            self.number, self.own = number, place
            return True
        return False

    def enter(self) -> bool:
        return self.take(self.count)

    def stay(self) -> bool:
        """Takes a place in which an agent may follow jobs for hours. The last place is only for calls that end soon, so
        that those who follow jobs keep nobody from submitting one."""
        return self.number < self.count - 1 or self.take(self.count - 1)

    def full(self) -> str:
        return f"{self.count} programs of minicluster run in the lead already, and its memory limit takes no more"
