"""Runs the RESTful server in uvicorn, with limits for its clients: restful-server.py APP OPTIONS. The options are those
of uvicorn, with two more.

--packages   folder of an installed server, for this process only
--path       PYTHONPATH of jobs. `flux python` changes the variable for this process, and the server passes it on"""

import argparse
import os
import resource
import sys

# So that connections before their TLS handshake can't use up memory, either.
OPEN_FILES = 1024


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(allow_abbrev=False)
    parser.add_argument("app")
    parser.add_argument("--packages", default="")
    parser.add_argument("--path")
    parser.add_argument("--host")
    for name in ("--port", "--workers", "--timeout-graceful-shutdown"):
        parser.add_argument(name, type=int)
    for name in ("--ssl-certfile", "--ssl-keyfile"):
        parser.add_argument(name)
    return parser.parse_args()


def find_modules(packages: str) -> None:
    """Processes of further workers get this path too. The scripts come last, so that they hide no module."""
    own = os.path.dirname(os.path.abspath(__file__))
    paths = [path for path in sys.path if path != own]
    sys.path[:] = [*([packages] if packages else []), *paths, own]


def restore(path: "str | None") -> None:
    if path is None:
        os.environ.pop("PYTHONPATH", None)
    else:
        os.environ["PYTHONPATH"] = path


def limit_files() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY or soft > OPEN_FILES:
        resource.setrlimit(resource.RLIMIT_NOFILE, (OPEN_FILES, hard))


def main() -> None:
    options = vars(arguments())
    os.environ["UVICORN_APP"] = options.pop("app")
    find_modules(options.pop("packages"))
    restore(options.pop("path"))
    limit_files()
    import restful_limits
    import uvicorn

    uvicorn.run(
        "restful_limits:app",
        factory=True,
        http=restful_limits.Connection,
        limit_concurrency=restful_limits.REQUESTS,
        ws="none",
        **{name: value for name, value in options.items() if value is not None},
    )


if __name__ == "__main__":
    main()
