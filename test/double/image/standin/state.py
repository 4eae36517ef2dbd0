"""The broker's state machine. Checked: src/broker/state_machine.c (statetab, nexttab, check_parent)."""

import time
from collections.abc import Callable

from . import log
from .duration import format_duration
from .reactor import Reactor

STATES = [
    "load-builtins",
    "join",
    "config-sync",
    "init",
    "quorum",
    "run",
    "cleanup",
    "shutdown",
    "finalize",
    "goodbye",
    "unload-builtins",
    "exit",
]

NEXT = {
    ("load-builtins", "builtins-success"): "join",
    ("load-builtins", "builtins-fail"): "unload-builtins",
    ("join", "parent-ready"): "config-sync",
    ("join", "parent-none"): "config-sync",
    ("join", "parent-fail"): "shutdown",
    ("config-sync", "sync-success"): "init",
    ("config-sync", "sync-none"): "init",
    ("config-sync", "sync-fail"): "shutdown",
    ("init", "rc1-success"): "quorum",
    ("init", "rc1-none"): "quorum",
    ("init", "rc1-fail"): "shutdown",
    ("init", "panic"): "shutdown",
    ("quorum", "quorum-full"): "run",
    ("quorum", "quorum-fail"): "shutdown",
    ("quorum", "panic"): "shutdown",
    ("run", "rc2-success"): "cleanup",
    ("run", "rc2-fail"): "cleanup",
    ("run", "panic"): "shutdown",
    ("run", "shutdown"): "cleanup",
    ("run", "parent-fail"): "cleanup",
    ("run", "rc2-none"): "run",
    ("cleanup", "cleanup-success"): "shutdown",
    ("cleanup", "cleanup-none"): "shutdown",
    ("cleanup", "cleanup-fail"): "shutdown",
    ("shutdown", "children-complete"): "finalize",
    ("shutdown", "children-none"): "finalize",
    ("finalize", "rc3-success"): "goodbye",
    ("finalize", "rc3-none"): "goodbye",
    ("finalize", "rc3-fail"): "goodbye",
    ("goodbye", "goodbye"): "unload-builtins",
    ("unload-builtins", "builtins-done"): "exit",
    ("unload-builtins", "builtins-unload-fail"): "exit",
}


class StateMachine:
    """Changes the state at an event, logs the change, and calls on_enter."""

    def __init__(self, reactor: Reactor, logs: log.Log):
        self.reactor, self.logs = reactor, logs
        self.state = STATES[0]
        self.entered = time.monotonic()
        self.on_enter: Callable[[str], None] = lambda state: None

    def passed(self, state: str) -> bool:
        """True if the broker is beyond this state."""
        return STATES.index(self.state) > STATES.index(state)

    def start(self) -> None:
        self.entered = time.monotonic()
        self.on_enter(self.state)

    def post(self, event: str) -> None:
        self.reactor.post(lambda: self.process(event))

    def process(self, event: str) -> None:
        following = NEXT.get((self.state, event), self.state)
        if following == self.state:
            self.logs.write("broker", log.DEBUG, f"{event}: ignored in {self.state}")
            return
        elapsed = format_duration(time.monotonic() - self.entered)
        self.logs.write("broker", log.INFO, f"{event}: {self.state}->{following} {elapsed}")
        self.state = following
        self.entered = time.monotonic()
        self.on_enter(following)


def event_for_parent_state(own: str, parent: str) -> str | None:
    """The event of a follower in state `own` when its parent has state `parent`."""
    position = STATES.index(parent)
    if own == "join":
        if position > STATES.index("run"):
            return "parent-fail"
        return "parent-ready" if parent in ("quorum", "run") else None
    if own == "quorum":
        if position > STATES.index("run"):
            return "quorum-fail"
        return "quorum-full" if parent in ("init", "run") else None
    if own == "run":
        if parent == "shutdown":
            return "shutdown"
        return "parent-fail" if position > STATES.index("shutdown") else None
    return None
