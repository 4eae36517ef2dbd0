"""Prints the output of a job.

`end ID BYTES` prints its last bytes, after the job's end. `follow ID BYTES BYTES MESSAGES` prints the whole output as
frames until the job's end, without what an earlier call has printed: bytes of standard output, bytes of standard error,
messages on exceptions. `show` prints the output that there is now. A frame is a line with the stream and the number of
bytes, and these bytes."""

import subprocess
import sys

import flux.job
import joboutput

# Longest frame in bytes.
FRAME = 64 * 2**10
# Seconds between two looks at the output of a job that runs: the pause grows while nothing is printed.
SHORTEST_PAUSE, LONGEST_PAUSE = 0.1, 1.0
# Looks in a row that may fail while a job runs: Flux moves the output when the job ends.
FAILURES = 5


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


def follow(jobid: int, skipped: "dict[str, int]", exceptions: int, waits: bool):
    """Prints the output of a job, and with `waits` until its end."""
    output, frames, chunks, pause, known, failures = (
        joboutput.Output(jobid),
        Frames(skipped),
        joboutput.Chunks(),
        SHORTEST_PAUSE,
        0,
        0,
    )
    while True:
        output.look()
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
        pause = SHORTEST_PAUSE if len(parts) > known else min(LONGEST_PAUSE, pause * 1.5)
        while known < len(parts):
            part = parts[known : known + chunks.next]
            known += len(part)
            size = 0
            for stream, text in output.pieces(part):
                size += len(text) + joboutput.FRINGE
                frames.show(stream, text)
            chunks.learn(len(part), size)
        if output.is_over or not waits:
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
        else:
            stdout, stderr, exceptions = map(int, numbers)
            follow(jobid, {"stdout": stdout, "stderr": stderr}, exceptions, call == "follow")
    except joboutput.Unreadable as error:
        sys.exit(f"flux-output: ERROR: {error}")


main()
