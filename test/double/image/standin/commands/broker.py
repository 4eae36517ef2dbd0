"""`flux broker`"""

from standin.broker import run_broker


def main(_name: str, args: list[str]) -> int:
    return run_broker(args, "broker")
