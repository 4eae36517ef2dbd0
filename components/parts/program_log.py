"""The log of a program that runs beside the lead's broker."""

import sys
import typing


class Log:
    """Writes lines with the program's name."""

    def __init__(self, program: str):
        self.program = program
        self.problems: typing.Dict[str, typing.Optional[str]] = {}

    def say(self, text: str):
        print(f"minicluster: {self.program}: {text}", file=sys.stderr, flush=True)

    def note(self, subject: str, problem: "str | None"):
        """Says a subject's problem once, and its end."""
        before = self.problems.get(subject)
        self.problems[subject] = problem
        if problem is not None and problem != before:
            self.say(problem)
        elif problem is None and before is not None:
            self.say("works again")
