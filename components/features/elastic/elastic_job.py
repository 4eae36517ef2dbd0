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

    def sleep(self, size: int, least: int):
        """Puts the Job to sleep if it still has this size: it is suspended, and starts with the least size again."""
        rest = {"completions": least, "parallelism": least, "suspend": True}
        return self.patch(size, rest, {ASLEEP: moment()})

    def wake(self, least: int):
        """Resumes the Job if it has suspended itself: not if another client has suspended it."""
        resume = {"op": "replace", "path": "/spec/suspend", "value": False}
        return self.change({"/spec/suspend": True}, [{"op": "remove", "path": path_of(ASLEEP)}, resume])

    def unmark(self):
        """Removes the annotation of a sleep that another client has ended without it."""
        return self.change({"/spec/suspend": False}, [{"op": "remove", "path": path_of(ASLEEP)}])

    def is_asleep(self, spec: dict):
        return bool(spec.get("suspend"))

    def change(self, checks: dict, operations: list):
        """Changes the Job if it is the one of this pod: another Job of the same name may have replaced it."""
        values = {"/metadata/uid": self.uid, **checks}
        tests = [{"op": "test", "path": path, "value": value} for path, value in values.items()]
        return self.ask("PATCH", tests + operations)


class QueuedJob(Job):
    """
    A Job in a queue of Kueue, which resumes a suspended Job at once. It sleeps without pods: Kueue gives the quota of
    removed pods to others, and admits new pods as it admits a Job.
    """

    def sleep(self, size: int, least: int):
        if size != least:
            # Kubernetes changes the completions only together with the parallelism, and a Job without completions ends.
            self.patch(size, {"completions": least, "parallelism": least}, {})
        return self.patch(least, {"parallelism": 0}, {ASLEEP: moment()})

    def wake(self, least: int):
        resume = {"op": "replace", "path": "/spec/parallelism", "value": least}
        checks = {"/spec/parallelism": 0, "/spec/completions": least}
        return self.change(checks, [{"op": "remove", "path": path_of(ASLEEP)}, resume])

    def is_asleep(self, spec: dict):
        return spec.get("parallelism") == 0 or super().is_asleep(spec)
