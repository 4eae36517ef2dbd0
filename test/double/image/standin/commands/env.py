"""`flux env`: print the environment, or run a command in it. Checked: src/cmd/builtin/env.c."""

import os

from standin.errors import Refusal


def main(_name: str, args: list[str]) -> int:
    if not args:
        for name, value in os.environ.items():
            print(f"{name}={value}")
        return 0
    try:
        os.execvp(args[0], args)
    except OSError as error:
        raise Refusal(f"flux-env: execvp ({args[0]}): {error.strerror}") from None
