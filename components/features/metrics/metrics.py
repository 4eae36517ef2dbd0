"""The metrics server of the lead. metrics.sh starts it, and starts it again. It runs beside the broker, so it also
answers while the broker doesn't run."""

import asyncio
import concurrent.futures
import json
import os
import sys
import time
import typing

from metrics_flux import Flux, Found
from metrics_pod import Pod
from metrics_server import Server, listen
from metrics_text import OPEN_METRICS, TEXT, Histogram, render

# How long a scrape waits for the broker: Prometheus waits for 10 s by default.
PATIENCE_SECONDS = 4
# After this time without an answer, the broker counts as down.
STALE_SECONDS = 15
BIND_SECONDS = 5
# Jobs come first, but a scrape must not wait long beside them.
NICENESS = 10


def say(text: str):
    print("minicluster: metrics: " + text, file=sys.stderr, flush=True)


class Collector:
    """Asks the broker only for a scrape, never twice at a time, and not again before a pause."""

    def __init__(self, flux: Flux, pod: Pod, most: int):
        self.flux, self.pod, self.most = flux, pod, most
        # One thread: RPCs of one connection can't overlap, and a broker that hangs must not collect threads.
        self.thread = concurrent.futures.ThreadPoolExecutor(max_workers=1)
        self.running: typing.Optional[asyncio.Task] = None
        self.found: typing.Optional[Found] = None
        self.asked_at = self.found_at = -float("inf")
        self.timestamp: typing.Optional[float] = None
        self.seconds: typing.Optional[float] = None
        self.failures = 0
        self.version = ""
        self.problem: typing.Optional[str] = None
        self.waits = Histogram()

    async def look(self):
        """Waits for an answer of the broker if it is due, but not longer than a scrape may take."""
        now = time.monotonic()
        if self.running is None and now - self.asked_at >= self.flux.pause:
            self.asked_at = now
            self.running = asyncio.ensure_future(self.collect())
        if self.running is not None:
            await asyncio.wait([self.running], timeout=PATIENCE_SECONDS)

    async def collect(self):
        started = time.monotonic()
        try:
            found = await asyncio.get_event_loop().run_in_executor(self.thread, self.flux.read)
        except Exception as error:
            # An answer that can't be used is none.
            self.found = None
            self.failures += 1
            self.note(error)
        else:
            self.note(None)
            self.found, self.found_at, self.timestamp = found, time.monotonic(), time.time()
            self.seconds, self.version = self.found_at - started, found.version
            for wait in found.waits:
                self.waits.add(wait)
        finally:
            self.running = None

    def note(self, error: "Exception | None"):
        """Logs an answer that can't be used, once. A broker that doesn't run has its own lines in the log."""
        problem = None if error is None or isinstance(error, OSError) else repr(error)
        if problem is not None and problem != self.problem:
            say(f"Flux' answer can't be used: {problem}")
        self.problem = problem

    def values(self) -> "typing.Dict[str, typing.Any]":
        is_fresh = self.found is not None and time.monotonic() - self.found_at < STALE_SECONDS + self.flux.pause
        down = {"flux_ranks": {"up": 0, "drained": 0, "down": self.most}}
        mode = self.pod.settings["mode"]
        return {
            "flux_up": int(is_fresh),
            **(self.found.values if self.found is not None and is_fresh else down),
            "flux_job_wait_seconds": self.waits,
            "minicluster_info": {"mode": mode, "flux_version": self.version},
            **self.pod.read(),
            "minicluster_metrics_collected_timestamp_seconds": self.timestamp,
            "minicluster_metrics_collection_seconds": self.seconds,
            "minicluster_metrics_collection_failures": self.failures,
            "process_cpu_seconds": time.process_time(),
        }


def open_port(port: int):
    """Waits for a port that another program has: on the node's network, it may be that of a cluster which ends."""
    is_told = False
    while True:
        try:
            return listen(port)
        except OSError as error:
            if not is_told:
                say(f"port {port} can't be opened: {error.strerror}; free it, or give metrics.port another port")
            is_told = True
            time.sleep(BIND_SECONDS)


def main():
    os.nice(NICENESS)
    settings = json.loads(os.environ["MINICLUSTER_METRICS"])
    flux = Flux(f"{os.environ['MINICLUSTER_RUN']}/broker/local")
    collector = Collector(flux, Pod(os.environ["MINICLUSTER_RUN"], settings), settings["most"])
    common = {"minicluster": settings["cluster"]}

    async def answer(accept: str):
        await collector.look()
        is_open = "application/openmetrics-text" in accept
        return OPEN_METRICS if is_open else TEXT, render(collector.values(), common, is_open)

    listener = open_port(settings["port"])
    asyncio.new_event_loop().run_until_complete(Server(answer).run(listener))


if __name__ == "__main__":
    main()
