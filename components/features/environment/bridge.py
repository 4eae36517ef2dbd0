# Runs a command on another rank by `flux exec`, with its input and output (ssh.sh). `flux exec` loses bytes that are no
# text, and keeps its output until it ends, but not its errors. So both ends of it run this file, and send each piece of
# data as a line of base64, those of the output as errors. The command's errors come as output.
# `bridge.py near RANK COMMAND...` runs `bridge.py far COMMAND...` there, and this runs the command.

import base64
import os
import subprocess
import sys
import threading
from typing import Callable

PIECE = 65536
# No base64 begins with it, and no error of flux exec.
MARK = b"="


def write(target: int, data: bytes) -> None:
    while data:
        data = data[os.write(target, data) :]


def encode(source: int, target: int) -> None:
    for piece in iter(lambda: os.read(source, PIECE), b""):
        write(target, MARK + base64.b64encode(piece) + b"\n")


def decode(source: int, target: int) -> None:
    with os.fdopen(source, "rb") as lines:
        for line in lines:
            if line.startswith(MARK):
                write(target, base64.b64decode(line[1:]))
            else:
                write(2, line)


# Starts a command. Its input ends with that of this process. A command that has ended reads no more.
def start(
    words: "list[str]", output: int, errors: int, convert: "Callable[[int, int], None]"
) -> "subprocess.Popen[bytes]":
    process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=output, stderr=errors, bufsize=0)

    def give_input() -> None:
        assert process.stdin
        try:
            convert(0, process.stdin.fileno())
            process.stdin.close()
        except OSError:
            pass

    threading.Thread(target=give_input, daemon=True).start()
    return process


def near(rank: str, words: "list[str]") -> int:
    there = ["flux", "exec", "--quiet", "--rank=" + rank, "--dir=/", "flux", "python", __file__, "far"]
    process = start(there + words, 2, subprocess.PIPE, encode)
    assert process.stderr
    decode(process.stderr.fileno(), 1)
    return process.wait()


def far(words: "list[str]") -> int:
    process = start(words, subprocess.PIPE, 1, decode)
    assert process.stdout
    encode(process.stdout.fileno(), 2)
    return process.wait()


result = near(sys.argv[2], sys.argv[3:]) if sys.argv[1] == "near" else far(sys.argv[2:])
# At once: the thread may still wait for input.
os._exit(result if result >= 0 else 128 - result)
