"""`flux-restful init`. Checked: flux_restful/{cli.py,db/init_db.py}. uvicorn starts the server."""

import json
import os
import sys

from flux_restful.version import __version__

DATABASE = "flux-restful.db"


def init() -> None:
    user, token = os.environ.get("FLUX_USER") or "fluxuser", os.environ.get("FLUX_TOKEN")
    if not token:
        sys.exit("Please export FLUX_USER and FLUX_TOKEN to create the superuser.")
    with open(DATABASE, "w", encoding="utf-8") as file:
        json.dump({user: token}, file)


def main(argv: list[str]) -> None:
    if argv == ["--version"]:
        print(f"flux-restful {__version__} (stand-in, not flux-restful)")
    elif argv == ["init"]:
        init()
    else:
        sys.exit(f"flux-restful: stand-in: {' '.join(argv) or 'help'} is not implemented here")


if __name__ == "__main__":
    main(sys.argv[1:])
