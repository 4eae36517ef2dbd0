"""Services of every broker: attributes, state, log, processes, the overlay's health."""

import base64
import errno
import os
import shutil
import signal
import time

from . import log
from .errors import RpcError
from .job_files import append
from .job_shell import JobShell, find_program
from .jobs import SHELL_WITHOUT_BROKER
from .parts import Parts
from .processes import Process, exit_code, start_failure_code
from .rpc import Request, Switch
from .version import version_text

# Longest wait for the reader of a named pipe.
READER_SECONDS = 10

# The modules that rc1 loads on each rank, and those that it loads only on rank 0: etc/modprobe/modprobe.toml.
BUILTINS = ("broker", "config", "connector-local", "groups", "overlay", "rexec")
MODULES = ("content", "heartbeat", "job-info", "job-ingest", "kvs", "kvs-watch", "resource")
LEADER_MODULES = ("content-sqlite", "cron", "job-exec", "job-list", "job-manager", "sched-simple")


def add_module_services(switch: Switch, rank: int) -> None:
    """Adds the services that `flux ping` finds after rc1."""
    for module in (*MODULES, *(LEADER_MODULES if rank == 0 else ())):
        switch.add(f"{module}.ping", switch.services["broker.ping"])


def add_local_services(parts: Parts) -> "LocalServices":
    service = LocalServices(parts)
    for module in BUILTINS:
        parts.switch.add(f"{module}.ping", service.broker_ping)
    for topic in (
        "attr.get",
        "attr.set",
        "state-machine.get",
        "log.dmesg",
        "log.append",
        "overlay.health",
        "overlay.topology",
        "config.get",
        "rexec.exec",
        "rexec.kill",
        "rexec.write",
        "job-exec.start",
        "job-exec.kill",
        "job-exec.stdin",
        "job-exec.append",
    ):
        parts.switch.add(topic, getattr(service, topic.replace(".", "_").replace("-", "_")))
    return service


class LocalServices:
    """The services of one broker for its clients and for other brokers."""

    def __init__(self, parts: Parts):
        self.parts = parts
        self.processes: dict[str, Process] = {}
        self.shells: dict[int, JobShell] = {}
        # Data for files of jobs, by their paths.
        self.appends: dict[str, list[Request]] = {}

    def attr_get(self, request: Request) -> None:
        request.respond({"value": self.parts.attributes.request_get(request.payload["name"])})

    def attr_set(self, request: Request) -> None:
        payload = request.payload
        self.parts.attributes.request_set(payload["name"], payload["value"], payload.get("force", False))
        request.respond()

    def broker_ping(self, request: Request) -> None:
        request.respond({"route": f"{self.parts.attributes.get('broker.uuid')}"[:8], "rank": self.parts.boot.rank})

    def state_machine_get(self, request: Request) -> None:
        machine = self.parts.state
        request.respond(
            {
                "state": machine.state,
                "duration": time.monotonic() - machine.entered,
                "uptime": time.time() - self.parts.started,
                "version": version_text(),
                "owner": os.getuid(),
                "size": self.parts.boot.size,
            }
        )

    def config_get(self, request: Request) -> None:
        request.respond({"config": self.parts.config})

    def log_append(self, request: Request) -> None:
        self.parts.logs.append(request.payload)
        request.respond()

    def log_dmesg(self, request: Request) -> None:
        for entry in self.parts.logs.ring:
            request.respond(entry, more=True)
        request.respond({"end": True})

    def overlay_health(self, request: Request) -> None:
        request.respond(self.parts.overlay.health())

    def overlay_topology(self, request: Request) -> None:
        request.respond({"parents": self.parts.overlay.topology.parents})

    def rexec_exec(self, request: Request) -> None:
        payload = request.payload
        key = payload["key"]
        # A line in parts isn't mixed with other ranks' lines: src/common/libsubprocess/server.c, `proc_output_cb`.
        begun = {"stdout": b"", "stderr": b""}

        def send(stream: str, data: bytes) -> None:
            if data:
                request.respond({"stream": stream, "data": base64.b64encode(data).decode()}, more=True)

        def output(stream: str, data: bytes) -> None:
            lines, newline, begun[stream] = (begun[stream] + data).rpartition(b"\n")
            send(stream, lines + newline)

        def ended(status: int) -> None:
            self.processes.pop(key, None)
            for stream, rest in begun.items():
                send(stream, rest)
            request.respond({"code": exit_code(status), "status": status})

        env = {**payload["env"], "FLUX_URI": str(self.parts.attributes.get("local-uri"))}
        try:
            if not os.path.isdir(payload["cwd"]):
                raise RpcError(errno.ENOENT, f"Could not change dir to {payload['cwd']}: No such file or directory")
            path = find_program(payload["command"][0], env.get("PATH"), payload["cwd"])
            process = Process(self.parts.reactor, [path, *payload["command"][1:]], env, payload["cwd"], output, ended)
        except OSError as error:
            raise RpcError(
                error.errno or errno.EIO,
                f"error launching process: {os.strerror(error.errno or errno.EIO)}\0{start_failure_code(error)}",
            ) from None
        self.processes[key] = process
        request.on_cancel = lambda: process.kill(signal.SIGKILL)

    def rexec_write(self, request: Request) -> None:
        process = self.processes.get(request.payload["key"])
        if process:
            process.write(base64.b64decode(request.payload["data"]), request.payload["last"])
        request.respond()

    def rexec_kill(self, request: Request) -> None:
        process = self.processes.get(request.payload["key"])
        if process:
            process.kill(request.payload["signum"])
        request.respond()

    def job_exec_start(self, request: Request) -> None:
        payload = request.payload
        if self.parts.state.passed("run"):
            raise RpcError(errno.EHOSTDOWN, "broker is shutting down")

        def emit(record: dict) -> None:
            request.respond(record, more=True)
            if shell.remaining == 0 or ("failed" in record and not shell.tasks):
                self.shells.pop(payload["id"], None)
                shutil.rmtree(shell.folder, ignore_errors=True)
                request.respond({"done": True})

        shell = JobShell(self.parts.reactor, payload, self.parts.attributes, emit)
        self.shells[payload["id"]] = shell
        request.on_cancel = shell.kill_all
        shell.ask_lead = lambda topic, payload, answer: self.parts.switch.ask(0, topic, payload, answer)
        shell.on_lost = lambda: request.fail(errno.ENOSYS, SHELL_WITHOUT_BROKER)
        try:
            shell.start()
        except OSError as error:
            self.parts.logs.write("job-exec", log.ERR, f"job shell: {error}")
            self.shells.pop(payload["id"], None)
            raise RpcError(error.errno or errno.EIO) from None

    def job_exec_kill(self, request: Request) -> None:
        shell = self.shells.get(request.payload["id"])
        if shell:
            shell.kill(request.payload["signum"])
        request.respond()

    def job_exec_stdin(self, request: Request) -> None:
        shell = self.shells.get(request.payload["id"])
        if shell:
            shell.write(base64.b64decode(request.payload["data"]), request.payload["last"])
        request.respond()

    def job_exec_append(self, request: Request) -> None:
        """Writes the output of another rank's tasks into the file that the first shell has opened."""
        path = request.payload["path"]
        self.appends.setdefault(path, []).append(request)
        if len(self.appends[path]) == 1:
            self.write_appends(path, time.monotonic() + READER_SECONDS)

    def write_appends(self, path: str, deadline: float) -> None:
        """Writes the data that wait for a file.

        A shell of flux-core starts no task before the first shell has opened the job's pipes, which waits for a reader.
        Here the data wait. What has no reader at the deadline is lost, as if the reader had ended.
        """
        waiting = self.appends[path]
        while waiting:
            written = append(path, base64.b64decode(waiting[0].payload["data"]))
            if not written and time.monotonic() < deadline:
                self.parts.reactor.after(0.02, lambda: self.write_appends(path, deadline))
                return
            waiting.pop(0).respond()
        del self.appends[path]
