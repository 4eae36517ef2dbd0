import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";

function logOf(name: string): unknown {
    const { status, stderr, stdout } = spawnSync("python3", ["-B", join(__dirname, "sizer.py"), name], {
        encoding: "utf8",
    });
    assert.equal(status, 0, stderr);
    return JSON.parse(stdout);
}

const drained = ["drain", [3, 2, 1]];
const refused = ["refused", "Refused"];
const timedOut = ["refused", "TimeoutError"];
const opened = ["journal"];
const falls = [opened, ["queues", false], ["size", 1, "suspend"], ["note", "asleep"]];
const waited = Array.from({ length: 5 }, () => ["refused", 403]);
const broken = Array.from({ length: 15 }, () => ["error", 104]);
const missing =
    "the Job can't be read or changed: it has no annotation flux-minicluster/elastic-settings; " +
    "run pulumi refresh, then pulumi up (404)";
const shrunk = "resizes the cluster from 4 to 1 ranks: no jobs";
const told = (code: number) => ["say", `the Job can't be read or changed: refused by a webhook (${code})`];
const times = (count: number, code: number) => Array.from({ length: count }, () => ["refused", code]);

/** Kubernetes changes the completions only together with the parallelism. */
const checks = (size: number) => [
    ["test", "completions", size],
    ["test", "suspend", false],
];
const unpods = [...checks(2), ["replace", "parallelism", 0], ["add", "flux-minicluster~1asleep", "now"]];
const IN_QUEUE = [
    [...checks(3), ["replace", "completions", 2], ["replace", "parallelism", 2]],
    unpods,
    unpods,
    [
        ["test", "parallelism", 0],
        ["test", "completions", 2],
        ["remove", "flux-minicluster~1asleep", null],
        ["replace", "parallelism", 2],
    ],
    [true, true, false],
];

describe("the program that sizes a cluster", () => {
    const cases: [string, string, unknown[]][] = [
        ["grows to the need in one step", "grows", [["size", 3]]],
        ["sleeps without pods in a queue, and wakes with the least number", "sleeps_in_queue", IN_QUEUE],
        ["drains idle ranks, looks again, and removes them", "shrinks", [drained, ["size", 1]]],
        ["removes ranks that never joined", "shrinks_without_pods", [drained, ["size", 1]]],
        ["undrains ranks for jobs that come meanwhile", "returns_to_work", [drained, ["undrain", [1, 2]], ["size", 3]]],
        ["keeps the ranks below the highest busy one", "keeps_busy", [drained, ["size", 3]]],
        ["pauses longer after each refusal", "is_refused", [refused, refused, refused, refused, ["size", 2]]],
        [
            "tries less and less often if it may only read",
            "stays_refused",
            [...times(1, 403), told(403), ...times(5, 403)],
        ],
        ["tells a refusal that lasts", "stays_unprocessable", [...times(2, 422), told(422), ...times(4, 422)]],
        ["grows when the API server answers again", "is_unreachable", [["size", 2]]],
        ["goes on after half an answer of the API server", "gets_half_an_answer", [["size", 2]]],
        ["goes on from another client's size", "is_resized", [["size", 4]]],
        ["reads the size after a patch without an answer", "loses_answer", [drained, ["size", 1], ["size", 2]]],
        ["leaves ranks alone that another client has removed", "is_shrunk", [drained, ["size", 3], ["size", 2]]],
        ["undrains ranks that an earlier program has left drained", "finds_stale_drain", [["undrain", [1]]]],
        ["starts queues that an earlier program has stopped", "starts_again", [["queues", true]]],
        ["leaves a queue stopped that an administrator has stopped", "leaves_queue", []],
        ["leaves a rank to its next pod", "is_evicted", [drained, ["undrain", [2]], ["size", 3]]],
        ["leaves a removed rank to its next pod", "waits_for_removed", [drained, ["size", 1], ["size", 2]]],
        [
            "leaves a removed rank to its next pod however long it was drained before, until that must have left",
            "waits_for_removed_long",
            [drained, ["size", 3], ["size", 1], ["size", 2], ["undrain", [1]]],
        ],
        [
            "goes on when the broker is back",
            "loses_broker",
            [
                ["error", 104],
                ["error", 104],
                ["error", 104],
                ["size", 2],
            ],
        ],
        ["stops the queues and suspends the Job without jobs", "sleeps", [["drain", [1]], ["size", 1], ...falls]],
        [
            "stays awake for a job that comes at the last moment",
            "stays_awake",
            [opened, ["queues", false], ["queues", true]],
        ],
        [
            "starts the queues again if it can't suspend the Job",
            "can_not_sleep",
            [opened, ["queues", false], refused, ["queues", true], opened, ["queues", false], refused],
        ],
        [
            "starts the queues again if the Job is resumed before its pods are gone",
            "is_woken_at_once",
            [...falls, ["queues", true]],
        ],
        [
            "wakes the cluster for a job that is submitted after the suspension, and lets its next pod start the job",
            "is_disturbed",
            [...falls, ["wake"]],
        ],
        [
            "tries again if the API server doesn't answer then",
            "is_disturbed_without_server",
            [...falls, timedOut, timedOut, ["wake"]],
        ],
        [
            "starts the queues after a wake if its pod stays",
            "is_disturbed_and_stays",
            [...falls, ["wake"], ["queues", true]],
        ],
        [
            "leaves the Job suspended if another client has suspended it",
            "is_suspended_meanwhile",
            [opened, ["queues", false], ["refused", 422]],
        ],
        ["wakes for no job after the end of the broker", "ends_asleep", falls],
        [
            "starts no queue at once after a wake by another client, because its pod may leave",
            "is_disturbed_after_wake",
            falls,
        ],
        ["wakes for a job of the last moment when its container is stopped", "is_stopped_late", [...falls, ["wake"]]],
        ["does nothing in a pod that leaves", "leaves", []],
        ["stays awake while the queue can't be saved", "can_not_save", falls],
        ["stays awake for jobs that end between two looks", "runs_short_jobs", []],
        ["counts the time without jobs from the end of a job that could not start", "waits_for_growth", waited],
        ["removes the annotation of a sleep that another client has ended", "finds_mark", [["unmark"]]],
        ["begins the cool-down again after a time without looks", "forgets_after_gap", broken],
        ["takes over changed settings", "changes_settings", [drained, ["size", 1]]],
        ["takes them over while it is busy", "changes_settings_of_a_busy_cluster", [drained, ["size", 1]]],
        [
            "leaves the size as it is without settings",
            "has_no_settings",
            [["say", missing], ["say", "works again"], drained, ["size", 1], ["say", shrunk]],
        ],
        ["keeps the last settings if they are removed", "loses_settings", [drained, ["size", 1]]],
    ];
    for (const [name, function_, expected] of cases) {
        it(name, () => assert.deepEqual(logOf(function_), expected));
    }
});
