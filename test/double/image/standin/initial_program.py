"""The initial program ("rc2"). Checked: src/broker/runat.c, src/broker/broker.c (create_runat_rc2)."""

import fnmatch
import os
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable

from . import log
from .errors import Refusal
from .processes import exit_code, prepare_child, start_failure_code
from .reactor import Reactor

NOT_PASSED_ON = [
    "FLUX_JOB_ID",
    "FLUX_ENCLOSING_ID",
    "FLUX_JOB_SIZE",
    "FLUX_JOB_NNODES",
    "FLUX_JOB_TMPDIR",
    "FLUX_TASK_RANK",
    "FLUX_TASK_LOCAL_ID",
    "FLUX_URI",
    "FLUX_KVS_NAMESPACE",
    "FLUX_PROXY_REMOTE",
    "PMI_*",
    "PMIX_*",
    "FLUX_PMI_LIBRARY_PATH",
    "I_MPI_PMI_LIBRARY",
    "SLURM_*",
    "NOTIFY_SOCKET",
    "PALS_*",
]


def shell() -> str:
    return os.environ.get("SHELL", "/bin/bash")


def known_shells() -> list[str]:
    try:
        with open("/etc/shells", encoding="utf-8") as file:
            return [line.strip() for line in file if line.startswith("/")]
    except OSError:
        return ["/bin/sh", "/bin/csh"]


def is_interactive_shell(command: list[str]) -> bool:
    if not command:
        return True
    return len(command) == 1 and any(command[0] in (path, os.path.basename(path)) for path in known_shells())


def needs_shell(command: list[str]) -> bool:
    """True if the command is one word that is not an executable file. The shell then runs it as a line."""
    if len(command) != 1:
        return False
    word = command[0]
    if any(char.isspace() for char in word):
        return True
    try:
        regular = stat.S_ISREG(os.stat(word).st_mode)
    except OSError:
        return True
    return not (regular and os.access(word, os.X_OK | os.R_OK))


def command_line(command: list[str]) -> list[str]:
    """The words to execute. Refuses an interactive shell without a terminal."""
    if is_interactive_shell(command):
        if not sys.stdin.isatty():
            raise Refusal("stdin is not a tty - can't run interactive shell")
        return command or [shell()]
    return [shell(), "-c", command[0]] if needs_shell(command) else command


def environment(local_uri: str) -> dict[str, str]:
    kept = {
        name: value
        for name, value in os.environ.items()
        if not any(fnmatch.fnmatchcase(name, pattern) for pattern in NOT_PASSED_ON)
    }
    return {**kept, "FLUX_URI": local_uri}


class InitialProgram:
    """Runs the command with the broker's stdin, stdout and stderr, and ends it with SIGHUP."""

    def __init__(self, command: list[str], local_uri: str, reactor: Reactor, logs: log.Log):
        self.argv = command_line(command)
        shown = self.argv[2:] if self.argv[:2] == [shell(), "-c"] else self.argv
        self.shown = " ".join(shown)
        self.local_uri, self.reactor, self.logs = local_uri, reactor, logs
        self.pid: int | None = None
        self.aborted = False
        self.own_group = os.getpgrp() != os.getpid()
        self.started = 0.0

    def start(self, on_exit: Callable[[int], None]) -> None:
        self.started = time.monotonic()
        self.on_exit = on_exit
        try:
            child = subprocess.Popen(
                self.argv,
                env=environment(self.local_uri),
                process_group=0 if self.own_group else None,
                preexec_fn=lambda: prepare_child(None),
            )
        except OSError as error:
            code = start_failure_code(error)
            self.report(code, f"error launching process: {error.strerror}")
            self.reactor.post(lambda: on_exit(code))
            return
        self.pid = child.pid
        self.reactor.on_exit(child.pid, lambda status: self.exited(child, status))

    def exited(self, child: subprocess.Popen, status: int) -> None:
        code = child.returncode = exit_code(status)
        self.pid = None
        how = "Exited"
        if code == 0 and self.aborted:
            code, how = 1, "aborted after exit with rc=0"
        elif os.WIFSIGNALED(status):
            how = signal.strsignal(os.WTERMSIG(status)) or "Unknown signal"
        self.report(code, how)
        self.on_exit(code)

    def report(self, code: int, how: str) -> None:
        elapsed = time.monotonic() - self.started
        self.logs.write(
            "broker", log.ERR if code else log.INFO, f"rc2.0: {self.shown} {how} (rc={code}) {elapsed:.1f}s"
        )

    def abort(self) -> None:
        self.aborted = True
        if self.pid:
            (os.killpg if self.own_group else os.kill)(self.pid, signal.SIGHUP)
