"""`flux module stats job-manager`: how many jobs are active and inactive. The other modules have no statistics here.

Checked: src/cmd/flux-module.c (cmd_stats), src/modules/job-manager/job-manager.c (stats_cb).
"""

import json
import sys

from standin.client import connect
from standin.errors import Refusal
from standin.options import NOT_IMPLEMENTED, Options

STATS = Options("flux-module stats", "[OPTIONS] module", "p/parse=", "s/scale= t/type= R/rusage? c/clear C/clear-all")


def main(_name: str, args: list[str]) -> int:
    if args[:1] != ["stats"]:
        raise Refusal("flux-module: stand-in: it has only `flux module stats`", NOT_IMPLEMENTED)
    parsed = STATS.parse(args[1:])
    if len(parsed.rest) != 1:
        STATS.print_usage(sys.stderr)
        return 1
    if parsed.rest != ["job-manager"]:
        raise Refusal("flux-module: stand-in: it has only the statistics of job-manager", NOT_IMPLEMENTED)
    stats = connect("flux-module: flux_open").call("job-manager.stats-get", {}, 0)
    name = parsed.get("parse")
    if name is None:
        print(json.dumps(stats, indent=1))
    elif name in stats:
        print(stats[name])
    else:
        raise Refusal(f"flux-module: `{name}' not found in response")
    return 0
