"""Follows a job to its end. Checked: src/cmd/job/attach.c."""

import base64
import errno
import signal
import sys

from .client import Client
from .errors import Refusal, RpcError
from .jobid import encode_f58


class Labelled:
    """Writes output with the task's rank in front of each line."""

    def __init__(self) -> None:
        self.at_line_start: dict[tuple[int, str], bool] = {}

    def write(self, task: int, stream: str, data: bytes) -> None:
        out = sys.stdout.buffer if stream == "stdout" else sys.stderr.buffer
        for line in data.splitlines(keepends=True):
            if self.at_line_start.get((task, stream), True):
                out.write(f"{task}: ".encode())
            out.write(line)
            self.at_line_start[(task, stream)] = line.endswith(b"\n")
        out.flush()


class Attachment:
    """Prints a job's output and messages, and returns the job's exit code."""

    def __init__(
        self,
        client: Client,
        jobid: int,
        label: bool,
        show_events: bool = False,
        read_input: bool = True,
        quiet: bool = False,
        name: str | None = None,
    ):
        self.client, self.jobid, self.label, self.show_events, self.quiet = client, jobid, label, show_events, quiet
        # The job's id in messages, as the user has written it.
        self.name = name or encode_f58(jobid)
        self.labelled = Labelled()
        self.submitted: float | None = None
        self.status: int | None = None
        self.failed = False
        self.ended = False
        self.interrupted = False
        self.error: RpcError | None = None
        client.send("job-manager.watch", {"id": jobid, "output": True}, self.record, 0)
        if read_input and sys.stdin and not sys.stdin.closed:
            client.read_input(sys.stdin.fileno(), self.send_input)

    def send_input(self, data: bytes) -> None:
        self.client.send(
            "job-manager.stdin",
            {"id": self.jobid, "data": base64.b64encode(data).decode(), "last": not data},
            self.input_answer,
            0,
        )

    def input_answer(self, _payload: dict | None, error: RpcError | None) -> None:
        if error and error.errnum == errno.ENOSYS:
            raise Refusal("flux-job: stdin not accepted by job")

    def record(self, payload: dict | None, error: RpcError | None) -> None:
        if error:
            self.error, self.ended = error, True
        elif payload and "event" in payload:
            self.event(payload)
        elif payload and "stream" in payload:
            self.output(payload)
        elif payload and "redirect" in payload:
            if not self.quiet:
                text = f"{payload['ranks']}: {payload['redirect']} redirected to {payload['path']}"
                print(text, file=sys.stderr, flush=True)
        elif payload and "shell" in payload:
            self.message(payload["timestamp"], payload["shell"])
        elif payload and "end" in payload:
            self.ended = True

    def event(self, event: dict) -> None:
        if self.submitted is None:
            self.submitted = event["timestamp"]
        context = event["context"]
        if event["event"] == "finish":
            self.status = context["status"]
        elif event["event"] == "exception":
            self.failed = self.failed or context["severity"] == 0
        if event["event"] == "exception" or self.show_events:
            details = (
                f" type={context['type']} severity={context['severity']} {context['note']}"
                if event["event"] == "exception"
                else ""
            )
            shown = f"job.exception {self.name}{details}" if event["event"] == "exception" else f"job.{event['event']}"
            self.message(event["timestamp"], shown)

    def message(self, moment: float, text: str) -> None:
        if not self.quiet:
            print(f"{moment - (self.submitted or moment):.3f}s: {text}", file=sys.stderr, flush=True)

    def output(self, record: dict) -> None:
        data = base64.b64decode(record["data"])
        if self.label:
            self.labelled.write(record["task"], record["stream"], data)
            return
        out = sys.stdout.buffer if record["stream"] == "stdout" else sys.stderr.buffer
        out.write(data)
        out.flush()

    def interrupt(self, number: int, _frame: object) -> None:
        """The first ^C prints how to cancel, and the second one cancels the job."""
        if number == signal.SIGINT and not self.interrupted:
            self.interrupted = True
            print("flux-job: one more ctrl-C within 2s to cancel or ctrl-Z to detach", file=sys.stderr)
            return
        print("flux-job: canceling job...", file=sys.stderr)
        self.client.send(
            "job-manager.raise",
            {"id": self.jobid, "type": "cancel", "severity": 0, "note": "interrupted by ctrl-C"},
            lambda *_: None,
            0,
        )

    def follow(self) -> int:
        """Waits for the end of the job. Returns an exit code."""
        signal.signal(signal.SIGINT, self.interrupt)
        try:
            while not self.ended:
                self.client.wait()
        except RpcError as error:
            raise Refusal(f"flux-job: {error.text}") from None
        if self.error:
            raise self.error
        return report_status(self.status, self.failed)


def report_status(status: int | None, failed: bool) -> int:
    """Prints one line for a job that failed. Returns the exit code."""
    if status is None:
        return 1
    code = status >> 8
    if code > 128:
        print(f"flux-job: task(s) {signal.strsignal(code - 128)}", file=sys.stderr)
    elif code:
        print(f"flux-job: task(s) exited with exit code {code}", file=sys.stderr)
    return 1 if failed and code == 0 else code
