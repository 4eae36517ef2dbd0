"""Requests to the API server about one object, with the token of the pod's service account."""

import http.client
import json
import os
import ssl
import typing

from watchdog import alive

ANSWER_SECONDS = 15


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


class KubeObject:
    """An object on the API server. `kind` is its group, version and resource, such as batch/v1/jobs."""

    def __init__(self, folder: str, kind: str, name: str, program: str):
        self.folder, self.program = folder, program
        group, resource = kind.rsplit("/", 1)
        self.path = f"/apis/{group}/namespaces/{self.text('namespace')}/{resource}/{name}"

    def text(self, file: str):
        with open(os.path.join(self.folder, file), encoding="utf-8") as opened:
            return opened.read().strip()

    def ask(self, method: str, body: "list | None" = None) -> "typing.Any":
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
            "User-Agent": f"flux-minicluster-{self.program}",
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
