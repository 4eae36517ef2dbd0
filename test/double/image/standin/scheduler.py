"""The process of the scheduler, whose end before that of the broker is the failure of a module.

Checked: src/broker/{module_exec,modhash}.c, src/broker/flux-module-python-exec.py, src/modules/sched-simple.py.
"""

import os
import signal
import subprocess
import sys
from collections.abc import Callable

from . import log
from .processes import prepare_child
from .reactor import Reactor

LOADER = os.path.join(os.path.dirname(__file__), "flux-module-python-exec.py")


class Scheduler:
    """Runs the process until `unload`. Calls back if it ends before that."""

    def __init__(self, reactor: Reactor, logs: log.Log, on_failure: Callable[[str], None]):
        self.logs, self.on_failure = logs, on_failure
        self.is_unloaded = False
        self.child = subprocess.Popen(
            [sys.executable, "-IS", LOADER, "sched-simple.py"],
            stdin=subprocess.PIPE,
            process_group=0,
            preexec_fn=lambda: prepare_child(None),
        )
        reactor.on_exit(self.child.pid, self.exited)

    def exited(self, status: int) -> None:
        self.child.returncode = status
        if self.is_unloaded:
            return
        how = "exited"
        if os.WIFSIGNALED(status):
            how = f"loader killed by {signal.strsignal(os.WTERMSIG(status))}"
        self.logs.write("sched-simple", log.ERR, how)
        self.on_failure("sched-simple module runtime failure")

    def unload(self) -> None:
        self.is_unloaded = True
        if self.child.stdin:
            self.child.stdin.close()
