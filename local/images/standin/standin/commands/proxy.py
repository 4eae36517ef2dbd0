"""`flux proxy URI CMD`: run a command in another instance. Checked: src/cmd/builtin/proxy.c."""
import os
import sys

from standin.client import Client
from standin.errors import Refusal
from standin.options import Options

OPTIONS = Options("flux proxy", "[OPTIONS] URI [COMMAND...]", "f/force", "n/nohup reconnect")


def main(_name: str, args: list[str]) -> int:
    parsed = OPTIONS.parse(args)
    if not parsed.rest:
        OPTIONS.print_usage(sys.stderr)
        return 1
    uri, *command = parsed.rest
    if uri.startswith("/"):
        uri = f"local://{uri}"
    try:
        Client("flux-proxy", uri).call("attr.get", {"name": "version"})
    except Refusal as refusal:
        raise Refusal(f"flux-proxy: {uri}: {refusal.message.removeprefix('flux-proxy: ')}", refusal.code) from None
    os.environ["FLUX_URI"] = uri
    command = command or [os.environ.get("SHELL", "/bin/sh")]
    sys.stdout.flush()
    try:
        os.execvp(command[0], command)
    except OSError as error:
        raise Refusal(f"flux-proxy: {command[0]}: {error.strerror}", 127) from None
