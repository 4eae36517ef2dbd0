"""Scripts that FLUX_RC_EXTRA adds to rc1 and rc3. Checked: src/bindings/python/flux/modprobe.py (run_all_rc_scripts),
src/broker/runat.c (runat_abort)."""

import glob
import os
import signal
from collections.abc import Callable

from . import log
from .initial_program import environment
from .processes import Process, exit_code, start_failure_code
from .reactor import Reactor

ABORTED = 128 + signal.SIGHUP


class RcScripts:
    """One run of the scripts of a level. `done` gets an exit code. Without scripts it is called at once."""

    def __init__(self, level: int, local_uri: str, reactor: Reactor, logs: log.Log, done: Callable[[int], None]):
        folders = filter(None, os.environ.get("FLUX_RC_EXTRA", "").split(":"))
        self.left = [path for folder in folders for path in sorted(glob.glob(f"{folder}/rc{level}.d/*"))]
        self.name, self.local_uri, self.reactor, self.logs, self.done = f"rc{level}.0", local_uri, reactor, logs, done
        self.process: Process | None = None
        self.code = 0

    def start(self) -> None:
        if not self.left:
            self.done(self.code)
            return
        path = self.left.pop(0)
        self.logs.write("broker", log.INFO, f"{self.name}: running {path}")
        try:
            self.process = Process(
                self.reactor,
                [path],
                environment(self.local_uri),
                os.getcwd(),
                self.say,
                lambda status: self.ended(path, exit_code(status)),
            )
        except OSError as error:
            self.ended(path, start_failure_code(error))

    def say(self, stream: str, data: bytes) -> None:
        for line in data.decode(errors="replace").splitlines():
            self.logs.write("broker", log.INFO if stream == "stdout" else log.ERR, f"{self.name}: {line}")

    def ended(self, path: str, code: int) -> None:
        self.process = None
        if code and self.code != ABORTED:
            self.logs.write("broker", log.ERR, f"{self.name}: {path} failed with exit code {code}")
            self.code = 1
        self.start()

    def abort(self) -> None:
        self.code, self.left = ABORTED, []
        if self.process:
            self.process.kill(signal.SIGHUP)
