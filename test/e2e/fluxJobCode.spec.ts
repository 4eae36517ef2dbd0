import assert from "node:assert/strict";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { FluxJob, MiniCluster } from "flux-minicluster";

import { changes } from "./support/changing";
import { useNamespace } from "./support/namespace";
import type { TestStack } from "./support/stack";

describe("FluxJob with code", () => {
    const namespace = useNamespace();
    let source: string;
    let outputs: Record<string, any>;
    let pair: TestStack;
    let other: TestStack;

    const write = (file: string, text: string) => writeFileSync(join(source, file), text);
    const hashOf = (stack: TestStack, job: string) =>
        stack.resources().find(({ urn }) => urn.endsWith(`::${job}-submission`))?.inputs?.["code"].hash as string;
    const hasArchive = async (hash: string) => {
        const text = `flux archive list -n minicluster-code-${hash} >/dev/null 2>&1 && echo yes || echo no`;
        return (await namespace.exec("queue", ["bash", "-c", text])).trim() === "yes";
    };

    before(async () => {
        source = mkdtempSync(join(tmpdir(), "code-"));
        mkdirSync(join(source, "a"));
        mkdirSync(join(source, ".git"));
        write("a/data.txt", "data");
        write("run.sh", "#!/bin/sh\necho $(cat a/data.txt) one\n");
        write(".git/HEAD", "main");
        chmodSync(join(source, "run.sh"), 0o755);
        const cluster = namespace.stack("cluster", async () => ({
            cluster: new MiniCluster("queue", { image: namespace.image, size: 2, restful: { enabled: false } }),
        }));
        outputs = (await cluster.up()).outputs;
        const job = (name: string) =>
            new FluxJob(name, { cluster: outputs.cluster, code: { source }, command: ["./run.sh"], nodes: 2 });
        pair = namespace.stack("pair", async () => ({ first: job("first"), second: job("second") }));
        other = namespace.stack("other", async () => ({ third: job("third") }));
    });

    after(() => rmSync(source, { recursive: true, force: true }));

    // The unit tests of fluxSubmission count how often the files are sent: here, a slow machine starts the agent again.
    it("starts two jobs in their files on all ranks", async () => {
        const { outputs: ended, text } = await pair.up();
        assert.match(text, /code: 2 files, \d+ bytes; left out: \.git/);
        assert.deepEqual([ended.first.output, ended.second.output], ["data one\ndata one\n", "data one\ndata one\n"]);
    });

    it("starts a job of another stack in the same files", async () => {
        const { outputs: ended } = await other.up();
        assert.equal(ended.third.output, "data one\ndata one\n");
    });

    it("names an edited file in the preview, runs again with it, and leaves the files of other jobs", async () => {
        const before = hashOf(pair, "first");
        write("a/data.txt", "more");
        const { events } = await pair.preview();
        assert.match(changes(events)["first-submission"], /replace/);
        const words = events.map(({ diagnosticEvent }) => diagnosticEvent?.message ?? "").join("");
        assert.match(words, /code: changed: a\/data\.txt/);
        const { outputs: ended } = await pair.up();
        assert.equal(ended.second.output, "more one\nmore one\n");
        const now = hashOf(pair, "first");
        assert.deepEqual([await hasArchive(before), await hasArchive(now)], [true, true]);
    });

    it("leaves no archive after the last job with its files", async () => {
        const hashes = [hashOf(pair, "first"), hashOf(other, "third")];
        await pair.destroy();
        await other.destroy();
        assert.deepEqual(await Promise.all(hashes.map(hasArchive)), [false, false]);
    });
});
