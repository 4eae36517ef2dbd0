"""Whether the queue takes and starts jobs. Checked: src/modules/job-manager/queue.c."""

import errno

from .errors import RpcError


class QueueState:
    """The only queue of the stand-in."""

    def __init__(self):
        self.is_started = True
        self.stop_reason: str | None = None
        self.disable_reason: str | None = None

    def change(self, change: str, reason: "str | None") -> None:
        if change in ("enable", "disable"):
            self.disable_reason = None if change == "enable" else reason
        else:
            self.is_started = change == "start"
            self.stop_reason = None if self.is_started else reason

    def require_enabled(self) -> None:
        if self.disable_reason is not None:
            raise RpcError(errno.EINVAL, f"job submission is disabled: {self.disable_reason}")

    def status(self) -> dict:
        return {"sched": self.is_started, "reason": self.stop_reason, "disabled": self.disable_reason}
