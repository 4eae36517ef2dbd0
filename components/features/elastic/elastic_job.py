"""Reads and patches the Job of this cluster with the token of its service account, and nothing else."""

import time

from kube_object import KubeObject

# Annotations that tell users and Pulumi what this program does, and the one by which Pulumi tells this program what to
# do: provider/contract/labels.ts has the same names.
SIZING = "flux-minicluster/elastic"
ASLEEP = "flux-minicluster/asleep"
SETTINGS = "flux-minicluster/elastic-settings"


def moment():
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


def path_of(annotation: str):
    return "/metadata/annotations/" + annotation.replace("/", "~1")


class Job(KubeObject):
    """The Job on the API server."""

    def __init__(self, folder: str, name: str):
        super().__init__(folder, "batch/v1/jobs", name, "elastic")
        self.uid = self.text("uid")

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
