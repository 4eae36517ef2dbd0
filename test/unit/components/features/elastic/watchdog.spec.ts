import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { limit } from "../../../../../scripts/tests/limits";

function run(name: string) {
    const script = join(__dirname, "watchdog.py");
    const { signal, status, stderr, stdout } = spawnSync("python3", ["-B", script, name], {
        encoding: "utf8",
        timeout: limit(20) * 1000,
        killSignal: "SIGKILL",
    });
    assert.equal(signal, null, "the program hangs");
    return { status, stderr, stdout };
}

describe("the program that sizes a cluster, if a request gets no answer", () => {
    for (const [what, name, place] of [
        ["Flux accepts a connection and is silent then", "opens_no_connection", /flux_calls\.py", line \d+ in answers/],
        [
            "Kubernetes sends its answer without end",
            "gets_no_answer_of_kubernetes",
            /kube_object\.py", line \d+ in ask/,
        ],
    ] as const) {
        it(`ends with the place of the request, so that its container is restarted (${what})`, () => {
            const { status, stderr } = run(name);
            assert.equal(status, 1, stderr);
            assert.match(stderr, /^Timeout \(0:00:01/m);
            assert.match(stderr, place);
        });
    }

    it("goes on if each of many requests gets its answer in time", () =>
        assert.deepEqual(run("gets_many_answers"), { status: 0, stderr: "", stdout: "12\n" }));
});
