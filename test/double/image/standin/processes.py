"""Child processes: their output, their input, their end. Checked: src/common/libsubprocess/,
src/broker/runat.c (exit codes 126, 127, 128+n)."""

import contextlib
import errno
import os
import signal
import subprocess
from collections.abc import Callable

from .reactor import Reactor

Output = Callable[[str, bytes], None]
Exit = Callable[[int], None]


def exit_code(status: int) -> int:
    """The exit code that a shell reports for a wait status."""
    return os.WEXITSTATUS(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status)


def start_failure_code(error: OSError) -> int:
    return 127 if error.errno == errno.ENOENT else 126


class Process:
    """A process whose output is passed on. It ends when it has exited and its output is closed."""

    def __init__(
        self,
        reactor: Reactor,
        argv: list[str],
        env: dict[str, str],
        cwd: str,
        on_output: Output,
        on_exit: Exit,
        cpus: list[int] | None = None,
    ):
        self.reactor, self.on_output, self.on_exit = reactor, on_output, on_exit
        self.status: int | None = None
        self.input = bytearray()
        self.input_ended = False
        self.child = subprocess.Popen(
            argv,
            env=env,
            cwd=cwd,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            process_group=0,
            bufsize=0,
            preexec_fn=lambda: prepare_child(cpus),
        )
        self.pid = self.child.pid
        reactor.on_exit(self.pid, self.exited)
        self.open = {"stdout", "stderr"}
        for stream in ("stdout", "stderr"):
            self.watch_output(stream)
        assert self.child.stdin
        os.set_blocking(self.child.stdin.fileno(), False)

    def watch_output(self, stream: str) -> None:
        pipe = getattr(self.child, stream)
        descriptor = pipe.fileno()

        def read() -> None:
            data = os.read(descriptor, 1 << 16)
            if data:
                self.on_output(stream, data)
                return
            self.reactor.unwatch(descriptor)
            pipe.close()
            self.open.discard(stream)
            self.check_end()

        self.reactor.watch(descriptor, read)

    def exited(self, status: int) -> None:
        self.status = status
        self.child.returncode = exit_code(status)
        self.close_input()
        self.check_end()

    def check_end(self) -> None:
        if self.status is not None and not self.open:
            self.on_exit(self.status)

    def write(self, data: bytes, last: bool) -> None:
        """Writes to the process's standard input. `last` closes it."""
        self.input += data
        self.input_ended = self.input_ended or last
        self.flush()

    def flush(self) -> None:
        pipe = self.child.stdin
        if not pipe or pipe.closed:
            return
        try:
            sent = os.write(pipe.fileno(), self.input) if self.input else 0
        except BlockingIOError:
            sent = 0
        except OSError:
            self.close_input()
            return
        del self.input[:sent]
        if self.input:
            self.reactor.when_writable(pipe.fileno(), self.flush)
        elif self.input_ended:
            self.close_input()
        else:
            self.reactor.when_writable(pipe.fileno(), None)

    def close_input(self) -> None:
        pipe = self.child.stdin
        if pipe and not pipe.closed:
            self.reactor.unwatch(pipe.fileno())
            pipe.close()

    def kill(self, number: int) -> None:
        """Signals the whole process group."""
        if self.status is None or self.open:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.pid, number)


def prepare_child(cpus: list[int] | None) -> None:
    """Runs in the child: resets its signals and sets its CPUs."""
    signal.set_wakeup_fd(-1)
    for number in (
        signal.SIGPIPE,
        signal.SIGHUP,
        signal.SIGINT,
        signal.SIGTERM,
        signal.SIGQUIT,
        signal.SIGALRM,
        signal.SIGUSR1,
        signal.SIGUSR2,
        signal.SIGCHLD,
    ):
        signal.signal(number, signal.SIG_DFL)
    if cpus:
        os.sched_setaffinity(0, cpus)
