"""Rank 0's jobs: submit, wait for resources, run, end. Checked: src/modules/job-manager/,
src/modules/job-exec/job-exec.c (SIGTERM, then SIGKILL after kill-timeout), src/modules/job-ingest/,
src/shell/doom.c (the time from the first end of a task)."""

import errno
import math
import os
import signal
import time

from . import log
from .dependencies import find_waits, is_met
from .duration import format_duration, parse_duration
from .errors import RpcError
from .idleness import Idleness
from .inventory import Inventory
from .job_record import Job, lay_out, wait_status
from .job_stats import JobStats
from .jobid import encode_f58
from .journal import Journal, events_of
from .memos import serve_memos
from .output_store import OutputStore, endure
from .queue_state import QueueState
from .reactor import Reactor
from .redirects import redirects_of
from .resources import Node, encode_resources
from .rpc import Request, Switch
from .shell_options import exit_timeout

GENERATION_BITS = 24
MOST_URGENT = 31
# The message of a shell after its broker's rc3 has unloaded job-info.
SHELL_WITHOUT_BROKER = "flux_job_event_watch_get: Function not implemented"
# flux-config-exec(5): the shells of a job get SIGKILL after exec.kill-timeout times this.
SHELL_KILL_FACTOR = 5


class JobManager:
    """The queue and the running jobs."""

    def __init__(self, inventory: Inventory, switch: Switch, reactor: Reactor, logs: log.Log, config: dict):
        self.inventory, self.switch, self.reactor, self.logs = inventory, switch, reactor, logs
        self.jobs: dict[int, Job] = {}
        self.epoch = time.monotonic()
        self.last_id = 0
        self.queue = QueueState()
        self.queues = set(config.get("queues", {}))
        self.journal = Journal(switch, self.jobs)
        self.idleness = Idleness(switch, self.jobs)
        self.stats = JobStats(switch, self.jobs)
        self.outputs = OutputStore(switch, self.jobs)
        serve_memos(switch, self.jobs, self.event)
        self.kill_timeout = parse_duration(config.get("exec", {}).get("kill-timeout", "5s"))
        served = "submit list raise raiseall watch stdin wait queue stats-get kill killall urgency info purge-id"
        for name in served.split():
            switch.add(f"job-manager.{name}", getattr(self, f"serve_{name.replace('-', '_')}"))

    def serve_submit(self, request: Request) -> None:
        spec = request.payload["spec"]
        if spec["queue"] is not None and spec["queue"] not in self.queues:
            name = spec["queue"]
            raise RpcError(
                errno.EINVAL, f"Invalid queue '{name}' specified" if self.queues else f"'{name}' is not a valid queue"
            )
        self.queue.require_enabled()
        if not 0 <= int(request.payload["urgency"]) <= MOST_URGENT:
            raise RpcError(errno.EINVAL, f"urgency range is [0:{MOST_URGENT}]")
        waits = find_waits(spec["dependencies"], self.jobs)
        job = Job(self.new_id(), spec, int(request.payload["urgency"]), bool(request.payload.get("waitable")))
        self.jobs[job.id] = job
        self.event(job, "submit", {"userid": os.getuid(), "urgency": job.urgency, "flags": 0, "version": 1})
        self.event(job, "validate")
        request.respond({"id": job.id})
        for wait in waits:
            self.event(job, "dependency-add", {"description": wait[2]})
        job.waits = waits
        for wait in waits:
            self.settle(job, wait)
        self.release(job)

    def settle(self, job: Job, wait: list) -> None:
        """Removes a dependency on a job that has ended, or ends the job that depends on it."""
        scheme, jobid, description = wait
        other = self.jobs[jobid]
        if other.state != "INACTIVE":
            return
        if is_met(scheme, other):
            job.waits = [one for one in job.waits if one != wait]
            self.event(job, "dependency-remove", {"description": description})
            return
        why = "can never be satisfied" if other.started else "job never started"
        self.raise_exception(job, "dependency", 0, f"dependency {description} {why}")

    def release(self, job: Job) -> None:
        """Lets a job wait for resources when it waits for no other job any more."""
        if job.waits or job.state != "DEPEND":
            return
        self.event(job, "depend")
        job.state = "SCHED"
        self.event(job, "priority", {"priority": job.urgency})
        problem = self.inventory.unsatisfiable(job.wanted) if self.inventory.known else None
        if problem:
            self.reactor.post(lambda: self.raise_exception(job, "alloc", 0, problem))
        else:
            self.reactor.post(self.schedule)

    def serve_list(self, request: Request) -> None:
        request.respond({"jobs": [self.summary(job) for job in self.jobs.values()]})

    def serve_info(self, request: Request) -> None:
        job = self.lookup(request.payload["id"])
        known = {"tasks": [[node.host, job.layout.get(node.rank, [])] for node in job.nodes], "events": events_of(job)}
        request.respond({**self.summary(job), "R": encode_resources(job.nodes), "jobspec": job.spec, **known})

    def serve_purge_id(self, request: Request) -> None:
        job = self.jobs.get(request.payload["id"])
        if not job:
            raise RpcError(errno.ENOENT, "id not found")
        if job.state != "INACTIVE":
            raise RpcError(errno.EINVAL, "cannot purge active job")
        if request.payload["force"]:
            del self.jobs[job.id]
        request.respond({"inactive": sum(other.state == "INACTIVE" for other in self.jobs.values())})

    def serve_raise(self, request: Request) -> None:
        job = self.lookup(request.payload["id"])
        if job.state == "INACTIVE":
            raise RpcError(errno.ENOENT, "job is inactive")
        self.raise_exception(job, request.payload["type"], request.payload["severity"], request.payload["note"])
        request.respond()

    def serve_raiseall(self, request: Request) -> None:
        payload = request.payload
        chosen = [job for job in self.jobs.values() if job.state in payload["states"]]
        for job in chosen if not payload["dry_run"] else []:
            self.raise_exception(job, payload["type"], payload["severity"], payload["note"])
        request.respond({"count": len(chosen)})

    def serve_kill(self, request: Request) -> None:
        job = self.lookup(request.payload["id"])
        if job.state != "RUN" or not job.started:
            raise RpcError(errno.EINVAL, "job is not running" if job.state != "INACTIVE" else "job is inactive")
        self.signal_job(job, request.payload["signum"])
        request.respond()

    def serve_killall(self, request: Request) -> None:
        running = [job for job in self.jobs.values() if job.state == "RUN" and job.started]
        for job in running:
            self.signal_job(job, request.payload["signum"])
        request.respond({"count": len(running)})

    def serve_urgency(self, request: Request) -> None:
        job = self.lookup(request.payload["id"])
        if job.state == "INACTIVE":
            raise RpcError(errno.EINVAL, "job is inactive")
        if job.state in ("RUN", "CLEANUP"):
            raise RpcError(errno.EINVAL, "urgency cannot be changed once resources are allocated")
        job.urgency = request.payload["urgency"]
        self.event(job, "urgency", {"urgency": job.urgency, "userid": os.getuid()})
        request.respond()
        self.schedule()

    def serve_watch(self, request: Request) -> None:
        """Streams the events of a job, and with `output` its output. After the job's end, all events come first."""
        job = self.lookup(request.payload["id"])
        with_output = request.payload.get("output", False)
        if with_output:
            endure(job)
        records = [record for record in job.records if with_output or "event" in record]
        if job.state == "INACTIVE":
            records.sort(key=lambda record: "event" not in record)
        for record in records:
            request.respond(record, more=True)
        if job.state == "INACTIVE":
            request.respond({"end": True})
            return

        def send(record: dict) -> None:
            if with_output or "event" in record or "end" in record:
                request.respond(record, more="end" not in record)

        job.watchers.append(send)
        request.on_cancel = lambda: job.watchers.remove(send) if send in job.watchers else None

    def serve_stdin(self, request: Request) -> None:
        job = self.lookup(request.payload["id"])
        if request.payload["data"] and "stdin" in job.spec["shell"].get("input", {}):
            raise RpcError(errno.ENOSYS, "stdin not accepted by job")
        self.tell_shells(job, "job-exec.stdin", {"data": request.payload["data"], "last": request.payload["last"]})
        request.respond()

    def serve_wait(self, request: Request) -> None:
        """`flux job wait`: once for each job that was submitted as waitable."""
        job = self.jobs.get(request.payload["id"])
        if not job or not job.waitable:
            raise RpcError(errno.ECHILD, "invalid job id, or job may be inactive and not waitable")
        if job.state == "INACTIVE":
            job.waitable = False
            request.respond(self.summary(job))
            return

        def finish(record: dict) -> None:
            if "end" in record:
                job.waitable = False
                request.respond(self.summary(job))

        job.watchers.append(finish)

    def serve_queue(self, request: Request) -> None:
        """Starts, stops, enables or disables the queue. Without a change, only returns its status."""
        change = request.payload.get("change")
        if change is not None:
            self.queue.change(change, request.payload.get("reason"))
            self.schedule()
        request.respond(self.queue.status())

    def serve_stats_get(self, request: Request) -> None:
        active = sum(job.state != "INACTIVE" for job in self.jobs.values())
        found = {
            "active_jobs": active,
            "inactive_jobs": len(self.jobs) - active,
            "max_jobid": max(self.jobs, default=0),
        }
        request.respond(found)

    def take_up(self, job: Job) -> None:
        """Restores a job of an earlier broker. Pending and finished jobs keep their state. Running jobs have failed."""
        self.jobs[job.id] = job
        if job.state in ("RUN", "CLEANUP"):
            job.status = 1
            job.exception = {
                "type": "exec",
                "severity": 0,
                "note": "failed to create guest ns: No such file or directory",
            }
            self.event(job, "exception", {**job.exception, "userid": os.getuid()})
            self.event(job, "release", {"ranks": "all", "final": True})
            self.event(job, "free")
            self.make_inactive(job)

    def new_id(self) -> int:
        moment = int((time.monotonic() - self.epoch) * 1000) << GENERATION_BITS
        self.last_id = max(moment, self.last_id + 1)
        return self.last_id

    def lookup(self, jobid: int) -> Job:
        if jobid not in self.jobs:
            raise RpcError(errno.ENOENT, "unknown job id")
        return self.jobs[jobid]

    def event(self, job: Job, name: str, context: dict | None = None) -> None:
        now = time.time()
        job.times.setdefault(name, now)
        self.record(job, {"event": name, "timestamp": now, "context": context or {}})
        self.journal.tell(job, job.records[-1])

    def record(self, job: Job, record: dict) -> None:
        """Saves an event or output, and sends it to the watchers."""
        job.records.append(record)
        self.notify(job, record)

    @staticmethod
    def notify(job: Job, record: dict) -> None:
        for watcher in list(job.watchers):
            watcher(record)

    def schedule(self) -> None:
        """Starts jobs by urgency, then by age. The first job that doesn't fit blocks the rest."""
        if not self.queue.is_started or not self.inventory.known:
            return
        waiting = sorted(
            (j for j in self.jobs.values() if j.state == "SCHED" and j.urgency > 0), key=lambda j: (-j.urgency, j.id)
        )
        for job in waiting:
            problem = self.inventory.unsatisfiable(job.wanted)
            if problem:
                self.raise_exception(job, "alloc", 0, problem)
                continue
            nodes = self.inventory.allocate(job.wanted)
            if nodes is None:
                return
            self.start(job, nodes)

    def start(self, job: Job, nodes: list[Node]) -> None:
        job.nodes, job.state = nodes, "RUN"
        self.event(job, "alloc", {"annotations": {}})
        job.layout = lay_out(job, nodes)
        job.pending_ranks = {node.rank for node in nodes}
        self.event(job, "start")
        job.started = True
        for shell_rank, node in enumerate(nodes):
            self.start_shell(job, node, shell_rank)
        if job.spec["duration"]:
            self.reactor.after(job.spec["duration"], lambda: self.expire(job))
        if "signal" in job.spec["shell"]:
            self.plan_signal(job, **job.spec["shell"]["signal"])

    def expire(self, job: Job) -> None:
        if job.state == "RUN":
            self.raise_exception(job, "timeout", 0, "resource allocation expired")

    def plan_signal(self, job: Job, signum: int, timeleft: float) -> None:
        name = signal.Signals(signum).name
        if not job.spec["duration"]:
            self.shell_log(job, f"flux-shell[0]: signal: job has no expiration, {name} will not be sent")
            return

        def send() -> None:
            if job.state == "RUN":
                text = f"job will expire in {timeleft:.1f}s, sending {name} to job"
                self.shell_log(job, f"flux-shell[0]: signal: {text}")
                self.signal_job(job, signum)

        self.reactor.after(max(0.0, job.spec["duration"] - timeleft), send)

    def start_shell(self, job: Job, node: Node, shell_rank: int) -> None:
        payload = {
            "id": job.id,
            "shell_rank": shell_rank,
            "host": node.host,
            "tasks": job.layout[node.rank],
            "command": job.spec["command"],
            "env": job.spec["env"],
            "cwd": job.spec["cwd"],
            "ntasks": job.spec["ntasks"],
            "nnodes": len(job.nodes),
            "cores": node.cores,
            "gpus": node.gpus,
            "name": job.spec["name"],
            "rank": node.rank,
            "shell": job.spec["shell"],
            "unbuffered": job.spec["unbuffered"],
        }

        def answer(record: dict | None, error: RpcError | None, more: bool) -> None:
            self.shell_said(job, node, shell_rank, record, error)

        self.switch.ask(node.rank, "job-exec.start", payload, answer)

    def shell_said(self, job: Job, node: Node, shell_rank: int, record: dict | None, error: RpcError | None) -> None:
        if error:
            self.lost_shell(job, node, shell_rank, error)
        elif record and "path" in record:
            self.switch.ask(job.nodes[0].rank, "job-exec.append", record, None)
        elif record and "output" in record:
            job.output = record["output"]
            for redirect in redirects_of(job, record):
                self.record(job, redirect)
        elif record and "stream" in record and record["stream"] in job.output:
            path = job.output[record["stream"]]["path"]
            self.switch.ask(job.nodes[0].rank, "job-exec.append", {**record, "path": path}, None)
        elif record and "stream" in record:
            self.record(job, record)
        elif record and "log" in record:
            self.shell_log(job, record["log"])
        elif record and "failed" in record:
            job.codes[record["failed"]] = record["code"]
            self.shell_log(job, f"flux-shell[{shell_rank}]: FATAL: {record['text']}")
            self.raise_exception(job, "exec", 0, record["text"])
        elif record and "exited" in record:
            self.task_exited(job, node, record)
        elif record and "done" in record:
            self.shell_done(job, node.rank)

    def task_exited(self, job: Job, node: Node, record: dict) -> None:
        """After the first end of a task, with any exit code, the other tasks have the exit timeout to end."""
        timeout = exit_timeout(job.spec["shell"])
        if not job.codes and timeout < math.inf:
            self.reactor.after(timeout, lambda: self.doom(job, node, record, format_duration(timeout)))
        job.codes.setdefault(record["exited"], record["code"])

    def doom(self, job: Job, node: Node, first: dict, timeout: str) -> None:
        """Shell 0 kills its tasks and raises an exception. The job gets the exit code of the first task."""
        if job.state != "RUN" or job.ending:
            return
        how = signal.strsignal(first["signal"]) if first["signal"] else f"Exit {first['code']}"
        note = (
            f"{os.path.basename(job.spec['command'][0])}: task rank {first['exited']} on host {node.host}"
            f" exited ({how}) and exit-timeout={timeout} has expired"
        )
        self.shell_log(job, f"flux-shell[0]: FATAL: task-exit: {note}")
        job.codes = dict.fromkeys(range(job.spec["ntasks"]), int(first["code"]))
        self.switch.ask(job.nodes[0].rank, "job-exec.kill", {"id": job.id, "signum": signal.SIGKILL}, None)
        self.raise_exception(job, "exec", 0, note)

    def shell_log(self, job: Job, text: str) -> None:
        self.record(job, {"shell": text, "timestamp": time.time()})

    def lost_shell(self, job: Job, node: Node, shell_rank: int, error: RpcError) -> None:
        if node.rank not in job.pending_ranks:
            return
        if error.text == SHELL_WITHOUT_BROKER:
            self.left_shell(job, node, shell_rank)
            return
        note = f"node failure on {node.host} (rank {node.rank})"
        if error.errnum != errno.EHOSTUNREACH:
            note = f"{node.host} (rank {node.rank}): {error.text}"
        self.logs.write("job-exec", log.INFO, f"job-exception: id={encode_f58(job.id)}: {note}")
        for task in job.layout[node.rank]:
            job.codes.setdefault(task, 128 + signal.SIGTERM)
        self.raise_exception(job, "exec", 0, note)
        self.shell_log(job, f"flux-shell[0]:  WARN: exception: node failure on {node.host} (shell rank {shell_rank})")
        self.shell_done(job, node.rank)

    def left_shell(self, job: Job, node: Node, shell_rank: int) -> None:
        """The shell of a rank that leaves in order fails, and the other shells wait for it."""
        for task in job.layout[node.rank]:
            job.codes.setdefault(task, 1)
        job.hangs = job.hangs or job.pending_ranks != {node.rank}
        self.shell_log(job, f"flux-shell[{shell_rank}]: FATAL: input.kvs: {SHELL_WITHOUT_BROKER}")
        self.raise_exception(job, "exec", 0, SHELL_WITHOUT_BROKER)
        self.shell_done(job, node.rank)

    def shell_done(self, job: Job, rank: int) -> None:
        job.pending_ranks.discard(rank)
        if not job.pending_ranks and job.state == "RUN" and not job.hangs:
            self.finish(job)

    def finish(self, job: Job) -> None:
        job.status = max(job.codes.values(), default=0)
        if job.exception and job.status == 0:
            job.status = 1
        job.state = "CLEANUP"
        self.event(job, "finish", {"status": wait_status(job.status)})
        self.event(job, "release", {"ranks": "all", "final": True})
        self.event(job, "free")
        self.inventory.free(job.nodes)
        self.make_inactive(job)

    def make_inactive(self, job: Job) -> None:
        self.event(job, "clean")
        job.state = "INACTIVE"
        self.notify(job, {"end": True})
        job.watchers.clear()
        for other in list(self.jobs.values()):
            for wait in [one for one in other.waits if one[1] == job.id and other.state == "DEPEND"]:
                self.settle(other, wait)
                self.release(other)
        self.idleness.check()
        self.reactor.post(self.schedule)

    def raise_exception(self, job: Job, kind: str, severity: int, note: str) -> None:
        """Adds an exception to a job. Severity 0 ends the job."""
        self.event(job, "exception", {"type": kind, "severity": severity, "note": note, "userid": os.getuid()})
        if severity > 0 or job.state == "INACTIVE":
            return
        if job.exception is None:
            job.exception = {"type": kind, "severity": severity, "note": note}
        if job.state in ("DEPEND", "SCHED"):
            job.status = 1
            job.state = "CLEANUP"
            self.make_inactive(job)
        elif job.state == "RUN" and not job.ending:
            job.ending = True
            self.signal_job(job, signal.SIGALRM if kind == "timeout" else signal.SIGTERM)
            self.reactor.after(self.kill_timeout, lambda: self.kill_harder(job))
            self.reactor.after(SHELL_KILL_FACTOR * self.kill_timeout, lambda: self.kill_shells(job))

    def kill_shells(self, job: Job) -> None:
        """Ends a job whose shells wait for the shell of a rank that left in order. Nothing else ends such a job."""
        job.hangs = False
        if not job.pending_ranks and job.state == "RUN":
            self.finish(job)

    def kill_harder(self, job: Job) -> None:
        if job.state == "RUN":
            self.signal_job(job, signal.SIGKILL)
            self.reactor.after(self.kill_timeout, lambda: self.kill_harder(job))

    def signal_job(self, job: Job, number: int) -> None:
        self.tell_shells(job, "job-exec.kill", {"signum": number})

    def tell_shells(self, job: Job, topic: str, payload: dict) -> None:
        # Uses a copy: the request to a lost rank fails at once, and removes the rank.
        for rank in list(job.pending_ranks):
            self.switch.ask(rank, topic, {"id": job.id, **payload}, None)

    def running(self) -> list[Job]:
        return [job for job in self.jobs.values() if job.state == "RUN"]

    def summary(self, job: Job) -> dict:
        return {
            "id": job.id,
            "name": job.spec["name"],
            "state": job.state,
            "result": job.result(),
            "returncode": job.status,
            "status": job.status,
            "ntasks": job.spec["ntasks"],
            "ncores": sum(len(n.cores) for n in job.nodes),
            "nnodes_wanted": job.spec["wanted"]["nodes"],
            "ranks": [n.rank for n in job.nodes],
            "hosts": [n.host for n in job.nodes],
            "cwd": job.spec["cwd"],
            "urgency": job.urgency,
            "queue": job.spec["queue"],
            "exception": job.exception,
            "times": job.times,
            "waitable": job.waitable,
        }
