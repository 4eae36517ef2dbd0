"""Ends this program if it hangs. Kubernetes then starts its container again."""

import faulthandler

# Longer than any single request, and than the steps between two requests.
SECONDS = 120


def alive():
    """Each request calls this. The watchdog is a thread of Python itself, which needs no other thread and no signal: a
    broker that is stopped keeps a new connection waiting within Flux' library, without a timeout."""
    faulthandler.dump_traceback_later(SECONDS, exit=True)
