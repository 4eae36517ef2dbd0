"""The journal of the resources' events, of this broker's time only. Checked: src/modules/resource/{reslog,monitor}.c.

A client gets the past events. New ones, which a real Flux would send too, no client of ours waits for."""

import time
from collections.abc import Iterable

from .idset import encode_idset
from .inventory import Inventory
from .resources import encode_resources
from .rpc import Request, Switch


class ResourceJournal:
    """When ranks joined, left and were drained."""

    def __init__(self, switch: Switch, inventory: Inventory, size: int):
        self.inventory = inventory
        self.events: list[dict] = []
        self.record("restart", {"ranks": encode_idset(range(size)), "online": "", "nodelist": ""})
        switch.add("resource.journal", self.serve)

    def record(self, name: str, context: dict) -> dict:
        event = {"timestamp": time.time(), "name": name, "context": context}
        self.events.append(event)
        return event

    def record_ranks(self, name: str, ranks: Iterable[int]) -> None:
        found = sorted(ranks)
        if found:
            self.record(name, {"idset": encode_idset(found)})

    def serve(self, request: Request) -> None:
        for event in self.events:
            answer: dict = {"events": [event]}
            if event["name"] == "resource-define":
                answer["R"] = encode_resources(list(self.inventory.nodes.values()))
            request.respond(answer, more=True)
        request.respond({"events": []}, more=True)
