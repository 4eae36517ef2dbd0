import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import * as pulumi from "@pulumi/pulumi";

import { ChangingCluster, changes } from "./support/changing";
import { endLeftovers, INTERRUPTIONS, outcome, runningPulumi, unlock } from "./support/interruptions";
import { useNamespace } from "./support/namespace";
import { until } from "./support/until";

/** What the pod security standard restricted asks, and a root that nobody may write to. */
const RESTRICTED = {
    podSecurityContext: { runAsUser: 4242, runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } },
    securityContext: {
        allowPrivilegeEscalation: false,
        capabilities: { drop: ["ALL"] },
        readOnlyRootFilesystem: true,
    },
};

const isPart = (object: string) => object.includes("-code-");

describe("code", () => {
    const namespace = useNamespace({ podSecurity: "restricted" });
    let source: string;
    let cluster: EditingCluster;

    const write = (file: string, text: string) => writeFileSync(join(source, file), text);
    const parts = async () => (await namespace.objects()).filter(isPart);
    const argsOf = (more: object = {}) => ({
        size: 2,
        code: { source },
        command: ["bash", "-c", 'echo "$(cat a/data.txt) $(. ./word.sh)"'],
        ...RESTRICTED,
        ...more,
    });
    const output = () => cluster.child("status")?.outputs?.["output"] as string;

    before(() => {
        source = mkdtempSync(join(tmpdir(), "code-"));
        mkdirSync(join(source, "a"));
        mkdirSync(join(source, ".git"));
        write("a/data.txt", "data");
        write("word.sh", "echo one");
        write(".git/HEAD", "main");
        cluster = new EditingCluster(namespace, "folder", argsOf());
    });

    after(() => rmSync(source, { recursive: true, force: true }));

    it("runs on all ranks, for another user with a read-only root", async () => {
        const { text } = await cluster.stack.up();
        assert.match(text, /code: 2 files, 12 bytes; left out: \.git/);
        assert.equal(output(), "data one\ndata one\n");
        assert.equal((await parts()).length, 1);
    });

    it("is no change if nothing but times, a commit and compiled files are new", async () => {
        utimesSync(join(source, "word.sh"), 1, 1);
        write(".git/HEAD", "other");
        mkdirSync(join(source, "__pycache__"));
        write("__pycache__/word.pyc", "compiled");
        await cluster.assertUnchanged();
    });

    it("shows the changed file in the preview, and the update runs again with it", async () => {
        const [before] = await parts();
        write("word.sh", "echo two");
        const { events, text } = await cluster.stack.preview();
        assert.match(changes(events)["folder-job"], /replace/);
        // A preview with --diff prints only the properties, any other one the words.
        const words = events.map(({ diagnosticEvent }) => diagnosticEvent?.message ?? "").join("");
        assert.match(words, /code: changed: word\.sh/);
        assert.match(text, /~ word\.sh *: "[0-9a-f]{8}" => "[0-9a-f]{8}"/);
        await cluster.stack.up();
        assert.equal(output(), "data two\ndata two\n");
        const [now, ...others] = await parts();
        assert.notEqual(now, before);
        assert.deepEqual(others, []);
    });

    it("is made again in place if another client has deleted its part", async () => {
        const [part] = await parts();
        const uid = await cluster.uid();
        await namespace.kube.core.deleteNamespacedConfigMap({ name: part.split("/")[1], namespace: namespace.name });
        await cluster.stack.refresh();
        await cluster.stack.up();
        assert.deepEqual([await parts(), await cluster.uid()], [[part], uid]);
    });

    it("that changes while an update runs is refused, and the old Job stays", async () => {
        const [before, uid] = [await parts(), await cluster.uid()];
        write("word.sh", "echo three");
        cluster.edit = () => write("word.sh", "echo four");
        const { text } = await cluster.stack.fails("up");
        cluster.edit = undefined;
        assert.match(text, /has changed since this update has read it \(changed: word\.sh\)/);
        assert.deepEqual([await parts(), await cluster.uid()], [before, uid]);
    });

    it("that has a secret, a link to nothing or a FIFO is refused before anything is created", async () => {
        write(".env", "TOKEN=1");
        const { text } = await cluster.stack.fails("preview");
        rmSync(join(source, ".env"));
        assert.match(text, /code\.source: has files that look like secrets, .*: \.env\. Name them in code\.exclude/);
    });

    it("leaves no part after the destroy", async () => {
        await cluster.stack.destroy();
        await namespace.assertNothingLeft();
    });

    it("leaves no part after a destroy of a killed update", async () => {
        cluster = new EditingCluster(namespace, "killed", argsOf());
        const up = outcome(cluster.stack, "up");
        await until("a part exists", async () => (await parts()).length > 0 || undefined);
        await INTERRUPTIONS["kill -9 of both"](await runningPulumi(cluster.stack));
        await up;
        await endLeftovers(cluster.stack);
        await unlock(cluster.stack);
        await cluster.stack.destroy();
        await until("nothing is left", async () => (await parts()).length === 0 || undefined);
    });
});

/** A cluster whose program edits the folder after the MiniCluster has read it, in an update only. */
class EditingCluster extends ChangingCluster {
    edit: (() => void) | undefined;

    protected override program() {
        const { cluster } = super.program();
        if (!pulumi.runtime.isDryRun()) {
            // The arguments are read when the constructor returns.
            setImmediate(() => this.edit?.());
        }
        return { cluster };
    }
}
