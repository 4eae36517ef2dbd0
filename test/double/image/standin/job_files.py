"""The files of a job's standard streams. Checked: src/shell/{input,output}/."""

import errno
import os
import signal
import stat
from collections.abc import Callable

from .mustache import is_per_shell, render
from .shell_options import path_of


class FileError(Exception):
    """A file of a job can't be opened: the exit code of the shell, and its messages before the fatal one."""

    def __init__(self, text: str, code: int, log: tuple[str, ...] = ()):
        super().__init__(text)
        self.code, self.log = code, log


class JobFiles:
    """The files of the tasks of one shell."""

    def __init__(self, request: dict, folder: str, cwd: str):
        self.request, self.folder, self.cwd = request, folder, cwd
        self.opened: set[str] = set()

    def input(self) -> bytes | None:
        """The standard input of each task, if it is a file."""
        path = self.request["shell"].get("input", {}).get("stdin", {}).get("path")
        if path is None:
            return None
        try:
            with open(os.path.join(self.cwd, path), "rb") as file:
                return file.read()
        except OSError as error:
            reason = os.strerror(error.errno or 0)
            raise FileError(f"error opening input file '{path}': {reason}", 128 + signal.SIGTERM) from None

    def open(self, task: int, index: int) -> None:
        """Opens the files of a task, unless another shell does."""
        for stream in ("stdout", "stderr"):
            path = self.path(task, index, stream)
            if path is None or path in self.opened or not self.is_writer(stream):
                continue
            try:
                mode = "ab" if self.request["shell"].get("output", {}).get("mode") == "append" else "wb"
                self.opened.add(path)
                if not is_pipe(path):
                    open(path, mode).close()
            except OSError as error:
                reason = os.strerror(error.errno or 0)
                log = (f"output.task: open: {path}: {reason}", "plugin 'output': shell.init failed")
                raise FileError(f"shell_init: {reason}", 1, log) from None

    def path(self, task: int, index: int, stream: str) -> str | None:
        template = path_of(self.request["shell"], stream)
        if template is None:
            return None
        return os.path.join(self.cwd, render(template, self.request, task, index, self.folder))

    def is_writer(self, stream: str) -> bool:
        """The first shell writes the files that all nodes share."""
        return self.request["shell_rank"] == 0 or is_per_shell(path_of(self.request["shell"], stream) or "")

    def write(self, task: int, index: int, stream: str, data: bytes, send: Callable[[str], None]) -> bool:
        """Returns False if the stream has no file. `send` passes the data on to the shell that has the file."""
        path = self.path(task, index, stream)
        if path is None:
            return False
        if self.is_writer(stream):
            append(path, data)
        else:
            send(path)
        return True


def is_pipe(path: str) -> bool:
    try:
        return stat.S_ISFIFO(os.stat(path).st_mode)
    except OSError:
        return False


def append(path: str, data: bytes) -> None:
    """flux-core keeps the file open. If a pipe loses its reader, what is written is lost."""
    try:
        file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NONBLOCK, 0o644)
    except OSError as error:
        if error.errno == errno.ENXIO:
            return
        raise
    os.set_blocking(file, True)
    try:
        with os.fdopen(file, "ab") as stream:
            stream.write(data)
    except BrokenPipeError:
        pass
