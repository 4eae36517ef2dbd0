import assert from "node:assert/strict";

import { WaitFor } from "flux-minicluster";

import { ChangingCluster } from "../support/changing";
import { eventsOn } from "../support/events";
import { useNamespace } from "../support/namespace";
import { grant } from "../support/rights";
import { until } from "../support/until";

describe("MiniCluster whose Job has failed", () => {
    const namespace = useNamespace();
    const broken = { command: ["sh", "-c", "exit 7"] };

    before(() => grant(namespace, "events", "create"));

    it("runs the Job again in the next update, and names the reason in the preview", async () => {
        const cluster = new ChangingCluster(namespace, "fails", broken);
        await cluster.stack.fails("up");
        const uid = await cluster.uid();
        const { changes, text } = await cluster.preview();
        assert.match(changes["fails-job"], /replace/);
        assert.match(text, new RegExp(`rerun: "run ${uid?.slice(0, 8)} failed: BackoffLimitExceeded"`));
        const { text: second } = await cluster.stack.fails("up");
        assert.match(second, /The command ended with exit code 7\./);
        assert.notEqual(await cluster.uid(), uid);
    });

    it("runs the Job again after a refresh, and then shows no changes", async () => {
        const cluster = new ChangingCluster(namespace, "flaky", {
            // The first run leaves a file on the node, so the second run succeeds.
            command: ["sh", "-c", `f=/mnt/${namespace.name}; test -e $f && rm $f && exit 0; touch $f; exit 7`],
            volumes: [{ name: "node", mountPath: "/mnt", hostPath: "/tmp" }],
        });
        await cluster.stack.fails("up");
        await cluster.stack.refresh();
        const { outputs } = await cluster.stack.up();
        assert.equal(outputs.cluster.phase, "succeeded");
        assert.equal(outputs.cluster.exitCode, 0);
        await cluster.assertUnchanged();
    });

    it("keeps the failed Job if rerunFailed is false, and fails each update", async () => {
        const cluster = new ChangingCluster(namespace, "stays", { ...broken, rerunFailed: false });
        await cluster.stack.fails("up");
        const uid = await cluster.uid();
        const { changes, text } = await cluster.preview();
        assert.deepEqual(changes, { "stays-status": "update" });
        assert.doesNotMatch(text, /rerun:/);
        const { text: second } = await cluster.stack.fails("up");
        assert.match(second, /The command ended with exit code 7\./);
        assert.equal(await cluster.uid(), uid);
        const [event, ...others] = await eventsOn(namespace, "stays");
        assert.match(event, /^Warning Failed: BackoffLimitExceeded/);
        assert.deepEqual(others, []);
    });
});

describe("MiniCluster whose wait has timed out", () => {
    const namespace = useNamespace();

    it("resumes the wait for the same Job in the next update", async () => {
        const cluster = new ChangingCluster(namespace, "long", {
            command: ["sh", "-c", "until [ -e /tmp/go ]; do sleep 0.1; done"],
            timeouts: { completed: 1 },
        });
        const { text } = await cluster.stack.fails("up");
        assert.match(text, /The command has not finished within timeouts\.completed, 1 s\./);
        assert.equal(cluster.child("status")?.outputs?.phase, "running");
        const uid = await cluster.uid();
        cluster.set({ timeouts: { completed: 600 } });
        const { changes } = await cluster.preview();
        assert.deepEqual(changes, { "long-status": "update" });
        await namespace.exec("long", ["touch", "/tmp/go"]);
        const { outputs } = await cluster.stack.up();
        assert.equal(outputs.cluster.phase, "succeeded");
        assert.equal(await cluster.uid(), uid);
    });
});

describe("MiniCluster whose command has finished", () => {
    const namespace = useNamespace();
    let cluster: ChangingCluster;

    before(async () => {
        const command = ["sh", "-c", "cat /proc/sys/kernel/random/uuid"];
        cluster = new ChangingCluster(namespace, "done", { command, ttlSecondsAfterFinished: 3 });
    });

    it("runs its command again when a trigger changes", async () => {
        const first = await cluster.stack.up();
        cluster.set({ triggers: ["2026-11-21"] });
        const { changes, text } = await cluster.preview();
        assert.match(changes["done-job"], /replace/);
        assert.match(text, /triggers[^]*"2026-11-21"/);
        const second = await cluster.stack.up();
        assert.notEqual(second.outputs.cluster.output, first.outputs.cluster.output);
        await cluster.stack.up(true);
    });

    it("shows no changes after the TTL has removed its Job", async () => {
        await cluster.awaitRemoved();
        await cluster.stack.up(true);
        const { outputs } = await cluster.stack.unchanged();
        assert.equal(outputs.cluster.phase, "succeeded");
        assert.match(outputs.cluster.output, /^[0-9a-f-]{36}$/m);
    });

    it("runs its command again for a trigger after the TTL has removed its Job", async () => {
        cluster.set({ triggers: ["2026-11-22"] });
        const { outputs } = await cluster.stack.up();
        assert.equal(outputs.cluster.phase, "succeeded");
    });

    it("leaves nothing when it is destroyed after the TTL has removed its Job", async () => {
        await cluster.awaitRemoved();
        await cluster.stack.destroy();
        await namespace.assertNothingLeft();
    });
});

describe("MiniCluster that does not wait for its command", () => {
    const namespace = useNamespace();

    it("returns the command's exit code and output after a refresh", async () => {
        const cluster = new ChangingCluster(namespace, "later", {
            command: ["sh", "-c", "until [ -e /tmp/go ]; do sleep 0.1; done; echo done"],
            waitFor: WaitFor.None,
        });
        await cluster.stack.up();
        await until("the command runs", () =>
            namespace.exec("later", ["touch", "/tmp/go"]).then(
                () => true,
                () => undefined,
            ),
        );
        await until("the command finishes", async () => ((await cluster.job()).status?.succeeded ? true : undefined));
        await cluster.stack.refresh();
        const { cluster: outputs } = (await cluster.stack.unchanged()).outputs;
        assert.deepEqual([outputs.phase, outputs.exitCode, outputs.output], ["succeeded", 0, "done\n"]);
    });
});
