"""Reads and patches the Job of this cluster with the token of its service account, and nothing else."""

import http.client
import json
import os
import ssl
import time

from elastic_watchdog import alive

ANSWER_SECONDS = 15
# Annotations that tell users and Pulumi what this program does, and the one by which Pulumi tells this program what to
# do: provider/contract/labels.ts has the same names.
SIZING = "flux-minicluster/elastic"
ASLEEP = "flux-minicluster/asleep"
SETTINGS = "flux-minicluster/elastic-settings"


class Refused(Exception):
    """The API server's refusal of a request."""

    def __init__(self, code: int, message: str):
        super().__init__(f"{message} ({code})")
        self.code = code


class Pauses:
    """Pauses after refusals in a row: each one is twice as long, up to a minute."""

    FIRST, LONGEST = 1, 60

    def __init__(self):
        self.pause = self.until = 0

    def lengthen(self, now: float):
        self.pause = min(max(2 * self.pause, self.FIRST), self.LONGEST)
        self.until = now + self.pause


def moment():
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


def path_of(annotation: str):
    return "/metadata/annotations/" + annotation.replace("/", "~1")


class Job:
    """The Job on the API server."""

    def __init__(self, folder: str, name: str):
        self.folder = folder
        self.uid = self.text("uid")
        self.path = f"/apis/batch/v1/namespaces/{self.text('namespace')}/jobs/{name}"

    def text(self, file: str):
        with open(os.path.join(self.folder, file), encoding="utf-8") as opened:
            return opened.read().strip()

    def read(self):
        return self.ask("GET")

    def patch(self, size: int, changes: dict, annotations: dict):
        """Changes the Job if it still has this size and isn't suspended."""
        operations = [{"op": "replace", "path": "/spec/" + key, "value": of} for key, of in changes.items()]
        operations += [{"op": "add", "path": path_of(key), "value": of} for key, of in annotations.items()]
        return self.change({"/spec/completions": size, "/spec/suspend": False}, operations)

    def wake(self):
        """Resumes the Job if it has suspended itself: not if another client has suspended it."""
        resume = {"op": "replace", "path": "/spec/suspend", "value": False}
        return self.change({"/spec/suspend": True}, [{"op": "remove", "path": path_of(ASLEEP)}, resume])

    def unmark(self):
        """Removes the annotation of a sleep that another client has ended without it."""
        return self.change({"/spec/suspend": False}, [{"op": "remove", "path": path_of(ASLEEP)}])

    def change(self, checks: dict, operations: list):
        """Changes the Job if it is the one of this pod: another Job of the same name may have replaced it."""
        values = {"/metadata/uid": self.uid, **checks}
        tests = [{"op": "test", "path": path, "value": value} for path, value in values.items()]
        return self.ask("PATCH", tests + operations)

    def ask(self, method: str, body: "list | None" = None):
        # The timeout of the connection is that of each part of an answer.
        alive()
        # The token and the certificates are replaced while this program runs, so they are read for each request.
        context = ssl.create_default_context(cafile=os.path.join(self.folder, "ca.crt"))
        # Python 3.13 requires extensions that the certificates of many clusters don't have.
        context.verify_flags &= ~ssl.VERIFY_X509_STRICT
        host, port = os.environ["KUBERNETES_SERVICE_HOST"], int(os.environ["KUBERNETES_SERVICE_PORT"])
        connection = http.client.HTTPSConnection(host, port, timeout=ANSWER_SECONDS, context=context)
        headers = {
            "Accept": "application/json",
            "Authorization": "Bearer " + self.text("token"),
            "Content-Type": "application/json-patch+json",
            "User-Agent": "flux-minicluster-elastic",
        }
        try:
            data = None if body is None else json.dumps(body).encode()
            connection.request(method, self.path, data, headers)
            answer = connection.getresponse()
            content = json.loads(answer.read().decode() or "{}")
        finally:
            connection.close()
        if answer.status >= 300:
            raise Refused(answer.status, str(content.get("message", answer.reason)))
        return content
