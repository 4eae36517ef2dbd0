"""Sizes a persistent cluster by its queue: grows the Job when jobs need more ranks, shrinks it when they don't, and
puts it to sleep when there are none. Runs beside the lead's broker only; elastic.sh starts it."""

import json
import os
import signal
import sys
import time
import typing

from elastic_drains import Drains
from elastic_flux import Flux
from elastic_job import ASLEEP, SETTINGS, SIZING, Job, QueuedJob, moment
from elastic_reason import explain
from elastic_rule import Rule, Step
from elastic_sizes import Sizes
from elastic_sleep import Sleep
from kube_object import Pauses, Refused
from marks import is_there
from program_log import Log
from watchdog import alive

LOOK_SECONDS = 1
# How often the Job is read, to notice a change by another client.
READ_SECONDS = 15
# How often an annotation may change that tells why the size stays.
TELL_SECONDS = 10
MARGIN_SECONDS = 15


class Sizer:
    """Looks at Flux once a second, and changes its own Job."""

    def __init__(self, settings: dict, flux: Flux, job: Job):
        self.flux, self.job = flux, job
        self.rule = Rule(settings["least"], settings["most"])
        self.sleep = Sleep(flux)
        self.sizes = Sizes()
        self.settings: typing.Optional[str] = None
        # A pod may need some seconds more than its grace period.
        self.drains = Drains(settings["grace"] + MARGIN_SECONDS)
        # The size that the Job had last. It is known if no patch since then may have changed it.
        self.size, self.is_known = 0, False
        self.asleep = False
        # The Job runs, and has the annotation of an earlier sleep.
        self.is_marked = False
        self.read_at = self.told_at = -READ_SECONDS
        self.told: typing.Optional[tuple] = None
        # A read that succeeds says nothing about the right to resize.
        self.pauses = {"read": Pauses(), "resize": Pauses(), "tell": Pauses()}
        self.log = Log("elastic")

    def turn(self, now: float):
        """One look, and one step. An error of Flux leaves everything as it is until the next turn."""
        if self.asleep and self.sleep.is_disturbed:
            self.wake(now)
            return
        is_old = not self.is_known or now - self.read_at >= READ_SECONDS
        if is_old and self.request("read", now, lambda: self.read(now)):
            self.read_at = now
        # A pod that leaves must start no job, and its successor sizes the cluster.
        if not self.is_known or self.asleep or is_there("leaving"):
            return
        if self.is_marked and self.request("tell", now, self.job.unmark):
            self.is_marked = False
        state = self.look(now)
        if state.stopped:
            # The sleep has failed, this program has ended before it, or the Job was resumed.
            self.sleep.forget()
            self.flux.start_queues(state.stopped, True)
            state = self.look(now)
        is_due = self.sleep.is_due(state, now)
        step = self.rule.step(state.look, now)
        if step.undrain:
            self.log.say(f"undrains ranks {step.undrain}")
            self.flux.undrain(step.undrain)
            self.drains.forget(step.undrain)
        if step.drain:
            self.flux.drain(step.drain)
            self.drains.note(step.drain)
        why = explain(state, step)
        if step.resize is not None:
            self.resize(now, step, why)
        elif is_due and is_there("archive.failed"):
            self.tell(now, step.want, why + "; stays awake, because the queue can't be saved in archive")
        elif is_due:
            self.fall_asleep(now)
        else:
            self.tell(now, step.want, why)
        self.sizes.tell(self.size, step.want)

    def look(self, now: float):
        state = self.flux.read(self.size)
        self.log.note("flux", None)
        state.look.drained = self.drains.undrainable(state, now)
        return state

    def resize(self, now: float, step: Step, why: str):
        before, size = self.size, step.resize or self.size
        note = self.note_of(size, step.want, why)

        def patch():
            self.job.patch(before, {"completions": size, "parallelism": size}, {SIZING: note})

        if self.request("resize", now, patch):
            self.log.say(f"resizes the cluster from {before} to {size} ranks: {why}")
            self.size = size
            self.drains.note_removal(range(size, before), now)
            self.told, self.told_at = (size, step.want, why), now

    def read(self, now: float):
        job = self.job.read()
        if job["metadata"]["uid"] != self.job.uid:
            raise Refused(404, "the Job of this pod was replaced")
        spec = job["spec"]
        before, self.size = self.size, spec["completions"]
        if before not in (0, self.size):
            self.log.say(f"finds the cluster resized from {before} to {self.size}")
            self.drains.note_removal(range(self.size, before), now)
        annotations = job["metadata"].get("annotations", {})
        self.apply(annotations.get(SETTINGS))
        self.is_known, self.asleep = True, self.job.is_asleep(spec)
        self.is_marked = ASLEEP in annotations and not self.asleep
        if self.asleep and ASLEEP not in annotations:
            # Another client has suspended the Job, and decides on its end.
            self.sleep.forget()

    def apply(self, settings: "str | None"):
        """Takes over the settings of the Job. Without them, the last ones stay."""
        if settings is None and self.settings is None:
            raise Refused(404, f"it has no annotation {SETTINGS}; run pulumi refresh, then pulumi up")
        if settings is None or settings == self.settings:
            return
        found = json.loads(settings)
        self.rule.cool_down_for(found["cooldown"])
        self.sleep.after = found.get("sleepAfter")
        self.settings = settings

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
                self.log.note(kind, f"the Job can't be read or changed: {error}")
            pauses.lengthen(now)
            # An answer may be lost after the Job was changed. Until it is read, ranks may be leaving.
            if is_stale or (kind == "resize" and code >= 500):
                self.is_known = False
            return False
        self.pauses[kind] = Pauses()
        self.log.note(kind, None)
        return True

    def note_of(self, size: int, want: int, why: str):
        return json.dumps({"size": size, "want": want, "why": why, "since": moment()})

    def tell(self, now: float, want: int, why: str):
        """Writes why the cluster has its size, if that has changed."""
        if self.told == (self.size, want, why) or now - self.told_at < TELL_SECONDS:
            return
        note = self.note_of(self.size, want, why)
        if self.request("tell", now, lambda: self.job.patch(self.size, {}, {SIZING: note})):
            self.told, self.told_at = (self.size, want, why), now

    def fall_asleep(self, now: float):
        if now < self.pauses["resize"].until or not self.sleep.prepare(self.size):
            return
        self.asleep = self.request("resize", now, lambda: self.job.sleep(self.size, self.rule.least))
        if self.asleep:
            self.sleep.idle_since = None
            self.log.say(f"puts the cluster to sleep: no jobs for {self.sleep.after} s")

    def wake(self, now: float):
        """A job was submitted after the suspension. Its queue stays stopped, because this pod mostly ends now."""

        def resume():
            try:
                self.job.wake(self.rule.least)
            except Refused as error:
                # Another client has resumed the Job, or the answer was lost.
                if error.code != 422:
                    raise

        if self.request("resize", now, resume):
            self.log.say("wakes the cluster: a job was submitted while it fell asleep")
            # The next read comes when this pod would have got its end.
            self.is_known, self.read_at = True, now
            self.sleep.forget()

    def pause(self):
        if not (self.asleep and self.sleep.watch(LOOK_SECONDS)):
            time.sleep(LOOK_SECONDS)

    def end(self):
        """The container is stopped after the broker's end: the last moment to see a job that was submitted."""
        self.sleep.watch(0.1)
        if self.asleep and self.sleep.is_disturbed:
            self.job.wake(self.rule.least)


def main():
    # As the first process of its container, this program ignores signals that it doesn't handle.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    settings = json.loads(os.environ["MINICLUSTER_ELASTIC"])
    kind = QueuedJob if settings.get("queued") else Job
    sizer = Sizer(settings, Flux(), kind(os.environ["MINICLUSTER_TOKEN"], os.environ["MINICLUSTER_CLUSTER"]))
    try:
        while True:
            run(sizer)
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        sizer.end()


def run(sizer: Sizer):
    alive()
    try:
        sizer.turn(time.monotonic())
    except OSError as error:
        # Mostly the broker starts, restarts or ends. The next turn looks again at everything.
        sizer.log.note("flux", f"Flux can't be asked: {error}")
    except Exception as error:
        sizer.log.note("flux", f"Flux' answer can't be used: {error!r}")
    sizer.pause()


if __name__ == "__main__":
    main()
