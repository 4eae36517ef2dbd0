"""What connections share. Checked: uvicorn/{config,server}.py."""

from dataclasses import dataclass, field
from typing import Any


@dataclass
class Config:
    app: Any
    limit_concurrency: "int | None"


@dataclass
class ServerState:
    connections: set = field(default_factory=set)
    tasks: set = field(default_factory=set)
