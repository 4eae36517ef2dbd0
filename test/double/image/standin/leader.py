"""Services that only rank 0 has: who is online, resources, jobs, shutdown."""

import errno
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from . import archive, log
from .errors import RpcError
from .hostlist import decode_hostlist, encode_hostlist
from .idset import encode_idset
from .inventory import Drained, Inventory, parse_exclude
from .jobs import JobManager
from .log import plain
from .resources import configured_resources
from .rpc import Request

if TYPE_CHECKING:
    from .broker import Broker

# Flux starts a Python program for each step, and jobs are cancelled by the third.
CANCEL_DELAY = 1.0


class Leader:
    """Rank 0's knowledge of the instance."""

    def __init__(self, broker: "Broker"):
        self.broker = broker
        self.online: set[int] = set()
        self.torpid: set[int] = set()
        self.events: list[dict] = []
        self.inventory = Inventory(broker.boot.names)
        nodes = configured_resources(broker.config, broker.boot.names)
        self.shrinks = nodes is None
        if nodes is not None:
            self.inventory.set_nodes(nodes)
        parse_exclude(self.inventory, broker.config)
        self.jobs = JobManager(self.inventory, broker.switch, broker.reactor, broker.logs, broker.config)
        self.checkpoint = archive.Checkpoint(broker.attributes, self, broker.config, broker.logs)
        self.snapshots = archive.Snapshots(self)
        restored = archive.restore(broker.attributes, self)
        if restored:
            broker.logs.write("broker", log.INFO, f"rc1.0: restoring content from {restored}")
        else:
            self.checkpoint.restore()
        if self.checkpoint.period > 0:
            broker.reactor.every(self.checkpoint.period, self.checkpoint.save)
        switch = broker.switch
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
        """One line of resource.eventlog."""
        self.events.append({"timestamp": time.time(), "name": name, "context": context})

    def replay(self, events: list[dict]) -> None:
        """What an earlier broker knew of drained ranks, found again by their hosts."""
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
        self.online.add(request.payload["rank"])
        self.torpid.discard(request.payload["rank"])
        request.respond()
        self.changed()

    def leave(self, request: Request) -> None:
        """Ranks that are gone; torpid ones are still there, but take no new jobs."""
        ranks = set(request.payload["ranks"])
        if request.payload["torpid"]:
            self.torpid |= ranks
        else:
            self.online -= ranks
            self.torpid -= ranks
            if self.shrinks:
                self.inventory.remove(ranks)
        request.respond()
        self.changed()

    def changed(self) -> None:
        self.inventory.up = self.online - self.torpid
        self.broker.online_changed(self.online)
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
        self.broker.logs.write(
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
        self.broker.logs.write(
            "resource", log.INFO, f"undrain idset={encode_idset(ranks)} nodelist={hosts} overwrite=0 reason="
        )
        request.respond()
        self.jobs.schedule()

    def shutdown(self, request: Request) -> None:
        self.broker.request_shutdown()
        if request.payload.get("background"):
            request.respond({"end": True})
            return
        level = request.payload.get("level", log.ERR)
        self.broker.shutdown_request = request
        self.broker.logs.followers.append(
            lambda entry: request.respond({"log": plain(entry)}, more=True) if entry["level"] <= level else None
        )

    def clean_up(self, done: Callable[[], None]) -> None:
        """What rc1 of flux-core asks for at the end: stop the queue, cancel what runs, wait for it."""
        steps = [
            "flux queue stop --quiet --all --nocheckpoint",
            "flux resource acquire-mute",
            "flux cancel --user=all --quiet --states RUN",
            "flux queue idle --quiet",
        ]
        started = time.monotonic()
        self.jobs.scheduling = False

        def cancel() -> None:
            for job in self.jobs.running():
                self.jobs.raise_exception(job, "cancel", 0, "")
            self.broker.switch.ask(0, "job-manager.idle", {"all": False}, idle)

        def idle(*_: object) -> None:
            for number, step in enumerate(steps):
                elapsed = time.monotonic() - started if number == 3 else 0.0
                self.broker.logs.write("broker", log.INFO, f"cleanup.{number}: {step} Exited (rc=0) {elapsed:.1f}s")
            done()

        if self.jobs.running():
            self.broker.reactor.after(CANCEL_DELAY, cancel)
        else:
            cancel()
