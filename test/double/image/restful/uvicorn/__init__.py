"""A stand-in for uvicorn (not uvicorn), for the stand-in for flux-restful. Checked: uvicorn/{main,server,config}.py
0.54, for the options below. `run` refuses all others; `__main__` is the command."""

import asyncio
import importlib
import socket
import ssl
import sys
from typing import Any

from uvicorn.config import Config, ServerState


def run(
    app: str,
    *,
    host: str = "127.0.0.1",
    port: int = 8000,
    workers: int = 1,
    http: Any = None,
    ws: str = "auto",
    factory: bool = False,
    limit_concurrency: "int | None" = None,
    timeout_graceful_shutdown: "int | None" = None,
    ssl_certfile: "str | None" = None,
    ssl_keyfile: "str | None" = None,
) -> None:
    """One process serves for all workers here."""
    module, name = app.split(":")
    found = getattr(importlib.import_module(module), name)
    config = Config(found() if factory else found, limit_concurrency, ssl_certfile, ssl_keyfile)
    if http is None:
        http = importlib.import_module("uvicorn.protocols.http.auto").AutoHTTPProtocol
    if ssl_certfile is not None:
        config.ssl = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        config.ssl.load_cert_chain(ssl_certfile, ssl_keyfile)
    try:
        listening = listen(host, port)
    except OSError as error:
        where = f"({host!r}, {port})"
        print(
            f"ERROR:    [Errno {error.errno}] error while attempting to bind on address {where}: {error.strerror}",
            file=sys.stderr,
        )
        sys.exit(1)
    scheme = "https" if config.ssl else "http"
    print(f"INFO:     stand-in for uvicorn running on {scheme}://{host}:{port}", file=sys.stderr, flush=True)
    asyncio.run(serve(config, http, listening))


def listen(host: str, port: int) -> socket.socket:
    """Serves one address family, as uvicorn does."""
    listening = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if listening.family == socket.AF_INET6:
        listening.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
    listening.bind((host, port))
    return listening


async def serve(config: Config, http: Any, listening: socket.socket) -> None:
    state = ServerState()
    loop = asyncio.get_running_loop()
    server = await loop.create_server(
        lambda: http(config=config, server_state=state, app_state={}), sock=listening, ssl=config.ssl, backlog=2048
    )
    await server.serve_forever()
