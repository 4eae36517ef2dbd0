"""Sizes a persistent cluster by its queue: grows the Job when jobs need more ranks, shrinks it when they don't, and
puts it to sleep when there are none. Runs beside the lead's broker only; elastic.sh starts it."""

import json
import math
import os
import signal
import sys
import time
import typing

from elastic_flux import Flux, State
from elastic_job import ASLEEP, SIZING, Job, Pauses, Refused
from elastic_rule import Rule, Step

LOOK_SECONDS = 1
# How often the Job is read, to notice a change by another client.
READ_SECONDS = 15
# How often an annotation may change that tells why the size stays.
TELL_SECONDS = 10
# A pod may need some seconds more than its grace period.
MARGIN_SECONDS = 15


def say(text: str):
    print("minicluster: elastic: " + text, file=sys.stderr, flush=True)


class Sizer:
    """Looks at Flux once a second, and changes its own Job."""

    def __init__(self, settings: dict, flux: Flux, job: Job):
        self.flux, self.job = flux, job
        self.rule = Rule(settings["least"], settings["most"], settings["cooldown"])
        self.sleep_after = settings.get("sleepAfter")
        self.leaves_within = settings["grace"] + MARGIN_SECONDS
        # The size that the Job had last. It is known if no patch since then may have changed it.
        self.size, self.is_known = 0, False
        self.asleep = False
        self.read_at = self.told_at = -READ_SECONDS
        self.told: typing.Optional[tuple] = None
        # A read that succeeds says nothing about the right to resize.
        self.pauses = {"read": Pauses(), "resize": Pauses(), "tell": Pauses()}
        # Ranks that this program has drained, with the time after that. Flux tells full seconds: resource/drain.c
        self.drained: typing.Dict[int, int] = {}
        # Ranks that were removed and have not left yet, with the time of that.
        self.removed: typing.Dict[int, float] = {}
        self.idle_since: typing.Optional[float] = None
        self.held = 0
        self.said: typing.Dict[str, typing.Optional[str]] = {}

    def turn(self, now: float):
        """One look, and one step. An error of Flux leaves everything as it is until the next turn."""
        if not self.is_known or now - self.read_at >= READ_SECONDS:
            self.request("read", now, lambda: self.read(now))
        if not self.is_known or self.asleep:
            return
        state = self.look(now)
        if state.stopped:
            # The sleep has failed, this program has ended before it, or another client has resumed the Job.
            self.flux.start_queues(state.stopped, True)
            state = self.look(now)
        step = self.rule.step(state.look, now)
        if step.undrain:
            say(f"undrains ranks {step.undrain}")
            self.flux.undrain(step.undrain)
            self.forget(step.undrain)
        if step.drain:
            self.flux.drain(step.drain)
            self.drained.update(dict.fromkeys(step.drain, full(time.time())))
        why = explain(state, step)
        if step.resize is not None:
            self.resize(now, step, why)
        elif self.is_idle(state, now):
            self.fall_asleep(now)
        else:
            self.tell(now, step.want, why)

    def look(self, now: float):
        state = self.flux.read(self.size)
        self.note("flux", None)
        clock = time.time()
        stale = {rank for rank, at in state.leaving.items() if clock - at > self.leaves_within}
        # The drain of a removed rank may be older than the grace period of its pod.
        self.removed = {
            rank: at
            for rank, at in self.removed.items()
            if rank not in state.offline and now - at <= self.leaves_within
        }
        # A later drain is that of leave.sh: the pod leaves.
        ours = {rank for rank, at in state.leaving.items() if at <= self.drained.get(rank, 0)} | stale
        state.look.drained = ours - set(self.removed) - state.offline
        return state

    def resize(self, now: float, step: Step, why: str):
        before, size = self.size, step.resize or self.size
        note = self.note_of(size, step.want, why)

        def patch():
            self.job.patch(before, {"completions": size, "parallelism": size}, {SIZING: note})

        if self.request("resize", now, patch):
            say(f"resizes the cluster from {before} to {size} ranks: {why}")
            self.size = size
            self.remove(range(size, before), now)
            self.told, self.told_at = (size, step.want, why), now

    def remove(self, ranks: "typing.Iterable[int]", now: float):
        self.removed.update(dict.fromkeys(ranks, now))
        self.forget(ranks)

    def forget(self, ranks: "typing.Iterable[int]"):
        self.drained = {rank: at for rank, at in self.drained.items() if rank not in ranks}

    def read(self, now: float):
        job = self.job.read()
        if job["metadata"]["uid"] != self.job.uid:
            raise Refused(404, "the Job of this pod was replaced")
        spec = job["spec"]
        before, self.size = self.size, spec["completions"]
        if before not in (0, self.size):
            say(f"finds the cluster resized from {before} to {self.size}")
            self.remove(range(self.size, before), now)
        self.is_known, self.asleep = True, bool(spec.get("suspend"))

    def request(self, kind: str, now: float, call: "typing.Callable[[], object]"):
        """Calls the API server unless a pause after a refusal lasts. Returns True if it has accepted."""
        pauses = self.pauses[kind]
        if now < pauses.until:
            return False
        try:
            call()
        except Exception as error:
            code = error.code if isinstance(error, Refused) else 500
            # The first time, the Job mostly has another size than expected.
            is_stale = code in (409, 422)
            if not is_stale or pauses.pause:
                self.note(kind, f"the Job can't be read or changed: {error}")
            pauses.lengthen(now)
            # An answer may be lost after the Job was changed. Until it is read, ranks may be leaving.
            if is_stale or (kind == "resize" and code >= 500):
                self.is_known = False
            return False
        self.pauses[kind], self.read_at = Pauses(), now
        self.note(kind, None)
        return True

    def note_of(self, size: int, want: int, why: str):
        at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        return json.dumps({"size": size, "want": want, "why": why, "since": at})

    def tell(self, now: float, want: int, why: str):
        """Writes why the cluster has its size, if that has changed."""
        if self.told == (self.size, want, why) or now - self.told_at < TELL_SECONDS:
            return
        note = self.note_of(self.size, want, why)
        if self.request("tell", now, lambda: self.job.patch(self.size, {}, {SIZING: note})):
            self.told, self.told_at = (self.size, want, why), now

    def is_idle(self, state: State, now: float) -> bool:
        """True if no job was active for the time of sleepAfter. Jobs that can't start don't count."""
        if self.sleep_after is None:
            return False
        if state.waiting or state.starting or state.running:
            self.idle_since = None
        elif self.idle_since is None or state.held != self.held:
            self.idle_since = now
        self.held = state.held
        return self.idle_since is not None and now - self.idle_since >= self.sleep_after

    def fall_asleep(self, now: float):
        """Stops the queues, so that no job starts meanwhile, looks again, and suspends the Job."""
        if now < self.pauses["resize"].until:
            return
        self.flux.start_queues([name for name, start in self.flux.queues().items() if start], False)
        at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        # A job that has arrived meanwhile is one more that can't start. If the cluster stays awake, the next turn
        # starts the queues.
        again = self.flux.read(self.size)
        if again.waiting or again.starting or again.running or again.held > self.held:
            self.idle_since = None
            return
        least = self.rule.least
        rest = {"completions": least, "parallelism": least, "suspend": True}
        self.asleep = self.request("resize", now, lambda: self.job.patch(self.size, rest, {ASLEEP: at}))
        if self.asleep:
            self.idle_since = None
            say(f"puts the cluster to sleep: no jobs for {self.sleep_after} s")

    def note(self, subject: str, problem: "str | None"):
        """Logs a problem once, and its end."""
        before = self.said.get(subject)
        if problem == before:
            return
        self.said[subject] = problem
        if problem is not None:
            say(problem)
        elif before is not None:
            say("works again")


def full(seconds: float):
    """Rounds to full seconds, as C does."""
    return math.floor(seconds + 0.5)


def count(number: int, what: str):
    return f"{number} {what}{'' if number == 1 else 's'}"


def explain(state: State, step: Step):
    """Why the cluster wants this many ranks, in words for users."""
    reasons = []
    if state.waiting:
        reasons.append(f"{count(state.waiting, 'job')} pending")
    if state.running > 0:
        reasons.append(f"{count(state.running, 'job')} running")
    if state.held:
        reasons.append(f"{count(state.held, 'job')} held or in a stopped queue")
    for job in state.unreadable[:1]:
        reasons.append(f"the request of job {job} can't be read, so no rank is added for it")
    for job, request in step.impossible[:1]:
        wanted = "{} with {}".format(
            count(request.nodes, "node") if request.nodes else count(request.slots, "slot"),
            count(request.cores, "core") + (", " + count(request.gpus, "GPU") if request.gpus else ""),
        )
        reasons.append(f"job {job} never fits: it needs {wanted}, more than maxSize ranks have")
    return ", ".join(reasons) or "no jobs"


def main():
    # As the first process of its container, this program ignores signals that it doesn't handle.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    settings = json.loads(os.environ["MINICLUSTER_ELASTIC"])
    sizer = Sizer(settings, Flux(), Job(os.environ["MINICLUSTER_TOKEN"], os.environ["MINICLUSTER_CLUSTER"]))
    while True:
        try:
            sizer.turn(time.monotonic())
        except OSError as error:
            # Mostly the broker starts, restarts or ends. The next turn looks again at everything.
            sizer.note("flux", f"Flux can't be asked: {error}")
        except Exception as error:
            sizer.note("flux", f"Flux' answer can't be used: {error!r}")
        time.sleep(LOOK_SECONDS)


if __name__ == "__main__":
    main()
