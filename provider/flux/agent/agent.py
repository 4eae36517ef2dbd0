"""The agent: the one program in the lead's pod that a process runs for its FluxJobs on a cluster. It submits, watches,
reads and removes jobs, and ends with its connection. Its word is the text of job.sh.
"""

import os
import signal
import sys
import types
import typing


def environment() -> "dict[bytes, bytes]":
    """The environment of the call, without the changes of `flux python`."""
    with os.fdopen(8, "rb") as file:
        pairs = [entry.partition(b"=") for entry in file.read().split(b"\0")]
    return {name: value for name, separator, value in pairs if separator}


def load(modules: "dict[str, str]"):
    """Loads texts as modules, which are in no file of the pod."""
    for name, text in modules.items():
        module = sys.modules[name] = types.ModuleType(name)
        exec(compile(text, name, "exec"), module.__dict__)


def main(script: str, modules: "dict[str, str]"):
    load({"protocol": modules.pop("protocol")})
    from protocol import BUSY, NO_BROKER, SILENCE_SECONDS, WITHOUT_BINDINGS

    signal.alarm(SILENCE_SECONDS)
    os.umask(0o077)
    folder = os.path.join(os.environ["MINICLUSTER_RUN"], "jobs")
    os.makedirs(folder, exist_ok=True)
    variables = environment()
    load({"places": modules.pop("places")})
    from places import MOST_SUBMISSIONS, SUBMISSION_SHARE, Places, share

    places = Places(folder)
    if not places.enter():
        sys.stderr.write(places.full() + "\n")
        sys.exit(BUSY)
    try:
        load(modules)
        import flux
        from connection import Busy, Connection, Request, guarded, started_pool
        from jobs import Jobs
        from outputs import Readers
        from submission import Submitter
    except ModuleNotFoundError as error:
        # Other errors of an import may pass: the lead may have no memory for a library.
        sys.stderr.write(f"the image's Flux has no Python bindings, which FluxJob needs ({error})\n")
        sys.exit(WITHOUT_BINDINGS)
    try:
        handle = flux.Flux()
    except OSError:
        sys.stderr.write("the lead's broker does not answer\n")
        sys.exit(NO_BROKER)
    connection = Connection(handle)
    jobs = Jobs(connection, folder)
    submissions = share(MOST_SUBMISSIONS, SUBMISSION_SHARE)
    submitter = Submitter(jobs, script, variables, submissions)
    code = NO_BROKER
    try:
        pool, readers = started_pool(submissions), Readers(jobs)

        def in_thread(call: "typing.Callable[[Request], object]"):
            return lambda request: pool.submit(guarded(request.answer)(call), request)

        def lasting(call: "typing.Callable[[Request], object]"):
            def begin(request: Request):
                is_look = request.words[0] == "watch" and request.words[-1] == "0"
                if not is_look and not places.stay():
                    raise Busy(places.full())
                call(request)

            return begin

        calls: dict[str, typing.Callable[[Request], object]] = {
            "watch": lasting(jobs.watch),
            "remove": jobs.remove,
            "output": readers.output,
            "follow": lasting(readers.follow),
            "show": readers.follow,
            "watch_output": lasting(readers.watch_output),
            "submit": in_thread(submitter.submit),
            "sweep": in_thread(submitter.sweep),
        }
        connection.run(lambda request: calls[request.words[0]](request))
    except OSError as error:
        sys.stderr.write(f"the lead's broker does not answer: {error}\n")
    except RuntimeError as error:
        code = BUSY
        sys.stderr.write(f"the lead has no place for the threads of a program of minicluster ({error})\n")
    sys.stderr.flush()
    os._exit(code)


# In front of this text.
main(sys.argv[1], MODULES)  # noqa: F821  # pyright: ignore[reportUndefinedVariable]
