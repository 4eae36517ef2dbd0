"""Rank 0's heartbeats, and the followers that wait for them. Checked: src/modules/heartbeat/heartbeat.c."""

import time

from . import log
from .duration import format_duration, parse_duration
from .parts import Parts

PERIOD_SECONDS = 2.0
TIMEOUT_SECONDS = 300.0
OVERDUE_SECONDS = 3 * PERIOD_SECONDS
EVENT = "heartbeat.pulse"


def send_heartbeats(parts: Parts) -> None:
    parts.reactor.every(PERIOD_SECONDS, lambda: parts.switch.publish(EVENT, {}))


class HeartbeatWatch:
    """A follower without a heartbeat for heartbeat.timeout disconnects from its parent."""

    def __init__(self, parts: Parts):
        self.parts = parts
        self.last = time.monotonic()
        self.overdue = False
        parts.switch.events[EVENT] = self.receive
        parts.reactor.every(PERIOD_SECONDS, self.check)

    def receive(self, _payload: dict) -> None:
        self.last = time.monotonic()

    def check(self) -> None:
        text = self.parts.config.get("heartbeat", {}).get("timeout")
        timeout = parse_duration(text) if text else TIMEOUT_SECONDS
        silence = time.monotonic() - self.last
        overdue = silence > OVERDUE_SECONDS
        if overdue and not self.overdue:
            self.parts.logs.write("heartbeat", log.WARNING, "heartbeat overdue")
        self.overdue = overdue
        if timeout and silence > timeout:
            self.parts.overlay.lose_parent(f"disconnecting: no heartbeat for {format_duration(silence)}")
