"""The parts of a broker that its services and rank 0's Leader work with."""

from dataclasses import dataclass

from .attributes import Attributes
from .bootstrap import Bootstrap
from .log import Log
from .overlay import Overlay
from .reactor import Reactor
from .rpc import Switch
from .state import StateMachine


@dataclass(frozen=True)
class Parts:
    """Complete once the broker has its overlay. `started` is the wall clock time at the broker's start."""

    attributes: Attributes
    config: dict
    boot: Bootstrap
    reactor: Reactor
    logs: Log
    state: StateMachine
    overlay: Overlay
    switch: Switch
    started: float
