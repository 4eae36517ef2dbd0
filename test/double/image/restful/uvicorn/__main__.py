"""`python3 -m uvicorn MODULE:APP`, with which earlier releases start the server. Checked: uvicorn/main.py 0.54, for the
options below. It refuses all others."""

import argparse

from uvicorn import run


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="uvicorn", description="stand-in for uvicorn (not uvicorn)", allow_abbrev=False
    )
    parser.add_argument("app")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=8000)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--timeout-graceful-shutdown", type=int)
    parser.add_argument("--ssl-certfile")
    parser.add_argument("--ssl-keyfile")
    run(**vars(parser.parse_args()))


if __name__ == "__main__":
    main()
