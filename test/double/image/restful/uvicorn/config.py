"""What connections share. Checked: uvicorn/{config,server}.py."""

import ssl
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Config:
    app: Any
    limit_concurrency: "int | None"
    ssl_certfile: "str | None" = None
    ssl_keyfile: "str | None" = None
    ssl: "ssl.SSLContext | None" = None


@dataclass
class ServerState:
    connections: set = field(default_factory=set)
    tasks: set = field(default_factory=set)
