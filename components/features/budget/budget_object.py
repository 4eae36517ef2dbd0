"""Changes the PodDisruptionBudget of this cluster with the token of its service account, and nothing else."""

from kube_object import KubeObject

# provider/contract/labels.ts has the same names.
JOB_NAME, INDEX = "batch.kubernetes.io/job-name", "batch.kubernetes.io/job-completion-index"
# The value that no pod has: a list of values must not be empty.
NO_RANK = "none"


class Budget(KubeObject):
    """The PodDisruptionBudget on the API server. After a change of its selector, the API server refuses the evictions
    of the selected pods until Kubernetes has counted them (checkAndDecrement in registry/core/pod/storage/eviction.go).
    """

    def __init__(self, folder: str, name: str):
        super().__init__(folder, "policy/v1/poddisruptionbudgets", name, "budget")
        self.name = name

    def cover(self, ranks: "set[int]"):
        values = [str(rank) for rank in sorted(ranks)] or [NO_RANK]
        selector = {
            "matchLabels": {JOB_NAME: self.name},
            "matchExpressions": [{"key": INDEX, "operator": "In", "values": values}],
        }
        self.ask("PATCH", [{"op": "add", "path": "/spec/selector", "value": selector}])
