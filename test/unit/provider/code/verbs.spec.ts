import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { rmSync } from "node:fs";
import { gunzipSync } from "node:zlib";

import type { PlainArgs } from "../../../../components/args";
import { ANNOTATIONS } from "../../../../provider/contract/labels";
import type { IndexedJobInputs } from "../../../../provider/indexedJob/properties";
import { indexedJob } from "../../../../provider/indexedJob/verbs";
import { putLeadService, useApi } from "../../support/fakeApi";
import { fill, useFolders } from "../../support/folder";
import { makeInputs } from "../../support/jobs";
import { newOperation } from "../../support/newOperation";

describe("IndexedJob with code", () => {
    const { log } = console;
    const api = useApi(putLeadService);
    const folder = useFolders();
    let said: string[];

    beforeEach(() => {
        said = [];
        console.log = (line: string) => said.push(line);
    });

    afterEach(() => {
        console.log = log;
        newOperation();
    });

    const inputsOf = (source: string, args: Partial<PlainArgs> = {}): IndexedJobInputs =>
        makeInputs({ code: { source }, ...args }, { kubeconfig: api.kubeconfig });
    const parts = () => api.every("configmaps").filter(({ metadata }) => metadata.name.includes("-code-"));
    const names = () => parts().map(({ metadata }) => metadata.name);
    const unpacked = () =>
        gunzipSync(Buffer.concat(parts().map((part: any) => Buffer.from(part.binaryData.part, "base64")))).toString();
    const writes = () => api.requests.filter((request) => !request.startsWith("GET"));
    const PREFIX = /^lammps-code-[0-9a-f]{10}-/;

    it("creates the parts before the Job: immutable, owned by the lead Service, with the cluster's labels", async () => {
        const inputs = inputsOf(folder({ "main.py": "print(1)\n" }), { labels: { team: "a" } });
        await indexedJob.create(inputs);
        const [part] = parts();
        assert.match(part.metadata.name, PREFIX);
        const { immutable, metadata } = part as any;
        assert.deepEqual([immutable, metadata.labels.team], [true, "a"]);
        assert.equal(metadata.ownerReferences[0].uid, "service-uid");
        assert.match(unpacked(), /main\.py.*print\(1\)/s);
        assert.deepEqual(
            writes().map((request) => request.split("/").at(-1)),
            ["configmaps", "configmaps", "jobs"],
        );
    });

    it("divides large code, and no part has more than Kubernetes takes", async () => {
        const content = randomBytes(2_400_000).toString("latin1");
        const inputs = inputsOf(folder({ "data.bin": content }));
        await indexedJob.create(inputs);
        assert.deepEqual(
            names().map((name) => name.replace(PREFIX, "")),
            ["000", "001", "002", "003"],
        );
        const sizes = parts().map((part: any) => Buffer.from(part.binaryData.part, "base64").length);
        assert.ok(Math.max(...sizes) <= 1_048_576, `${sizes}`);
        assert.ok(unpacked().length > content.length);
    });

    it("names its parts in the pods in their order", () => {
        const { code, manifest } = inputsOf(folder({ "data.bin": randomBytes(1_500_000).toString("latin1") }));
        const { volumes } = manifest.spec.template.spec;
        const { projected } = volumes.find(({ name }: { name: string }) => name === "flux-code-parts");
        assert.equal(projected.sources.length, code?.parts);
        assert.deepEqual(projected.sources[1].configMap.items, [{ key: "part", path: "001" }]);
    });

    it("refuses a folder that has changed since the program has read it, before it touches anything", async () => {
        const source = folder({ "main.py": "1", "b.py": "1" });
        const inputs = inputsOf(source);
        fill(source, { "main.py": "2" });
        await assert.rejects(indexedJob.create(inputs), {
            message:
                `the folder ${source} has changed since this update has read it (changed: main.py). ` +
                "Run the update again, to see the change in its preview",
        });
        assert.deepEqual(writes(), []);
    });

    it("adopts all parts of an interrupted create, and doesn't read the folder for that", async () => {
        const source = folder({ "main.py": "1" });
        const inputs = inputsOf(source);
        await indexedJob.create(inputs);
        const [{ metadata }] = parts();
        api.remove("jobs", "lammps");
        rmSync(source, { recursive: true });
        await indexedJob.create(inputs);
        assert.equal(parts()[0].metadata.uid, metadata.uid);
    });

    it("makes all parts anew if one is missing or comes from another packing", async () => {
        const inputs = inputsOf(folder({ "data.bin": randomBytes(1_500_000).toString("latin1") }));
        await indexedJob.create(inputs);
        const whole = unpacked();
        for (const spoil of [
            ([, part]: any[]) => api.remove("configmaps", part.metadata.name),
            ([, part]: any[]) => {
                part.metadata.annotations[ANNOTATIONS.specHash] = "of another Node";
                part.binaryData.part = "";
            },
        ]) {
            api.remove("jobs", "lammps");
            spoil(parts());
            await indexedJob.create(inputs);
            assert.equal(unpacked(), whole);
        }
    });

    it("refuses a part that belongs to another cluster", async () => {
        const inputs = inputsOf(folder({ "main.py": "1" }));
        await indexedJob.create(inputs);
        api.remove("jobs", "lammps");
        const [part] = parts() as any[];
        part.metadata.annotations[ANNOTATIONS.nonce] = "another";
        part.metadata.ownerReferences = [];
        await assert.rejects(
            indexedJob.create(inputs),
            /ConfigMap hpc\/lammps-code-.* does not belong to this MiniCluster/,
        );
    });

    it("removes the parts after the Job", async () => {
        const { id, outs } = await indexedJob.create(inputsOf(folder({ "main.py": "1" })));
        const [name] = names();
        newOperation();
        await indexedJob.delete(id, outs);
        assert.deepEqual(names(), []);
        const at = (text: string) =>
            api.requests.findIndex((request) => request.startsWith("DELETE") && request.includes(text));
        assert.ok(at("/jobs/") < at(name));
    });

    it("tells a refresh which parts are gone, and the next update makes them without touching the Job", async () => {
        const inputs = inputsOf(folder({ "main.py": "1" }));
        const { id, outs } = await indexedJob.create(inputs);
        const whole = await indexedJob.read(id, outs);
        assert.deepEqual([whole.props, whole.inputs?.code], [outs, inputs.code]);
        const [name] = names();
        api.remove("configmaps", name);
        const { props } = await indexedJob.read(id, outs);
        assert.deepEqual(props?.code?.missing, [name]);
        const { changes, replaces } = await indexedJob.diff(id, props, inputs);
        assert.deepEqual([changes, replaces], [true, []]);
        const { outs: after } = await indexedJob.update(id, props, inputs);
        assert.deepEqual(names(), [name]);
        assert.deepEqual(after?.code, inputs.code);
        assert.ok(!writes().some((request) => /^(PATCH|DELETE) .*jobs/.test(request)));
    });

    it("replaces the Job if a file changes, and not if only the folder has another name", async () => {
        const source = folder({ "main.py": "1" });
        const { id, outs } = await indexedJob.create(inputsOf(source));
        const moved = folder({ "main.py": "1" });
        assert.equal((await indexedJob.diff(id, outs, inputsOf(moved))).changes, false);
        fill(source, { "main.py": "2" });
        assert.deepEqual((await indexedJob.diff(id, outs, inputsOf(source))).replaces, ["manifest"]);
    });

    /** A replacement as the engine makes it: check, delete, create. */
    async function replace(id: string, olds: any, news: IndexedJobInputs, between = () => {}): Promise<void> {
        await indexedJob.check(olds, news);
        between();
        await indexedJob.delete(id, olds);
        await indexedJob.create(news);
    }

    it("creates the new parts before it deletes the old Job, and the old ones go after it", async () => {
        const source = folder({ "main.py": "1" });
        const { id, outs } = await indexedJob.create(inputsOf(source));
        const [old] = names();
        fill(source, { "main.py": "2" });
        api.requests.length = 0;
        await replace(id, outs, inputsOf(source));
        assert.equal(names().length, 1);
        assert.notEqual(names()[0], old);
        const kinds = writes().map((request) => `${request.split(" ")[0]} ${/configmaps|jobs/.exec(request)?.[0]}`);
        assert.ok(kinds.indexOf("POST configmaps") < kinds.indexOf("DELETE jobs"), `${kinds}`);
        assert.ok(kinds.indexOf("DELETE jobs") < kinds.indexOf("DELETE configmaps"), `${kinds}`);
    });

    it("keeps the old Job if the folder changes while the update runs", async () => {
        const source = folder({ "main.py": "1" });
        const { id, outs } = await indexedJob.create(inputsOf(source));
        fill(source, { "main.py": "2" });
        const news = inputsOf(source);
        api.requests.length = 0;
        await assert.rejects(
            replace(id, outs, news, () => fill(source, { "main.py": "3" })),
            /has changed since this update has read it \(changed: main\.py\)/,
        );
        assert.deepEqual(writes(), []);
    });

    it("keeps the parts if only something else of the Job changes", async () => {
        const source = folder({ "main.py": "1" });
        const { id, outs } = await indexedJob.create(inputsOf(source));
        const [{ metadata }] = parts();
        await replace(id, outs, inputsOf(source, { command: ["other"] }));
        assert.equal(parts()[0].metadata.uid, metadata.uid);
    });

    it("makes missing parts before it deletes the old Job, also if the code stays the same", async () => {
        const source = folder({ "main.py": "1" });
        const { id, outs } = await indexedJob.create(inputsOf(source));
        const news = inputsOf(source, { command: ["other"] });
        api.remove("configmaps", names()[0]);
        fill(source, { "main.py": "2" });
        api.requests.length = 0;
        await assert.rejects(replace(id, outs, news), /has changed since this update has read it/);
        assert.deepEqual(writes(), []);
        fill(source, { "main.py": "1" });
        await replace(id, outs, news);
        const kinds = writes().map(
            (request) => `${request.split(" ")[0]} ${/-code-|jobs/.exec(request)?.[0] ?? "part"}`,
        );
        assert.ok(kinds.indexOf("POST part") < kinds.indexOf("DELETE jobs"), `${kinds}`);
        assert.equal(names().length, 1);
    });

    /** Fails in a replacement after the new parts exist, and before the old Job is deleted. */
    async function failsAhead(id: string, olds: any, news: IndexedJobInputs): Promise<void> {
        api.fail(/^DELETE .*jobs/, 403);
        await assert.rejects(replace(id, olds, news));
        newOperation();
    }

    const hashOf = ({ code }: IndexedJobInputs) => code?.hash.slice(0, 10) as string;

    it("removes the parts that a failed create has left, when another code's Job exists", async () => {
        const source = folder({ "main.py": "1" });
        api.fail(/^POST .*jobs/, 403);
        await assert.rejects(indexedJob.create(inputsOf(source)));
        assert.equal(names().length, 1);
        fill(source, { "main.py": "2" });
        const inputs = inputsOf(source);
        api.requests.length = 0;
        await indexedJob.create(inputs);
        assert.deepEqual(
            names().map((name) => name.includes(hashOf(inputs))),
            [true],
        );
        const at = (text: RegExp) => api.requests.findIndex((request) => text.test(request));
        assert.ok(at(/^POST .*jobs/) < at(/^DELETE .*configmaps/));
    });

    it("removes the parts that an interrupted replacement has left, at the next one", async () => {
        const source = folder({ "main.py": "1" });
        const { id, outs } = await indexedJob.create(inputsOf(source));
        fill(source, { "main.py": "2" });
        await failsAhead(id, outs, inputsOf(source));
        assert.equal(names().length, 2);
        fill(source, { "main.py": "3" });
        const last = inputsOf(source);
        await replace(id, outs, last);
        assert.deepEqual(
            names().map((name) => name.includes(hashOf(last))),
            [true],
        );
    });

    it("removes the parts that an interrupted replacement has left, if the next Job has no code", async () => {
        const source = folder({ "main.py": "1" });
        const { id, outs } = await indexedJob.create(inputsOf(source));
        fill(source, { "main.py": "2" });
        await failsAhead(id, outs, inputsOf(source));
        assert.equal(names().length, 2);
        await replace(id, outs, inputsOf(source, { code: undefined }));
        assert.deepEqual(names(), []);
    });

    it("removes the parts beside the Job of an interrupted create, if the next one has no code", async () => {
        const source = folder({ "main.py": "1" });
        await indexedJob.create(inputsOf(source));
        newOperation();
        await indexedJob.create(inputsOf(source, { code: undefined, interrupt: "allow" }));
        assert.deepEqual(names(), []);
    });

    it("lists no ConfigMaps for a cluster that has no code", async () => {
        const plain = (size: number) => makeInputs({ size, interrupt: "allow" }, { kubeconfig: api.kubeconfig });
        const { id, outs } = await indexedJob.create(plain(1));
        await replace(id, outs, plain(2));
        newOperation();
        await indexedJob.create(plain(3));
        assert.deepEqual(
            api.requests.filter((request) => /^GET .*configmaps\?/.test(request)),
            [],
        );
    });

    it("leaves parts of other clusters, and needs no right to list ConfigMaps", async () => {
        const source = folder({ "main.py": "1" });
        api.fail(/^POST .*jobs/, 403);
        await assert.rejects(indexedJob.create(inputsOf(source)));
        const [part] = parts() as any[];
        part.metadata.annotations[ANNOTATIONS.nonce] = "another";
        fill(source, { "main.py": "2" });
        await indexedJob.create(inputsOf(source));
        assert.equal(names().length, 2);
        part.metadata.annotations[ANNOTATIONS.nonce] = inputsOf(source).nonce;
        api.remove("jobs", "lammps");
        api.fail(/^GET .*configmaps\?/, 403, { times: 9 });
        await indexedJob.create(inputsOf(source));
        assert.equal(names().length, 2);
    });

    it("gives its parts new labels with the other objects, and in a replacement that keeps them", async () => {
        const source = folder({ "main.py": "1" });
        const labelled = (team: string, more: Partial<PlainArgs> = {}) =>
            inputsOf(source, { labels: { team }, ...more });
        const teams = () => parts().map(({ metadata }) => metadata.labels?.["team"]);
        const { id, outs } = await indexedJob.create(labelled("a"));
        const { outs: after } = await indexedJob.update(id, outs, labelled("b"));
        assert.deepEqual(teams(), ["b"]);
        const { outs: without } = await indexedJob.update(id, after, inputsOf(source));
        assert.deepEqual(teams(), [undefined]);
        await replace(id, without, labelled("c", { command: ["other"] }));
        assert.deepEqual(teams(), ["c"]);
    });

    it("tells the files of a new and of a changed code once", async () => {
        const source = folder({ "main.py": "1", ".git/HEAD": "" });
        const before = inputsOf(source);
        await indexedJob.check({}, before);
        await indexedJob.check({}, before);
        assert.deepEqual(said, ["lammps: code: 1 file, 1 byte; left out: .git"]);
        said.length = 0;
        fill(source, { "main.py": "2" });
        await indexedJob.check(before, inputsOf(source));
        assert.deepEqual(said.slice(0, 2), [
            "lammps: code: 1 file, 1 byte; left out: .git",
            "lammps: code: changed: main.py",
        ]);
        said.length = 0;
        await indexedJob.check(before, before);
        assert.deepEqual(said, []);
    });
});
