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
