"""Services that only rank 0 has: who is online, resources, jobs, shutdown."""

import errno
import time
from collections.abc import Callable

from . import archive, log
from .errors import RpcError
from .hostlist import decode_hostlist, encode_hostlist
from .idset import encode_idset
from .inventory import Drained, Inventory, parse_exclude
from .jobs import JobManager
from .key_values import KeyValues
from .log import plain
from .parts import Parts
from .resource_journal import ResourceJournal
from .resources import configured_resources
from .rpc import Request

# Flux starts a Python program for each step of the clean-up. The third step cancels jobs.
CANCEL_DELAY = 1.0


class Leader:
    """Rank 0's state of the instance, and its services.

    `on_change` gets the ranks that are online, `on_shutdown` starts the shutdown.
    """

    def __init__(self, parts: Parts, on_change: Callable[[set[int]], None], on_shutdown: Callable[[], None]):
        self.parts, self.on_change, self.on_shutdown = parts, on_change, on_shutdown
        self.logs = parts.logs
        self.shutdown_request: Request | None = None
        self.online: set[int] = set()
        self.torpid: set[int] = set()
        self.events: list[dict] = []
        self.inventory = Inventory(parts.boot.names)
        nodes = configured_resources(parts.config, parts.boot.names)
        self.shrinks = nodes is None
        if nodes is not None:
            self.inventory.set_nodes(nodes)
        parse_exclude(self.inventory, parts.config)
        self.journal = ResourceJournal(parts.switch, self.inventory, len(parts.boot.names))
        self.values = KeyValues(parts.switch).values
        self.jobs = JobManager(self.inventory, parts.switch, parts.reactor, parts.logs, parts.config)
        self.checkpoint = archive.Checkpoint(parts.attributes, self, parts.config)
        self.snapshots = archive.Snapshots(self)
        restored = archive.restore(parts.attributes, self)
        if restored:
            self.logs.write("broker", log.INFO, f"rc1.0: restoring content from {restored}")
        else:
            self.checkpoint.restore()
        if self.checkpoint.period > 0:
            parts.reactor.every(self.checkpoint.period, self.checkpoint.save)
        switch = parts.switch
        switch.add("groups.join", self.join)
        switch.add("groups.leave", self.leave)
        switch.add("resource.found", self.found)
        switch.add("resource.status", lambda request: request.respond(self.inventory.report()))
        switch.add("resource.drain", self.drain)
        switch.add("resource.undrain", self.undrain)
        switch.add("resource.events", lambda request: request.respond({"events": self.events}))
        switch.add("kvs.getroot", lambda request: request.respond({"rootseq": self.snapshots.version()}))
        switch.add("content.sync", self.sync)
        switch.add("content.snapshot", lambda request: request.respond({"text": self.snapshots.text()}))
        switch.add("shutdown.start", self.shutdown)
        if self.inventory.known:
            self.record("resource-define", {"method": "configuration"})

    def record(self, name: str, context: dict) -> None:
        """Adds one line to resource.eventlog."""
        self.events.append(self.journal.record(name, context))

    def replay(self, events: list[dict]) -> None:
        """Restores the events of an earlier broker. Drained ranks are found by their hosts."""
        self.events += events
        for event in events:
            for host in decode_hostlist(event["context"].get("nodelist", "")):
                rank = self.inventory.hosts.index(host) if host in self.inventory.hosts else None
                if rank is not None and event["name"] == "drain":
                    self.inventory.drained[rank] = Drained(event["context"].get("reason", ""), event["timestamp"])
                elif rank is not None and event["name"] == "undrain":
                    self.inventory.drained.pop(rank, None)

    def sync(self, request: Request) -> None:
        self.checkpoint.save()
        request.respond()

    def join(self, request: Request) -> None:
        if request.payload["rank"] not in self.online:
            self.journal.record_ranks("online", [request.payload["rank"]])
        self.online.add(request.payload["rank"])
        self.torpid.discard(request.payload["rank"])
        request.respond()
        self.changed()

    def leave(self, request: Request) -> None:
        """Removes ranks. A torpid rank stays, but gets no new jobs."""
        ranks = set(request.payload["ranks"])
        if request.payload["torpid"]:
            self.torpid |= ranks
        else:
            self.journal.record_ranks("offline", ranks & self.online)
            self.online -= ranks
            self.torpid -= ranks
            if self.shrinks:
                self.inventory.remove(ranks)
        request.respond()
        self.changed()

    def changed(self) -> None:
        self.inventory.up = self.online - self.torpid
        self.on_change(self.online)
        self.jobs.schedule()

    def found(self, request: Request) -> None:
        known = self.inventory.known
        self.inventory.add_found(request.payload["rank"], request.payload["cores"])
        if self.inventory.known and not known:
            self.record("resource-define", {"method": "dynamic-discovery"})
        request.respond()
        self.jobs.schedule()

    def drain(self, request: Request) -> None:
        payload = request.payload
        ranks = self.inventory.ranks_of(payload["targets"])
        excluded = [rank for rank in ranks if rank in self.inventory.excluded]
        if excluded:
            raise RpcError(errno.EINVAL, f"drain idset contains excluded ranks: {encode_idset(excluded)}")
        self.inventory.drain(ranks, payload["reason"], payload["mode"])
        hosts = encode_hostlist(self.inventory.hosts[rank] for rank in ranks)
        overwrite = int(payload["mode"].endswith("overwrite"))
        reason = {"reason": payload["reason"]} if payload["reason"] else {}
        self.record("drain", {"idset": encode_idset(ranks), "nodelist": hosts, **reason, "overwrite": overwrite})
        self.logs.write(
            "resource",
            log.INFO,
            f"drain idset={encode_idset(ranks)} nodelist={hosts} overwrite={overwrite} reason={payload['reason']}",
        )
        request.respond()

    def undrain(self, request: Request) -> None:
        ranks = self.inventory.ranks_of(request.payload["targets"])
        self.inventory.undrain(ranks, request.payload["mode"])
        hosts = encode_hostlist(self.inventory.hosts[rank] for rank in ranks)
        self.record("undrain", {"idset": encode_idset(ranks), "nodelist": hosts, "overwrite": 0})
        self.logs.write(
            "resource", log.INFO, f"undrain idset={encode_idset(ranks)} nodelist={hosts} overwrite=0 reason="
        )
        request.respond()
        self.jobs.schedule()

    def shutdown(self, request: Request) -> None:
        self.on_shutdown()
        if request.payload.get("background"):
            request.respond({"end": True})
            return
        level = request.payload.get("level", log.ERR)
        self.shutdown_request = request
        self.logs.followers.append(
            lambda entry: request.respond({"log": plain(entry)}, more=True) if entry["level"] <= level else None
        )

    def clean_up(self, done: Callable[[], None]) -> None:
        """Runs the clean-up steps of flux-core's rc1: stops the queue, cancels running jobs, waits for their ends."""
        steps = [
            "flux queue stop --quiet --all --nocheckpoint",
            "flux resource acquire-mute",
            "flux cancel --user=all --quiet --states RUN",
            "flux queue idle --quiet",
        ]
        started = time.monotonic()
        self.jobs.queue.is_started = False

        def cancel() -> None:
            for job in self.jobs.running():
                self.jobs.raise_exception(job, "cancel", 0, "")
            self.parts.switch.ask(0, "job-manager.idle", {"all": False}, idle)

        def idle(*_: object) -> None:
            for number, step in enumerate(steps):
                elapsed = time.monotonic() - started if number == 3 else 0.0
                self.logs.write("broker", log.INFO, f"cleanup.{number}: {step} Exited (rc=0) {elapsed:.1f}s")
            done()

        if self.jobs.running():
            self.parts.reactor.after(CANCEL_DELAY, cancel)
        else:
            cancel()
