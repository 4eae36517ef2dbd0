"""Runs elastic.py's Sizer against a Flux and a Job that only remember, and prints what happened: sizer.py CASE."""

# pyright: basic, reportMissingImports=false, reportAttributeAccessIssue=false

import http.client
import json
import os
import sys
import tempfile
import time

sys.path.insert(0, "components/features/elastic")
sys.path.insert(0, "components/parts")
sys.path.insert(0, "provider/contract")

import elastic
import elastic_job
from elastic import Sizer
from elastic_job import ASLEEP, SETTINGS, QueuedJob
from elastic_place import Request
from fakes import FakeFlux, FakeJob
from kube_object import Refused
from program_log import Log


class World:
    def __init__(self, size=1, **more):
        self.flux = FakeFlux()
        self.job = FakeJob(self.flux, size, dict(cooldown=5, **more))
        self.sizer = Sizer({"least": 1, "most": 4, "grace": 20}, self.flux, self.job)
        self.sizer.sleep.open = self.flux.submissions
        self.now = 100.0

    def turns(self, count=1):
        for _ in range(count):
            try:
                self.sizer.turn(self.now)
            except OSError as error:
                self.flux.log.append(["error", error.errno])
            self.sizer.pause()
            self.now += 1


def asleep():
    """A cluster that has just suspended its Job."""
    world = World(1, sleepAfter=10)
    world.turns(11)
    return world


def grows():
    world = World()
    world.flux.pending = [Request(), Request(), Request()]
    world.turns(2)
    return world


def shrinks():
    world = World(4)
    world.turns(7)
    return world


def shrinks_without_pods():
    """Ranks 2 and 3 have never joined: their pods find no node."""
    world = World(4)
    world.flux.offline = {2, 3}
    world.turns(7)
    return world


def returns_to_work():
    """A job comes after the drain, and before the ranks are removed."""
    world = World(4)
    world.turns(6)
    world.flux.pending = [Request(), Request(), Request()]
    world.turns(2)
    return world


def keeps_busy():
    """A job on rank 2 keeps the ranks below it."""
    world = World(4)
    world.flux.used = {2: (1, 0)}
    world.turns(10)
    return world


def is_refused():
    """After a refusal, the pauses grow: 1, 2, 4 s. Then the right comes back."""
    world = World()
    world.flux.pending = [Request(), Request()]
    world.turns(1)
    world.job.size, world.sizer.size = 1, 1
    world.flux.log.clear()
    world.job.error = Refused(403, "jobs is forbidden")
    world.turns(8)
    world.job.error = None
    world.turns(9)
    return world


def stays_refused(code=403):
    """The Job may be read, but not changed: tries after 0, 1, 3, 7, 15 and 31 s, and one line in the log."""
    world = World()
    Log.say = lambda _, text: world.flux.log.append(["say", text])
    world.flux.pending = [Request(), Request()]
    world.job.patch_error = Refused(code, "refused by a webhook")
    world.turns(60)
    return world


def stays_unprocessable():
    return stays_refused(422)


def is_unreachable():
    world = World()
    world.job.error = TimeoutError("timed out")
    world.flux.pending = [Request(), Request()]
    world.turns(5)
    world.job.error = None
    world.turns(5)
    return world


def gets_half_an_answer():
    world = World()
    world.job.error = http.client.IncompleteRead(b"{")
    world.turns(3)
    world.job.error = None
    world.flux.pending = [Request(), Request()]
    world.turns(4)
    return world


def is_resized():
    """Another client has changed the size: the first patch is refused, the next one starts from the new size."""
    world = World()
    world.turns(1)
    world.job.size = 3
    world.flux.pending = [Request()] * 4
    world.turns(4)
    return world


def loses_answer():
    """The Job has shrunk, but the answer is lost, and the API server is away for some seconds. Then work comes."""
    world = World(4)
    world.turns(6)
    world.job.loses = True
    world.turns(1)
    world.job.loses = False
    world.flux.pending = [Request(), Request()]
    world.turns(3)
    world.job.error = None
    world.turns(4)
    return world


def is_shrunk():
    """Another client removes ranks that are drained, and work comes while their pods leave."""
    world = World(4)
    world.flux.used = {2: (1, 0)}
    world.turns(16)
    world.job.size = 1
    world.turns(16)
    world.flux.used = {}
    world.flux.pending = [Request(), Request()]
    world.turns(2)
    return world


def finds_stale_drain():
    """An earlier program has drained rank 1 long ago, and rank 2 leaves just now."""
    world = World(3)
    world.flux.drains = {1: time.time() - 60, 2: time.time()}
    world.flux.pending = [Request(), Request(), Request()]
    world.turns(2)
    return world


def is_evicted():
    """The pod of rank 1 leaves, which the program has drained: leave.sh drains the rank anew."""
    world = World(4)
    world.turns(6)
    world.flux.drains[1] = time.time() + 1
    world.flux.pending = [Request()] * 3
    world.turns(3)
    return world


def waits_for_removed():
    """A removed rank whose pod still ends isn't undrained when the cluster grows again."""
    world = World(4)
    world.turns(7)
    world.flux.pending = [Request(), Request()]
    world.turns(2)
    return world


def waits_for_removed_long():
    """The same if a job on rank 2 has kept the ranks drained for longer than the grace period."""
    world = World(4)
    world.flux.used = {2: (1, 0)}
    world.turns(7)
    world.flux.drains = dict.fromkeys(world.flux.drains, time.time() - 3600)
    world.flux.used = {}
    world.turns(1)
    world.flux.pending = [Request(), Request()]
    world.turns(36)
    return world


def loses_broker():
    world = World()
    world.flux.broken = True
    world.turns(3)
    world.flux.broken = False
    world.flux.pending = [Request(), Request()]
    world.turns(1)
    return world


def sleeps():
    world = World(2, sleepAfter=10)
    world.flux.held = 1
    world.turns(20)
    return world


def stays_awake():
    """A job comes after the queues are stopped."""
    world = World(1, sleepAfter=10)
    world.flux.late = True
    world.turns(13)
    return world


def can_not_sleep():
    world = World(1, sleepAfter=10)
    world.turns(10)
    world.job.error = Refused(403, "jobs is forbidden")
    world.turns(2)
    return world


def starts_again():
    """An earlier program has ended between the stop of the queues and the suspension."""
    world = World(1, sleepAfter=10)
    world.flux.started = False
    world.flux.pending = [Request()]
    world.turns(2)
    return world


def leaves_queue():
    """An administrator has stopped the queue."""
    world = World()
    world.flux.started, world.flux.administered = False, True
    world.flux.pending = [Request(), Request()]
    world.turns(2)
    return world


def is_woken_at_once():
    world = asleep()
    world.job.suspend = False
    del world.job.annotations[ASLEEP]
    world.turns(8)
    return world


def is_disturbed():
    """A job is submitted after the suspension. The queue stays stopped, so that the job doesn't start in this pod."""
    world = asleep()
    world.flux.submitted = True
    world.turns(4)
    return world


def is_disturbed_without_server():
    """The same while the API server is away for some seconds."""
    world = asleep()
    world.flux.submitted = True
    world.job.error = TimeoutError("timed out")
    world.turns(3)
    world.job.error = None
    world.turns(4)
    return world


def is_disturbed_and_stays():
    """The pod doesn't end, because the Job was resumed before Kubernetes had seen the suspension."""
    world = asleep()
    world.flux.submitted = True
    world.turns(17)
    return world


def is_suspended_meanwhile():
    """Another client suspends the Job before this program does, and a job comes."""
    world = World(1, sleepAfter=10)
    world.turns(10)
    world.job.patch_error = Refused(422, "the server rejected our request")
    world.job.suspend = True
    world.flux.submitted = True
    world.turns(3)
    return world


def ends_asleep():
    """The broker ends before a job is submitted."""
    world = asleep()
    world.flux.broken = True
    world.turns(1)
    world.flux.submitted = True
    world.turns(3)
    return world


def is_disturbed_after_wake():
    """Another client resumes the Job first: the queue stays stopped until the pod should have left."""
    world = asleep()
    world.flux.submitted, world.job.suspend = True, False
    world.turns(10)
    return world


def is_stopped_late():
    """The job is submitted in the last moment before the container is stopped."""
    world = asleep()
    world.flux.submitted = True
    world.sizer.end()
    return world


def leaves():
    """The pod leaves: its next pod sizes the cluster, and starts no queue."""
    world = World(1, sleepAfter=10)
    file("leaving")
    world.flux.started = False
    world.flux.pending = [Request(), Request()]
    world.turns(20)
    return world


def can_not_save():
    """The queue can't be saved, so the cluster stays awake."""
    world = World(1, sleepAfter=10)
    file("archive.failed")
    world.turns(14)
    os.unlink(os.path.join(run.name, "archive.failed"))
    world.turns(1)
    return world


def runs_short_jobs():
    """A job of less than a second each 8 s is never seen by a look, and keeps the cluster awake."""
    world = World(1, sleepAfter=10)
    for _ in range(5):
        world.turns(8)
        world.flux.newest += 1
    return world


def waits_for_growth():
    """A job whose growth is refused for long is cancelled: the time without jobs begins then."""
    world = World(1, sleepAfter=10)
    world.turns(5)
    world.job.patch_error = Refused(403, "jobs is forbidden")
    world.flux.submit(Request(), Request())
    world.turns(30)
    world.flux.pending, world.job.patch_error = [], None
    world.turns(8)
    return world


def finds_mark():
    """Another client has resumed the Job without removing the annotation."""
    world = World()
    world.job.annotations[ASLEEP] = "2026-01-01T00:00:00Z"
    world.turns(20)
    return world


def forgets_after_gap():
    """Flux doesn't answer for longer than the cool-down: the cool-down begins again."""
    world = World(4)
    world.flux.pending = [Request()] * 4
    world.turns(3)
    world.flux.broken = True
    world.turns(15)
    world.flux.broken, world.flux.pending = False, []
    world.turns(5)
    return world


def changes_settings():
    """The settings change while the program runs: it shrinks after 2 s in place of 50 s."""
    world = World(4)
    world.job.annotations = {SETTINGS: json.dumps({"cooldown": 50})}
    world.turns(14)
    world.job.annotations = {SETTINGS: json.dumps({"cooldown": 2})}
    world.turns(6)
    return world


def changes_settings_of_a_busy_cluster():
    """The reason changes all the time, and each change is a request."""
    world = World(4)
    world.flux.pending = [Request()] * 4
    for turn in range(40):
        world.flux.held = turn
        world.turns()
        world.job.annotations[SETTINGS] = json.dumps({"cooldown": 2})
    world.flux.pending = []
    world.turns(5)
    return world


def has_no_settings():
    """Without the annotation the size stays, until it is back."""
    world = World(4)
    Log.say = lambda _, text: world.flux.log.append(["say", text])
    settings, world.job.annotations = world.job.annotations, {}
    world.turns(10)
    world.job.annotations = settings
    world.turns(13)
    return world


def loses_settings():
    """Another client removes the annotation: the last settings stay."""
    world = World(4)
    world.turns(1)
    world.job.annotations = {}
    world.flux.pending = [Request()] * 4
    world.turns(20)
    world.flux.pending = []
    world.turns(7)
    return world


class Recorded(QueuedJob):
    """A Job in a queue, whose patches are recorded."""

    def __init__(self, log):
        self.uid, self.log = "a", log

    def ask(self, _method, body=None):
        self.log.append([[step["op"], step["path"].split("/")[-1], step.get("value")] for step in (body or [])[1:]])


def sleeps_in_queue():
    flux = FakeFlux()
    job = Recorded(flux.log)
    job.sleep(3, 2)
    job.sleep(2, 2)
    job.wake(2)
    specs = [{"parallelism": 0, "suspend": False}, {"parallelism": 2, "suspend": True}, {"parallelism": 2}]
    flux.log.append([job.is_asleep(spec) for spec in specs])
    return type("World", (), {"flux": flux})


Log.say = lambda _, text: None
elastic_job.moment = lambda: "now"
elastic.time.sleep = lambda _: None
run = tempfile.TemporaryDirectory()
os.environ["MINICLUSTER_RUN"] = run.name


def file(name):
    open(os.path.join(run.name, name), "w").close()


log = globals()[sys.argv[1]]().flux.log
print(json.dumps([entry for entry in log if entry[0] != "note" or entry[1] == "asleep"]))
