"""`flux help`"""

from standin.cli import print_help


def main(_name: str, _args: list[str]) -> int:
    print_help()
    return 0
