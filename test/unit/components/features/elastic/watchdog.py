"""Runs elastic.py beside a Flux or an API server that never answers: watchdog.py CASE."""

# pyright: basic, reportMissingImports=false, reportAttributeAccessIssue=false, reportArgumentType=false

import http.client
import os
import socket
import ssl
import sys
import tempfile
import time
import types

sys.path.insert(0, "components/features/elastic")
sys.path.insert(0, "components/parts")
sys.path.insert(0, "provider/contract")

import elastic
import watchdog
from elastic_flux import Flux
from elastic_job import Job

watchdog.SECONDS = 1.5
here, there = socket.socketpair()


class Silent:
    """Waits for one byte without a timeout, as Flux' library does after it has connected, or http.client for a line."""

    def __init__(self, *_words, **_more):
        here.recv(1)


class Slow:
    """Answers each request, but all of them together take longer than the watchdog waits for one."""

    def rpc(self, _topic, _payload):
        return types.SimpleNamespace(wait_for=lambda _seconds: time.sleep(0.2), get=dict)


def job():
    folder = tempfile.mkdtemp()
    for name in ("uid", "namespace", "token"):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write("a")
    return Job(folder, "mc")


def opens_no_connection():
    sys.modules["flux"] = types.SimpleNamespace(Flux=Silent)
    sizer = types.SimpleNamespace(turn=lambda _now: Flux().queues())
    elastic.run(sizer)


def gets_no_answer_of_kubernetes():
    http.client.HTTPSConnection = Silent
    ssl.create_default_context = lambda **_more: types.SimpleNamespace(verify_flags=0)
    os.environ.update(KUBERNETES_SERVICE_HOST="127.0.0.1", KUBERNETES_SERVICE_PORT="6443")
    sizer = types.SimpleNamespace(turn=lambda _now: job().read())
    elastic.run(sizer)


def gets_many_answers():
    sys.modules["flux"] = types.SimpleNamespace(Flux=Slow)
    print(len(Flux().ask(*[("topic", {})] * 12)))


globals()[sys.argv[1]]()
