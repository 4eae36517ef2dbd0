"""One broker: command line, bootstrap, services, and the actions of each state.

Checked: src/broker/broker.c (the order of the steps and of the errors), src/broker/state_machine.c.
"""

import math
import os
import signal
import socket
import sys
import time
import uuid
from collections.abc import Callable

from . import archive, log
from .attributes import Attributes
from .bootstrap import read_bootstrap
from .errors import Refusal, RpcError
from .folders import prepare_folder, prepare_local_uri
from .heartbeat import HeartbeatWatch, send_heartbeats
from .hostlist import encode_hostlist
from .idset import encode_idset
from .initial_program import InitialProgram
from .job_shell import JobShell
from .leader import Leader
from .module_config import ModuleRefusal, check_connector, check_modules
from .overlay import Child, Overlay
from .parts import Parts
from .processes import Process
from .rc_scripts import ABORTED, RcScripts
from .reactor import Reactor
from .resources import local_cores
from .rpc import LocalServer, Switch
from .scheduler import Scheduler
from .services import LocalServices, add_local_services, add_module_services
from .settings import (
    TIMEOUTS,
    broker_options,
    load_config,
    read_norestart,
    read_quorum,
    read_timeout,
    set_boot_attributes,
    set_own_attributes,
)
from .state import StateMachine, event_for_parent_state
from .version import WHAT_THIS_IS, version_text

DEADLY = (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGALRM)
GOODBYE_SECONDS = 60.0
# src/modules/rexec/rexec.c: the processes of a broker that ends get SIGTERM, and so many seconds to end.
PROCESSES_SECONDS = 5.0
PROCESSES_CHECK_SECONDS = 0.02
ONLINE_LOG_SECONDS = 5.0


def run_broker(args: list[str], program: str) -> int:
    """Runs `flux broker`, and returns the exit code."""
    attributes = Attributes()
    set_own_attributes(attributes)
    parsed = broker_options(f"flux-{program.removeprefix('flux-')}").parse(args)
    for setting in parsed.all("setattr"):
        name, equals, value = setting.partition("=")
        problem = attributes.set_from_command_line(name, value if equals else None)
        if problem:
            raise Refusal(f"{program}: {problem}")
    attributes.set_default("hostname", socket.gethostname())
    verbose = int(parsed.get("verbose", "0") or 1)
    if verbose:
        attributes.set_default("log-stderr-mode", "local")
    attributes.set_default("log-stderr-level", str({0: log.ERR, 1: log.INFO}.get(verbose, log.DEBUG)))
    logs = log.Log(attributes, str(attributes.get("hostname")))
    logs.write("broker", log.NOTICE, f"{WHAT_THIS_IS}, imitating {version_text()}")
    try:
        config = load_config(attributes, parsed.get("config-path"), parsed.all("conf"))
        return Broker(attributes, config, logs, parsed.rest).run()
    except Refusal as refusal:
        logs.write("broker", log.CRIT, refusal.message)
        return 1


class Broker:
    """One broker, from its start to its exit."""

    def __init__(self, attributes: Attributes, config: dict, logs: log.Log, command: list[str]):
        self.attributes, self.config, self.logs = attributes, config, logs
        self.exit_code = 0
        self.started = time.time()
        attributes.set("broker.uuid", str(uuid.uuid4()))
        attributes.set("broker.starttime", f"{self.started:.2f}")
        self.reactor = Reactor()
        for number in (*DEADLY, signal.SIGUSR1, signal.SIGUSR2):
            self.reactor.on_signal(number, self.handle_signal)
        signal.signal(signal.SIGPIPE, signal.SIG_IGN)
        self.boot = read_bootstrap(config, str(attributes.get("hostname")))
        self.rank, self.size = self.boot.rank, self.boot.size
        set_boot_attributes(attributes, self.boot)
        logs.finish_setup(self.rank)
        self.prepare_folders()
        self.norestart = read_norestart(attributes)
        self.quorum = read_quorum(attributes, self.size, logs)
        self.timeouts = {name: read_timeout(attributes, name, default) for name, default in TIMEOUTS.items()}
        self.online: set[int] = set()
        self.warned = False
        self.online_logged = -math.inf
        self.state = StateMachine(self.reactor, logs)
        self.state.on_enter = self.enter
        self.parent_state: str | None = None
        self.initialized = False
        self.overlay: Overlay | None = None
        self.server: LocalServer | None = None
        self.services: LocalServices | None = None
        self.program: InitialProgram | None = None
        self.leader: Leader | None = None
        self.scripts: RcScripts | None = None
        self.scheduler: Scheduler | None = None
        if self.rank == 0 and attributes.get("broker.rc2_none") is None and "broker.rc2_none" not in attributes.values:
            self.program = InitialProgram(command, str(attributes.get("local-uri")), self.reactor, logs)
        os.environ.pop("FLUX_URI", None)

    def prepare_folders(self) -> None:
        temporary = os.environ.get("TMPDIR")
        prepare_folder(self.attributes, "rundir", temporary or "/tmp")
        if self.rank == 0:
            prepare_folder(self.attributes, "statedir", temporary or "/var/tmp")
        else:
            self.attributes.values.pop("statedir", None)
        prepare_local_uri(self.attributes, self.rank)

    def run(self) -> int:
        self.state.start()
        self.reactor.run()
        if os.getpgrp() == os.getpid():
            signal.signal(signal.SIGHUP, signal.SIG_IGN)
            os.kill(0, signal.SIGHUP)
        return self.exit_code

    def handle_signal(self, number: int) -> None:
        if self.reactor.posted:
            # The state is about to change, and the effect of the signal depends on the new state.
            self.reactor.post(lambda: self.handle_signal(number))
            return
        self.logs.write("broker", log.INFO, f"signal {number}")
        if self.rank == 0 and number not in DEADLY and self.server:
            self.switch.ask(0, "job-manager.killall", {"signum": number}, lambda *_: None)
            return
        self.end(number)

    def end(self, number: int) -> None:
        """Ends the broker. The effect of a signal depends on the state: state_machine_kill."""
        state = self.state.state
        if state == "run" and self.program:
            self.program.abort()
            return
        if state in ("init", "finalize") and self.scripts:
            self.scripts.abort()
            return
        if state == "cleanup" and self.leader:
            self.exit_code = self.exit_code or ABORTED
        event = {
            "join": "parent-fail",
            "config-sync": "sync-fail",
            "quorum": "quorum-fail",
            "cleanup": "cleanup-fail" if self.leader else None,
            "run": "shutdown",
        }.get(state)
        if event:
            self.state.post(event)
        else:
            self.logs.write("broker", log.INFO, f"ignored signal {number} in {state}")

    def panic(self, text: str) -> None:
        """Ends the broker after the failure of a module: broker_panic, state_machine_panic."""
        self.logs.write("broker", log.CRIT, text)
        if self.attributes.get("broker.module-nopanic") not in (None, "0"):
            return
        self.exit_code = self.norestart or 1
        running = {"init": self.scripts, "run": self.program}.get(self.state.state)
        if running:
            running.abort()
        else:
            self.state.post("panic")

    def enter(self, state: str) -> None:
        action = getattr(self, "enter_" + state.replace("-", "_"))
        if self.overlay and state not in ("load-builtins", "unload-builtins", "exit"):
            self.overlay.tell_children_state(state)
        action()

    def enter_load_builtins(self) -> None:
        try:
            check_connector(self.config)
        except Refusal as refusal:
            self.builtin_failed("connector-local", refusal)
            return
        try:
            self.overlay = Overlay(self.boot, self.attributes, self.config, self.reactor, self.logs)
            self.attributes.set_default("hostlist", self.hostlist())
            self.attributes.set_default("broker.critical-ranks", self.critical_ranks())
            self.overlay.on_child_change = self.child_changed
            self.overlay.on_parent_state = self.parent_changed
            self.overlay.on_parent_lost = self.parent_lost
            self.overlay.on_goodbye_answer = lambda: self.state.post("goodbye")
            self.switch = Switch(self.overlay)
            self.logs.forward = lambda entry: self.switch.ask(0, "log.append", entry, None)
            self.parts = Parts(
                self.attributes,
                self.config,
                self.boot,
                self.reactor,
                self.logs,
                self.state,
                self.overlay,
                self.switch,
                self.started,
            )
            self.services = add_local_services(self.parts)
            path = str(self.attributes.get("local-uri")).removeprefix("local://")
            allow_root = self.config.get("access", {}).get("allow-root-owner", False)
            self.server = LocalServer(path, self.switch, self.reactor, allow_root)
            self.server.on_denied = lambda uid: self.logs.write(
                "connector-local", log.ERR, f"client_authenticate: uid={uid} no assigned roles"
            )
            self.overlay.connect()
            self.overlay.start()
        except Refusal as refusal:
            self.builtin_failed("overlay", refusal)
            return
        # Handles signals that came meanwhile in this state, and not in the next one.
        self.reactor.read_signals()
        self.state.post("builtins-success")

    def builtin_failed(self, module: str, refusal: Refusal) -> None:
        self.logs.write(module, log.ERR, refusal.message)
        self.logs.write(module, log.CRIT, "module exiting abnormally")
        self.logs.write("broker", log.ERR, f"error loading builtins: {module} is unexpectedly finalizing")
        self.exit_code = self.norestart or 1
        self.state.post("builtins-fail")
        if refusal.errnum:
            self.logs.write("broker", log.ERR, f"{module}: {os.strerror(refusal.errnum)}")

    def hostlist(self) -> str:
        return encode_hostlist(self.boot.names)

    def critical_ranks(self) -> str:
        """Rank 0, and all ranks that have children."""
        assert self.overlay
        topology = self.overlay.topology
        return encode_idset({0} | {rank for rank in range(self.size) if topology.children(rank)})

    def enter_join(self) -> None:
        if self.rank == 0:
            self.state.post("parent-none")
        else:
            self.check_parent()

    def enter_config_sync(self) -> None:
        self.state.post("sync-none" if self.rank == 0 else "sync-success")

    def enter_init(self) -> None:
        """Runs rc1: the modules read their configuration."""
        self.initialized = True
        assert self.server
        self.server.online = True
        started = time.monotonic()
        try:
            check_modules(self.config)
            if self.rank == 0:
                self.start_leader_services()
            self.announce_resources()
        except Refusal as refusal:
            self.report_refusal(refusal)
            self.rc1_ended(1, started)
            return
        add_module_services(self.switch, self.rank)
        self.run_scripts(1, lambda code: self.rc1_ended(code, started))

    def report_refusal(self, refusal: Refusal) -> None:
        if isinstance(refusal, archive.Damaged):
            self.logs.write("broker", log.ERR, f"rc1.0: {refusal.message}")
            return
        module = refusal.module if isinstance(refusal, ModuleRefusal) else "resource"
        self.logs.write(module, log.ERR, refusal.message)
        self.logs.write(module, log.CRIT, "module exiting abnormally")
        self.logs.write("broker", log.ERR, f"rc1.0: {module}: [Errno 22] Invalid argument")

    def rc1_ended(self, code: int, started: float) -> None:
        self.scripts = None
        if code:
            self.exit_code = self.norestart or code
        self.logs.write("broker", log.ERR if code else log.INFO, self.exited("rc1.0: flux modprobe rc1", code, started))
        self.state.post("rc1-fail" if code else "rc1-success")

    def run_scripts(self, level: int, done: Callable[[int], None]) -> None:
        uri = str(self.attributes.get("local-uri"))
        self.scripts = RcScripts(level, uri, self.reactor, self.logs, done)
        self.scripts.start()

    @staticmethod
    def exited(what: str, code: int, started: float) -> str:
        return f"{what} Exited (rc={code}) {time.monotonic() - started:.1f}s"

    def start_leader_services(self) -> None:
        self.leader = Leader(self.parts, self.online_changed, self.request_shutdown)
        send_heartbeats(self.parts)
        if os.environ.get("FLUX_SCHED_MODULE") != "none":
            self.scheduler = Scheduler(self.reactor, self.logs, self.panic)

    def announce_resources(self) -> None:
        self.switch.ask(0, "resource.found", {"rank": self.rank, "cores": local_cores()}, None)
        if self.rank > 0:
            HeartbeatWatch(self.parts)

    def enter_quorum(self) -> None:
        self.switch.ask(0, "groups.join", {"rank": self.rank}, None)
        if self.rank > 0:
            self.check_parent()
            return
        if self.timeouts["broker.quorum-warn"]:
            self.reactor.after(self.timeouts["broker.quorum-warn"], self.warn_quorum)

    def warn_quorum(self) -> None:
        if self.state.state != "quorum":
            return
        missing = [rank for rank in range(self.size) if rank not in self.online]
        hosts = encode_hostlist(self.boot.names[rank] for rank in missing)
        self.logs.write("broker", log.ERR, f"quorum delayed: waiting for {hosts} (rank {encode_idset(missing)})")
        self.warned = True
        self.reactor.after(self.timeouts["broker.quorum-warn"] or 60, self.warn_quorum)

    def online_changed(self, online: set[int]) -> None:
        """Called on rank 0 when ranks have joined or left."""
        lost = sorted(self.online - online)
        self.online = set(online)
        reached = len(online) >= self.quorum
        due = time.monotonic() - self.online_logged > ONLINE_LOG_SECONDS
        if self.state.state == "quorum" and online and (reached or due):
            self.online_logged = time.monotonic()
            hosts = encode_hostlist(self.boot.names[rank] for rank in sorted(online))
            self.logs.write("broker", log.INFO, f"online: {hosts} (ranks {encode_idset(online)})")
        if reached and self.state.state == "quorum":
            self.state.post("quorum-full")
            if self.warned:
                self.logs.write("broker", log.ERR, "quorum reached")
        if lost and self.state.state in ("run", "cleanup"):
            hosts = encode_hostlist(self.boot.names[rank] for rank in lost)
            self.logs.write("broker", log.ERR, f"dead to Flux: {hosts} (rank {encode_idset(lost)})")

    def enter_run(self) -> None:
        if self.program:
            self.program.start(self.program_ended)
        elif self.rank > 0:
            self.check_parent()
        else:
            self.state.post("rc2-none")

    def program_ended(self, code: int) -> None:
        if self.exit_code == 0:
            self.exit_code = code
        self.state.post("rc2-fail" if code else "rc2-success")

    def enter_cleanup(self) -> None:
        assert self.overlay
        self.overlay.spurn_hello = True
        if self.leader:
            self.leader.clean_up(lambda: self.state.post("cleanup-success"))
        else:
            self.state.post("cleanup-none")

    def enter_shutdown(self) -> None:
        assert self.overlay
        self.overlay.spurn_hello = True
        if self.overlay.online_children() == 0:
            self.state.post("children-none")
            return
        warn = self.timeouts["broker.shutdown-warn"]
        if warn is not None:
            self.reactor.after(warn, lambda: self.warn_shutdown(warn))
        timeout = self.timeouts["broker.shutdown-timeout"]
        if timeout is not None and self.rank == 0:
            self.reactor.after(timeout, self.shutdown_timed_out)

    def shutdown_timed_out(self) -> None:
        if self.state.state == "shutdown":
            self.logs.write("broker", log.ERR, "shutdown timeout")
            self.state.post("children-complete")

    def warn_shutdown(self, period: float) -> None:
        assert self.overlay
        if self.state.state != "shutdown":
            return
        ranks = [child.rank for child in self.overlay.children.values() if child.online]
        hosts = encode_hostlist(self.boot.names[rank] for rank in ranks)
        self.logs.write(
            "broker", log.ERR, f"shutdown delayed: waiting for {len(ranks)} peers: {hosts} (rank {encode_idset(ranks)})"
        )
        self.reactor.after(period, lambda: self.warn_shutdown(period))

    def enter_finalize(self) -> None:
        """Runs rc3. It fails on a follower that never had a parent, and its exit code is then the broker's."""
        started = time.monotonic()
        for shell in list(self.services.shells.values()) if self.services else []:
            shell.lose_broker()
        if self.rank > 0 and not self.initialized:
            self.logs.write(
                "broker", log.ERR, "rc3.0: flux-modprobe: ERROR: Upstream Flux broker is offline. Try again later."
            )
            self.rc3_ended(1, started)
        else:
            self.run_scripts(3, lambda code: self.rc3_ended(code, started))

    def rc3_ended(self, code: int, started: float) -> None:
        self.scripts = None
        if self.scheduler:
            self.scheduler.unload()
        if self.leader and not code:
            code = self.keep_content(self.leader)
        self.exit_code = self.exit_code or code
        self.logs.write("broker", log.ERR if code else log.INFO, self.exited("rc3.0: flux modprobe rc3", code, started))
        self.state.post("rc3-fail" if code else "rc3-success")

    def keep_content(self, leader: Leader) -> int:
        leader.checkpoint.save(clean=True)
        try:
            dumped = archive.dump(self.attributes, leader)
        except OSError as error:
            self.logs.write("broker", log.ERR, f"rc3.0: content-dump: {error}")
            return 1
        if dumped:
            self.logs.write("broker", log.INFO, f"rc3.0: dumping content to {dumped}")
        return 0

    def processes_left(self) -> list[JobShell | Process]:
        return [*self.services.shells.values(), *self.services.processes.values()] if self.services else []

    def enter_goodbye(self) -> None:
        assert self.overlay
        self.reactor.after(GOODBYE_SECONDS, self.goodbye_timed_out)
        if self.rank > 0:
            self.overlay.say_goodbye()
            return
        if self.leader and self.leader.shutdown_request:
            self.leader.shutdown_request.respond({"end": True})
        self.state.post("goodbye")

    def goodbye_timed_out(self) -> None:
        if self.state.state == "goodbye":
            self.logs.write("broker", log.ERR, f"goodbye timeout after {GOODBYE_SECONDS:.1f}s")
            self.state.post("goodbye")

    def enter_unload_builtins(self) -> None:
        for process in self.processes_left():
            process.kill(signal.SIGTERM)
        self.wait_for_processes(time.monotonic() + PROCESSES_SECONDS)

    def wait_for_processes(self, deadline: float) -> None:
        """Waits for the processes of `flux exec`. Those that ignore SIGTERM outlive the broker."""
        if self.processes_left() and time.monotonic() < deadline:
            self.reactor.after(PROCESSES_CHECK_SECONDS, lambda: self.wait_for_processes(deadline))
            return
        if self.server:
            self.server.close()
        self.state.post("builtins-done")

    def enter_exit(self) -> None:
        sys.stderr.flush()
        if self.overlay:
            self.overlay.close()
        self.reactor.stop()

    def parent_changed(self, state: str) -> None:
        self.parent_state = state
        self.check_parent()

    def check_parent(self) -> None:
        event = event_for_parent_state(self.state.state, self.parent_state) if self.parent_state else None
        if event:
            self.state.post(event)

    def parent_lost(self) -> None:
        self.state.post("parent-fail" if self.state.state != "quorum" else "quorum-fail")
        self.exit_code = 1

    def child_changed(self, child: Child) -> None:
        assert self.overlay
        if not child.online or child.torpid:
            gone = [child.rank, *self.overlay.topology.descendants(child.rank)]
            self.switch.ask(0, "groups.leave", {"ranks": gone, "torpid": child.torpid and child.online}, None)
        if self.state.state == "shutdown" and self.overlay.online_children() == 0:
            self.state.post("children-complete")

    def request_shutdown(self) -> None:
        """Starts the shutdown for `flux shutdown`."""
        if self.state.state != "run":
            raise RpcError(22, f"shutdown cannot be initiated in state {self.state.state}")
        self.exit_code = self.norestart or self.exit_code
        if self.program:
            self.program.abort()
        else:
            self.state.post("shutdown")
