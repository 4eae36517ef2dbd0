"""Command line options: those of flux-core, and which of them the stand-in implements.

A table is written as words `KEY/name` or `name`, followed by `=` (takes an argument) or `?` (takes an optional one).
`real` lists the options of flux-core that the stand-in doesn't implement.
"""

import sys
from dataclasses import dataclass, field
from typing import TextIO

from .errors import Refusal
from .version import WHAT_THIS_IS

NOT_IMPLEMENTED = 2


@dataclass(frozen=True)
class Option:
    """One option of flux-core."""

    name: str
    key: str
    argument: str
    implemented: bool


@dataclass
class Parsed:
    """Options in the order given, and the free arguments."""

    given: list[tuple[str, str | None]] = field(default_factory=list)
    rest: list[str] = field(default_factory=list)

    def has(self, name: str) -> bool:
        return any(given == name for given, _ in self.given)

    def get(self, name: str, default: str | None = None) -> str | None:
        """The last value of an option."""
        values = self.all(name)
        return values[-1] if values else default

    def all(self, name: str) -> list[str]:
        return [value or "" for given, value in self.given if given == name]


def read_words(words: str, implemented: bool) -> list[Option]:
    options = []
    for word in words.split():
        argument = word[-1] if word[-1] in "=?" else ""
        bare = word[: len(word) - len(argument)]
        key, slash, name = bare.rpartition("/")
        letter = key if slash else bare if len(bare) == 1 else ""
        options.append(Option(name, letter, argument, implemented))
    return options


class Options:
    """The options of one command.

    `style` is "optparse" for flux-core's C commands, which accept unambiguous prefixes and exit with 1 after an error.
    It is "argparse" for the Python commands, which accept only exact names and exit with 2.
    """

    def __init__(
        self, program: str, usage: str, done: str = "", real: str = "", style: str = "optparse", mixed: bool = False
    ):
        self.program = program
        self.usage = usage
        self.options = read_words("h/help " + done, True) + read_words(real, False)
        self.style = style
        self.mixed = mixed

    def print_usage(self, file: TextIO | None = None) -> None:
        out = file or sys.stdout
        title = "usage" if self.style == "argparse" else "Usage"
        print(f"{title}: {self.program} {self.usage}", file=out)
        if file is None:
            print(f"({WHAT_THIS_IS}; options it implements:)")
            for option in self.options:
                if option.implemented:
                    key = f"-{option.key}, " if option.key else "    "
                    dashes = "--" if len(option.name) > 1 else "-"
                    print(f"  {key}{dashes}{option.name}{'=ARG' if option.argument else ''}")

    def fail(self, text: str) -> Refusal:
        if self.style == "argparse":
            self.print_usage(sys.stderr)
            return Refusal(f"{self.program}: error: {text}", 2)
        return Refusal(f"{self.program}: {text}\nTry `{self.program} --help' for more information.", 1)

    def lookup_long(self, name: str) -> Option | None:
        exact = [o for o in self.options if o.name == name and len(name) > 1]
        if exact or self.style == "argparse":
            return exact[0] if exact else None
        starts = [o for o in self.options if o.name.startswith(name)]
        return starts[0] if len(starts) == 1 else None

    def unknown(self, shown: str) -> Refusal:
        if self.style == "argparse":
            return self.fail(f"unrecognized arguments: {shown}")
        return self.fail(f"unrecognized option '{shown}'")

    def record(self, parsed: Parsed, option: Option, shown: str, value: str | None) -> None:
        if option.name == "help":
            self.print_usage()
            raise SystemExit(0)
        if not option.implemented:
            raise Refusal(
                f"{self.program}: stand-in: option {shown} exists in flux-core but is not implemented here",
                NOT_IMPLEMENTED,
            )
        parsed.given.append((option.name, value))

    def parse(self, args: list[str]) -> Parsed:
        """Parses the arguments. Options come before the first free argument, or, if `mixed`, anywhere."""
        parsed = Parsed()
        queue = list(args)
        while queue:
            word = queue.pop(0)
            if word == "--":
                parsed.rest += queue
                break
            if word.startswith("--"):
                self.parse_long(parsed, word, queue)
            elif word.startswith("-") and len(word) > 1:
                self.parse_short(parsed, word, queue)
            elif self.mixed:
                parsed.rest.append(word)
            else:
                parsed.rest += [word, *queue]
                break
        return parsed

    def parse_long(self, parsed: Parsed, word: str, queue: list[str]) -> None:
        name, equals, value = word[2:].partition("=")
        option = self.lookup_long(name)
        if not option:
            raise self.unknown(word if self.style == "argparse" else f"--{name}")
        if equals and not option.argument:
            raise self.fail(f"option '--{name}' doesn't allow an argument")
        if option.argument == "=" and not equals:
            if not queue:
                raise self.missing(option, f"--{name}")
            value = queue.pop(0)
        self.record(parsed, option, f"--{option.name}", value if equals or option.argument == "=" else None)

    def missing(self, option: Option, shown: str) -> Refusal:
        if self.style == "argparse":
            return self.fail(f"argument -{option.key}/--{option.name}: expected one argument")
        return self.fail(f"option '{shown}' requires an argument")

    def parse_short(self, parsed: Parsed, word: str, queue: list[str]) -> None:
        letters = word[1:]
        while letters:
            letter, letters = letters[0], letters[1:]
            option = next((o for o in self.options if o.key == letter), None)
            if not option:
                raise self.unknown(word if self.style == "argparse" else f"-{letter}")
            if option.argument == "=":
                if not letters and not queue:
                    raise self.missing(option, f"-{letter}")
                value = letters.removeprefix("=") if letters else queue.pop(0)
                self.record(parsed, option, f"-{letter}", value)
                return
            if option.argument == "?" and letters:
                self.record(parsed, option, f"-{letter}", letters)
                return
            self.record(parsed, option, f"-{letter}", None)
