"""The metrics and their two text forms: https://prometheus.io/docs/instrumenting/exposition_formats and OpenMetrics.

The names follow https://prometheus.io/docs/practices/naming and the habits of kube-state-metrics: one series for each
state with the label `state`, times in place of ages, and an `_info` series. `flux_` is what Flux tells, `minicluster_`
is what the pod knows. The table of docs/metrics.md comes from this list."""

import typing

GAUGE, COUNTER, HISTOGRAM = "gauge", "counter", "histogram"
TEXT = "text/plain; version=0.0.4; charset=utf-8"
OPEN_METRICS = "application/openmetrics-text; version=1.0.0; charset=utf-8"

Labels = typing.Dict[str, str]
# A value, or one value for each label value.
Values = typing.Dict[str, typing.Any]


class Family:
    def __init__(self, name: str, kind: str, label: str, text: str):
        # Without _total.
        self.name, self.kind, self.label, self.text = name, kind, label, text


FAMILIES = (
    Family("flux_up", GAUGE, "", "1 if the lead's broker answers, else 0."),
    Family("flux_ranks", GAUGE, "state", "Ranks of the largest size: up, drained (and online) or down (not online)."),
    Family("flux_jobs", GAUGE, "state", "Jobs by state: depend, priority, sched, run, cleanup, inactive."),
    Family(
        "flux_jobs_inactive", GAUGE, "result", "Inactive jobs by result: completed, failed, canceled, timeout, purged."
    ),
    Family("flux_job_wait_seconds", HISTOGRAM, "", "Time from the submission of a job to its start, of started jobs."),
    Family(
        "flux_job_oldest_wait_seconds",
        GAUGE,
        "",
        "Time since the submission of the oldest job that could start, 0 if there is none.",
    ),
    Family("flux_cores", GAUGE, "state", "Cores: allocated, free, or down (of ranks that are down or drained)."),
    Family("flux_gpus", GAUGE, "state", "GPUs: allocated, free, or down (of ranks that are down or drained)."),
    Family("minicluster_info", GAUGE, "", "1, with the labels mode and flux_version."),
    Family("minicluster_min_ranks", GAUGE, "", "The argument minSize."),
    Family("minicluster_max_ranks", GAUGE, "", "The argument maxSize."),
    Family(
        "minicluster_requested_ranks",
        GAUGE,
        "",
        "Pods of the Job. Absent if the size can change without elastic: the pods don't know it.",
    ),
    Family("minicluster_needed_ranks", GAUGE, "", "Ranks that the jobs need now. Only with elastic."),
    Family("minicluster_broker_restarts", COUNTER, "", "Restarts of the lead's broker in this pod."),
    Family("minicluster_attempt", GAUGE, "", "Number of the command's attempt. Only with onRankLoss or checkpoint."),
    Family(
        "minicluster_archive_saved_timestamp_seconds",
        GAUGE,
        "",
        "Time of the last dump of the queue into the archive. Absent before the first one of this pod.",
    ),
    Family(
        "minicluster_archive_failed", GAUGE, "", "1 if the last dump isn't in the archive, else 0. Only with archive."
    ),
    Family("minicluster_metrics_collected_timestamp_seconds", GAUGE, "", "Time of the last answer of the broker."),
    Family("minicluster_metrics_collection_seconds", GAUGE, "", "How long the last answer of the broker took."),
    Family("minicluster_metrics_collection_failures", COUNTER, "", "Collections without an answer of the broker."),
    Family("process_cpu_seconds", COUNTER, "", "CPU time of the metrics server."),
)


class Histogram:
    """Counts values up to each bound."""

    BOUNDS = (1.0, 5.0, 15.0, 60.0, 300.0, 900.0, 3600.0, 14400.0, 86400.0)

    def __init__(self):
        self.counts, self.count, self.sum = [0] * len(self.BOUNDS), 0, 0.0

    def add(self, value: float):
        self.count += 1
        self.sum += value
        for place, bound in enumerate(self.BOUNDS):
            self.counts[place] += value <= bound

    def samples(self):
        for bound, count in zip(self.BOUNDS, self.counts):
            yield "_bucket", {"le": repr(bound)}, count
        yield "_bucket", {"le": "+Inf"}, self.count
        yield "_sum", {}, self.sum
        yield "_count", {}, self.count


def escaped(text: str) -> str:
    return text.replace("\\", r"\\").replace("\n", r"\n").replace('"', r"\"")


def line(name: str, labels: Labels, value: float) -> str:
    inside = ",".join(f'{key}="{escaped(of)}"' for key, of in labels.items())
    return f"{name}{{{inside}}} {value!r}"


def samples_of(family: Family, value: "typing.Any") -> "typing.Iterator[typing.Tuple[str, Labels, float]]":
    if isinstance(value, Histogram):
        yield from value.samples()
        return
    suffix = "_total" if family.kind == COUNTER else ""
    if family.name.endswith("_info"):
        yield suffix, value, 1
    elif family.label:
        for name, number in value.items():
            yield suffix, {family.label: name}, number
    else:
        yield suffix, {}, value


def render(values: Values, common: Labels, is_open: bool) -> str:
    """A family without a value is left out: nobody knows it now."""
    lines = []
    for family in FAMILIES:
        value = values.get(family.name)
        if value is None:
            continue
        # The older form has no families.
        name = family.name + ("_total" if family.kind == COUNTER and not is_open else "")
        lines += [f"# HELP {name} {escaped(family.text) if is_open else family.text}", f"# TYPE {name} {family.kind}"]
        lines += [
            line(family.name + suffix, dict(common, **labels), number)
            for suffix, labels, number in samples_of(family, value)
        ]
    return "\n".join(lines + (["# EOF"] if is_open else [])) + "\n"
