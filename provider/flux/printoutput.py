"""Prints the output of a job.

`end ID BYTES` prints its last bytes, after the job's end. `follow ID BYTES BYTES MESSAGES` prints the whole output as
frames until the job's end, without what an earlier call has printed: bytes of standard output, bytes of standard error,
messages on exceptions. `show` prints the output that there is now. A frame is a line with the stream and the number of
bytes, and these bytes.

A call that waits for the job's end returns after some minutes at the latest: nothing else ends it if its connection is
lost.

For an update that waits: `follow` with a further number SECONDS looks at the output so seldom, and also prints frames
`progress` with what the program tells of its progress. `watch ID BYTES SECONDS` does so too, and in place of the output
it prints its last bytes in frames `end`."""

import subprocess
import sys
import time

import flux.job
import joboutput

# Longest frame in bytes.
FRAME = 64 * 2**10
# Seconds between two looks at the output of a job that runs: the pause grows while nothing is printed.
SHORTEST_PAUSE, LONGEST_PAUSE = 0.1, 1.0
# Looks in a row that may fail while a job runs: Flux moves the output when the job ends.
FAILURES = 5
# Seconds after which a call returns before the job's end. followedOutput.ts waits a minute longer.
LONGEST_CALL = 120


class Frames:
    """Prints pieces as frames, without what an earlier call has printed."""

    def __init__(self, skipped: "dict[str, int]"):
        self.skipped = skipped

    def show(self, stream: str, text: bytes):
        skipped = min(self.skipped[stream], len(text))
        self.skipped[stream] -= skipped
        for begin in range(skipped, len(text), FRAME):
            frame(stream, text[begin : begin + FRAME])


def frame(stream: str, text: bytes):
    sys.stdout.buffer.write(f"{stream} {len(text)}\n".encode() + text)
    sys.stdout.buffer.flush()


class Progress:
    """Prints what a program tells of its progress, once."""

    def __init__(self):
        self.told = ""

    def show(self, output: joboutput.Output):
        if output.progress != self.told:
            self.told = output.progress
            frame("progress", self.told.encode("utf-8", "replace"))


def watch(jobid: int, most: int, seconds: int):
    """Prints the present end of the output of a job until the job's end."""
    output, progress, told, failures = joboutput.Output(jobid), Progress(), b"", 0
    deadline = time.monotonic() + LONGEST_CALL
    while True:
        output.look()
        progress.show(output)
        try:
            text, failures = joboutput.end_of(output, most) if most > 0 else b"", 0
        except joboutput.Unreadable:
            text, failures = told, failures + 1
            if failures > FAILURES:
                raise
        if text != told:
            told = text
            frame("end", text)
        if output.is_over or time.monotonic() >= deadline:
            return
        wait_for_end(output, seconds)


def follow(jobid: int, skipped: "dict[str, int]", exceptions: int, seconds: "int | None" = None, waits: bool = True):
    """Prints the output of a job, and with `waits` until its end."""
    output, frames, chunks, progress, known, failures = (
        joboutput.Output(jobid),
        Frames(skipped),
        joboutput.Chunks(),
        Progress(),
        0,
        0,
    )
    deadline = time.monotonic() + LONGEST_CALL
    pause = shortest = seconds or SHORTEST_PAUSE
    longest = seconds or LONGEST_PAUSE
    while True:
        output.look()
        if seconds:
            progress.show(output)
        try:
            parts, failures = output.parts(), 0
        except joboutput.Unreadable:
            failures += 1
            if output.is_over or failures > FAILURES:
                raise
            wait_for_end(output, pause)
            continue
        for message in output.exceptions[exceptions:]:
            exceptions += 1
            frame("exception", message)
        pause = shortest if len(parts) > known else min(longest, pause * 1.5)
        while known < len(parts):
            part = parts[known : known + chunks.next]
            known += len(part)
            size = 0
            for stream, text in output.pieces(part):
                size += len(text) + joboutput.FRINGE
                frames.show(stream, text)
            chunks.learn(len(part), size)
        if output.is_over or not waits or time.monotonic() >= deadline:
            return
        wait_for_end(output, pause)


def wait_for_end(output: joboutput.Output, seconds: float):
    words = ["flux", "job", "wait-event", "--quiet", f"--timeout={seconds:.3f}s", output.id.f58plain, "clean"]
    subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def main():
    call, name, *numbers = sys.argv[1:]
    jobid = int(flux.job.JobID(name))
    try:
        if call == "end":
            sys.stdout.buffer.write(joboutput.read_end(jobid, int(numbers[0])))
        elif call == "watch":
            watch(jobid, *map(int, numbers))
        else:
            stdout, stderr, exceptions, *seconds = map(int, numbers)
            follow(
                jobid,
                {"stdout": stdout, "stderr": stderr},
                exceptions,
                seconds[0] if seconds else None,
                call == "follow",
            )
    except joboutput.Unreadable as error:
        sys.exit(f"flux-output: ERROR: {error}")


main()
