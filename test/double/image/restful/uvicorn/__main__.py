"""`python3 -m uvicorn MODULE:APP`. Checked: uvicorn/main.py 0.54, for the options below. It refuses all others."""

import argparse
import importlib
import socket
import ssl
import sys
from http.server import ThreadingHTTPServer


class Server(ThreadingHTTPServer):
    """Serves one address family, as uvicorn does."""

    def __init__(self, host: str, port: int, app: type):
        self.address_family = socket.AF_INET6 if ":" in host else socket.AF_INET
        super().__init__((host, port), app)

    def server_bind(self) -> None:
        if self.address_family == socket.AF_INET6:
            self.socket.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        super().server_bind()


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="uvicorn", description="stand-in for uvicorn (not uvicorn)", allow_abbrev=False
    )
    parser.add_argument("app")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=8000)
    parser.add_argument("--workers", type=int, default=1, help="one serves for all here")
    parser.add_argument("--timeout-graceful-shutdown", type=int)
    parser.add_argument("--ssl-certfile")
    parser.add_argument("--ssl-keyfile")
    return parser.parse_args()


def main() -> None:
    options = parse()
    module, name = options.app.split(":")
    app = getattr(importlib.import_module(module), name)
    try:
        server = Server(options.host, options.port, app)
    except OSError as error:
        where = f"({options.host!r}, {options.port})"
        print(
            f"ERROR:    [Errno {error.errno}] error while attempting to bind on address {where}: {error.strerror}",
            file=sys.stderr,
        )
        sys.exit(1)
    if options.ssl_certfile:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(options.ssl_certfile, options.ssl_keyfile)
        server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    scheme = "https" if options.ssl_certfile else "http"
    print(f"INFO:     stand-in for uvicorn running on {scheme}://{options.host}:{options.port}", file=sys.stderr)
    server.serve_forever()


main()
