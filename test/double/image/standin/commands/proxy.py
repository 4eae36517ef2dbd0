"""`flux proxy URI CMD`: run a command in another instance. Checked: src/cmd/builtin/proxy.c.

The words of the command are joined with blanks and given to the shell, as flux-core does.
"""

import os
import sys

from standin.client import Client, ConnectError
from standin.errors import Refusal
from standin.options import Options

OPTIONS = Options("flux proxy", "[OPTIONS] URI [COMMAND...]", "f/force", "n/nohup reconnect")


def main(_name: str, args: list[str]) -> int:
    parsed = OPTIONS.parse(args)
    if not parsed.rest:
        print("flux proxy: URI argument is required", file=sys.stderr)
        OPTIONS.print_usage(sys.stderr)
        return 1
    uri, *command = parsed.rest
    if "://" not in uri:
        raise Refusal(f"flux-proxy: Unable to resolve {uri} to a URI")
    try:
        Client(uri)
    except ConnectError as error:
        raise Refusal(f"flux-proxy: {uri}: {error.text}") from None
    os.environ["FLUX_URI"] = uri
    shell = os.environ.get("SHELL", "/bin/sh")
    try:
        os.execvp(shell, [shell, "-c", " ".join(command)] if command else [shell])
    except OSError as error:
        raise Refusal(f"flux-proxy: {shell}: {error.strerror}", 127) from None
