import assert from "node:assert/strict";

import { BASH, Sandbox } from "../../../support/sandbox";

/** A relay to a broker that gives each request back, and keeps a list of their topics. */
const RELAY = `#!/usr/bin/env python3
import os, sys

if sys.argv[1] != "relay":
    sys.exit()
os.write(1, b"\\0")
while head := sys.stdin.buffer.read(8):
    body = bytearray(sys.stdin.buffer.read(int.from_bytes(head[4:], "big")))
    with open(os.environ["SANDBOX"] + "/topics", "a") as topics:
        topics.write(body[1 : 1 + body[0]].decode() + "\\n")
    body[-8:-4] = bytes(4)
    os.write(1, head + body)
`;

/** A relay of a lead whose scheduler gives a pending job its ranks after the first look at running jobs. */
const LEAD = `#!/usr/bin/env python3
import json, os, sys

if sys.argv[1] != "relay":
    sys.exit()
os.write(1, b"\\0")
looks, cancelled = 0, False
while head := sys.stdin.buffer.read(8):
    body = sys.stdin.buffer.read(int.from_bytes(head[4:], "big"))
    topic = body[1 : 1 + body[0]].decode()
    asked = json.loads(body[body.index(b"{") : body.rindex(b"}") + 1])
    answer = {}
    if topic == "job-manager.raiseall":
        looks += asked["states"] == 48
        found = asked["states"] != 48 or looks > 1
        answer = {"count": int(found and not cancelled)}
        cancelled = cancelled or (found and not asked["dry_run"])
        topic = "look" if asked["dry_run"] else "cancel"
    with open(os.environ["SANDBOX"] + "/topics", "a") as topics:
        topics.write(topic + "\\n")
    said = json.dumps(answer).encode() + b"\\0"
    tail = body[-21:-8] + bytes(4) + body[-4:]
    body = body[: 1 + body[0]] + bytes([len(said)]) + said + tail
    os.write(1, head[:4] + len(body).to_bytes(4, "big") + body)
`;

describe("ask.sh", () => {
    let pod: Sandbox;

    beforeEach(async () => {
        pod = new Sandbox({ command: [], drainTimeout: 60 }, 1);
        await pod.listen();
        pod.write("bin/flux", RELAY, 0o755);
    });

    afterEach(() => {
        process.kill(Number(pod.read("run/flux/relay/pid")));
        pod.remove();
    });

    /** Runs lines of a script that asks. */
    const run = (...lines: string[]) => {
        const scripts = pod.path("etc/flux-minicluster");
        pod.write("etc/flux-minicluster/asker.sh", `source ${scripts}/run.sh\n${lines.join("\n")}\n`);
        return pod.startWith([BASH], "asker", [], { MINICLUSTER_LEAVE_SECONDS: "60" });
    };
    const SOURCE = 'mc_patience=60 mc_until=60; source "$MINICLUSTER_SCRIPTS/ask.sh"';
    const topics = () => (pod.has("topics") ? pod.read("topics").split("\n").slice(0, -1) : []);

    it("takes no answer to a script that has ended", async () => {
        const heard = "until [[ -e $SANDBOX/topics ]]; do sleep 0.1; done";
        await run(`${SOURCE}; start_relay 1; open_relay`, `tell first '{"of":"first"}'; ${heard}`).exit;
        const { stdout } = await run(`${SOURCE}; open_relay`, `ask second '{"of":"second"}' && echo "$mc_json"`).ended;
        assert.equal(stdout, '{"of":"second"}\n');
    });

    it("leaves the lead's one cancellation for a job that the scheduler starts after the first look", async () => {
        pod.remove();
        pod = new Sandbox({ command: [] }, 0);
        await pod.listen();
        pod.write("bin/flux", LEAD, 0o755);
        await run(`${SOURCE}; start_relay 1`).exit;
        const { code } = await pod.start("leave", [], { MINICLUSTER_LEAVE_SECONDS: "600" }).ended;
        const cancelled = topics().indexOf("cancel");
        assert.equal(code, 0);
        // One look at running jobs, one at pending ones, and one that finds the job.
        assert.deepEqual(topics().slice(0, cancelled), ["job-manager.queue-start", "look", "look", "look"]);
        assert.equal(topics().lastIndexOf("cancel"), cancelled);
    });

    for (const [drain, all, at] of [
        [0, 60, 0],
        [6, 30, 7],
        [60, 61, 60],
        [60, 62, 61],
    ]) {
        it(`gives jobs ${drain} s before they are cancelled, if ${all} s are left for both`, async () => {
            // Without its meaning in bash, the clock is the test's.
            const stubs = [
                "unset SECONDS; SECONDS=0",
                `source "$MINICLUSTER_SCRIPTS/drain.sh"; mc_asks=1 mc_error=0 mc_drain=${drain} mc_until=${all}`,
                "close_rank() { :; }; find_jobs() { mc_jobs=1; }; look_later() { SECONDS=$((SECONDS + 1)); }",
                'cancel_jobs() { echo "$SECONDS"; }',
            ];
            const { stdout } = await run(SOURCE, "start_relay 1", ...stubs, "rescue").ended;
            assert.equal(stdout.split("\n")[0], String(at));
        });
    }

    for (const [follows, words, end] of [
        ["nothing", [], { code: 143, stdout: "" }],
        ["the user's hook", ["sh", "-c", "echo own; exit 3"], { code: 3, stdout: "own\n" }],
    ] as const) {
        it(`has one reader: a hook that waits for jobs ends at SIGTERM, and ${follows} follows it`, async () => {
            // The numbers in an answer are ids of jobs that run.
            const hook = pod.start("leave", words, { MINICLUSTER_LEAVE_SECONDS: "60" });
            await pod.until(() => topics().filter((topic) => topic === "job-list.list").length > 1, "the hook's looks");
            pod.write("run/flux/stopped", "");
            const rescue = run('source "$MINICLUSTER_SCRIPTS/rescue.sh"');
            const { code, stdout } = await hook.ended;
            assert.deepEqual({ code, stdout }, end);
            await rescue.exit;
            assert.equal(topics().filter((topic) => topic === "resource.drain").length, 2);
        });
    }
});
