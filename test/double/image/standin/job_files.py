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


class NoReader(Exception):
    """A named pipe has no reader yet. The shell of flux-core waits for one before it starts its tasks."""


class JobFiles:
    """The files of the tasks of one shell."""

    def __init__(self, request: dict, folder: str, cwd: str):
        self.request, self.folder, self.cwd = request, folder, cwd
        self.opened: set[str] = set()
        # Named pipes stay open until the shell ends.
        self.pipes: dict[str, int] = {}

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
                if is_pipe(path):
                    self.pipes[path] = open_pipe(path)
                else:
                    open(path, mode).close()
                self.opened.add(path)
            except OSError as error:
                reason = os.strerror(error.errno or 0)
                log = (f"output.task: open: {path}: {reason}", "plugin 'output': shell.init failed")
                raise FileError(f"shell_init: {reason}", 1, log) from None

    def close(self) -> None:
        while self.pipes:
            os.close(self.pipes.popitem()[1])

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
        if path in self.pipes:
            write_pipe(self.pipes[path], data)
        elif self.is_writer(stream):
            append(path, data)
        else:
            send(path)
        return True


def is_pipe(path: str) -> bool:
    try:
        return stat.S_ISFIFO(os.stat(path).st_mode)
    except OSError:
        return False


def open_pipe(path: str) -> int:
    """Opens a named pipe that has a reader. Raises NoReader."""
    try:
        pipe = os.open(path, os.O_WRONLY | os.O_NONBLOCK)
    except OSError as error:
        if error.errno == errno.ENXIO:
            raise NoReader from None
        raise
    os.set_blocking(pipe, True)
    return pipe


def write_pipe(pipe: int, data: bytes) -> None:
    """What is written to a pipe that has lost its reader is lost."""
    try:
        while data:
            data = data[os.write(pipe, data) :]
    except BrokenPipeError:
        pass


def append(path: str, data: bytes) -> bool:
    """Writes the data of another shell. False if the file is a named pipe that has no reader."""
    if not is_pipe(path):
        with open(path, "ab") as file:
            file.write(data)
        return True
    try:
        pipe = open_pipe(path)
    except NoReader:
        return False
    write_pipe(pipe, data)
    os.close(pipe)
    return True
