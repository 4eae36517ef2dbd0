"""Init container (keygen: "initContainer"): rank 0 creates the cluster's key and writes it into a Secret, from which
the followers read it. This pod's service account may read and write only this Secret. The script needs no DNS, and only
Python's own modules."""

import base64
import json
import os
import ssl
import subprocess
import sys
import time
import urllib.error
import urllib.request

ENTRY = "curve.cert"
# The API server answers with one of these until it knows the Role, or while it is not available.
PASSING = {401, 403, 404, 409, 429, 500, 502, 503, 504}
PATIENCE_SECONDS = 30
PAUSE_SECONDS = 0.5


class Api:
    """Reads and writes the Secret with the token of the pod's service account."""

    def __init__(self):
        folder = os.environ["MINICLUSTER_TOKEN"]
        host, port = os.environ["KUBERNETES_SERVICE_HOST"], os.environ["KUBERNETES_SERVICE_PORT"]
        self.token_file = f"{folder}/token"
        self.context = ssl.create_default_context(cafile=f"{folder}/ca.crt")
        # Python 3.13 requires extensions that the certificates of many clusters don't have.
        self.context.verify_flags &= ~ssl.VERIFY_X509_STRICT
        with open(f"{folder}/namespace", encoding="utf-8") as file:
            namespace = file.read().strip()
        self.secret = os.environ["MINICLUSTER_KEY_SECRET"]
        address = f"[{host}]" if ":" in host else host
        self.folder = f"https://{address}:{port}/api/v1/namespaces/{namespace}/secrets"

    def open(self, url: str, method: str = "GET", body: "dict | None" = None):
        with open(self.token_file, encoding="utf-8") as file:
            headers = {"Authorization": f"Bearer {file.read().strip()}", "Accept": "application/json"}
        if body is not None:
            headers["Content-Type"] = "application/merge-patch+json"
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(url, data=data, headers=headers, method=method)
        return urllib.request.urlopen(request, context=self.context, timeout=330)

    def get(self):
        with self.open(f"{self.folder}/{self.secret}") as answer:
            return json.load(answer)

    def put(self, version: str, certificate: bytes):
        """The API server refuses this with 409 if another pod of rank 0 was faster."""
        text = base64.b64encode(certificate).decode()
        body = {"metadata": {"resourceVersion": version}, "data": {ENTRY: text}}
        self.open(f"{self.folder}/{self.secret}", "PATCH", body).close()

    def watch(self):
        """Yields the Secret, and again after each change."""
        query = f"watch=1&timeoutSeconds=300&fieldSelector=metadata.name%3D{self.secret}"
        with self.open(f"{self.folder}?{query}") as answer:
            for line in answer:
                event = json.loads(line)
                if event["type"] in ("ADDED", "MODIFIED"):
                    yield event["object"]


def certificate_in(secret: dict):
    text = (secret.get("data") or {}).get(ENTRY)
    return base64.b64decode(text) if text else None


def make_certificate():
    path = f"{os.environ['MINICLUSTER_RUN']}/made.cert"
    subprocess.run(["flux", "keygen", f"--name={os.environ['MINICLUSTER_CLUSTER']}", path], check=True)
    with open(path, "rb") as file:
        certificate = file.read()
    os.unlink(path)
    return certificate


def lead_certificate(api: Api):
    """Creates the key once. A recreated pod of rank 0 takes the key of the Secret, because the followers have it."""
    secret = api.get()
    certificate = certificate_in(secret)
    if certificate is None:
        certificate = make_certificate()
        api.put(secret["metadata"]["resourceVersion"], certificate)
    return certificate


def follower_certificate(api: Api):
    for secret in api.watch():
        certificate = certificate_in(secret)
        if certificate is not None:
            return certificate
        print("minicluster: waits for the key that the lead makes", file=sys.stderr, flush=True)
    return None


def take(is_lead: bool, api: Api):
    """Tries again after errors that may pass."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while True:
        try:
            certificate = lead_certificate(api) if is_lead else follower_certificate(api)
            if certificate is not None:
                return certificate
            deadline = time.monotonic() + PATIENCE_SECONDS
        except urllib.error.HTTPError as error:
            reason = json.loads(error.read() or b"{}").get("message", str(error)) if error.fp else str(error)
            if error.code not in PASSING or time.monotonic() > deadline:
                raise SystemExit(refuse(reason)) from None
        except (OSError, ValueError) as error:
            if time.monotonic() > deadline:
                raise SystemExit(refuse(str(error))) from None
        time.sleep(PAUSE_SECONDS)


def refuse(reason: str):
    """Prints the reason for curve.sh, which reports it, and returns the exit code."""
    text = f"the Secret {os.environ['MINICLUSTER_KEY_SECRET']} with the key can't be read: {reason}".replace("\n", " ")
    print(text)
    return 1


def save(certificate: bytes):
    path = os.environ["MINICLUSTER_CERTIFICATE"]
    descriptor = os.open(f"{path}.new", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o400)
    with os.fdopen(descriptor, "wb") as file:
        file.write(certificate)
    os.rename(f"{path}.new", path)


def main():
    save(take(os.environ["JOB_COMPLETION_INDEX"] == "0", Api()))


main()
