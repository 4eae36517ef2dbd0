import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setImmediate } from "node:timers/promises";

import fc from "fast-check";

import { DynamicHost, FakeEngine, type HostError, type HostName, HOSTS } from "../../support/host";
import { isAlive } from "../../support/processes";

const FAST: HostName = "the fast host";
const PULUMI: HostName = "Pulumi's dynamic provider host";

/** A dynamic resource of another package: it says which process runs it. */
const FOREIGN = `exports.handler = () => ({
    configure: async ({ config }) => { exports.greeting = config.get("greeting"); },
    check: async (olds, news) => ({ inputs: { ...news, checked: true }, failures: [{ property: "a", reason: "b" }] }),
    diff: async (id, olds, news) => ({ changes: true, replaces: ["x"] }),
    create: async (inputs) => {
        if (inputs.fail) {
            throw Object.assign(new Error("it is there, but not ready"), { id: "7", properties: { a: 1 }, reasons: ["why"] });
        }
        return { id: "7", outs: { pid: process.pid, greeting: exports.greeting } };
    },
});`;

/** Needs dist/. */
describe("FastHost", () => {
    let engine: FakeEngine;

    before(async () => (engine = await FakeEngine.start()));
    after(() => engine.stop());

    const CONFIGURATION = { "project:greeting": "hello" };

    describe("with dynamic resources of other packages", () => {
        let host: DynamicHost;
        const inputs = { __provider: FOREIGN, a: "1" };

        before(async () => {
            host = await DynamicHost.start(FAST, engine.address);
            await host.configure(CONFIGURATION);
        });
        after(async () => host.stop());

        it("runs all of them in one process of Pulumi's own host, with the configuration", async () => {
            const [first, second] = [await host.create(inputs), await host.create({ ...inputs, a: "2" })];
            assert.equal(first.id, "7");
            assert.equal(first.outs.pid, second.outs.pid);
            assert.notEqual(first.outs.pid, host.pid);
            assert.equal(first.outs.greeting, "hello");
        });

        it("passes failures of check, differences and replacements on", async () => {
            const { failures, inputs: checked } = await host.checkWith(inputs, {});
            assert.deepEqual([checked.checked, failures], [true, [{ property: "a", reason: "b" }]]);
            assert.deepEqual(await host.diff("7", inputs, inputs), { changes: 2, replaces: ["x"] });
        });

        it("passes a partial failure on, with the outputs that the engine keeps", async () => {
            const error = await host.create({ ...inputs, fail: true }).then(
                () => assert.fail("the call did not fail"),
                (caught: HostError) => caught.failure,
            );
            const message = "it is there, but not ready";
            assert.deepEqual(error, { message, id: "7", properties: { a: 1 }, reasons: ["why"] });
        });

        it("starts no Pulumi host for this package's own resources", async () => {
            const other = await DynamicHost.start(FAST, engine.address);
            await other.create({ __provider: (await other.check("CurveKey", { rotate: "1" })).inputs.__provider });
            assert.deepEqual(other.children, []);
            await other.stop();
        });

        it("ends Pulumi's host with itself", async () => {
            const other = await DynamicHost.start(FAST, engine.address);
            try {
                await other.configure(CONFIGURATION);
                const { pid } = (await other.create(inputs)).outs;
                assert.deepEqual(other.children, [pid]);
                await other.stop();
                // The test's own limit of time ends this loop if the process stays.
                while (isAlive(pid)) {
                    await setImmediate();
                }
            } finally {
                await other.stop();
            }
        });
    });

    it("answers for any properties as Pulumi's own host does", async function () {
        this.timeout(60_000);
        const [fast, pulumi] = [
            await DynamicHost.start(FAST, engine.address),
            await DynamicHost.start(PULUMI, engine.address),
        ];
        const values = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 }), { maxKeys: 5 });
        await fc.assert(
            fc.asyncProperty(values, values, async (olds, news) => {
                const [one, two] = await Promise.all(
                    [fast, pulumi].map((host) => host.check("FluxTicket", news, olds)),
                );
                assert.deepEqual(one, two);
                const diffs = await Promise.all([fast, pulumi].map((host) => host.diff("1", one.inputs, two.inputs)));
                assert.deepEqual(diffs[0], diffs[1]);
                const reads = await Promise.all([fast, pulumi].map((host) => host.read("1", one.inputs)));
                assert.deepEqual(reads[0], reads[1]);
            }),
            { numRuns: 200 },
        );
        await Promise.all([fast.stop(), pulumi.stop()]);
    });

    it("leaves the place to Pulumi's own host beside a version of the SDK that it doesn't know", () => {
        const folder = mkdtempSync(join(tmpdir(), "sdk-"));
        const put = (file: string, text: string) => {
            mkdirSync(dirname(join(folder, file)), { recursive: true });
            writeFileSync(join(folder, file), text);
        };
        put("node_modules/@pulumi/pulumi/package.json", '{"version": "3.999.0"}');
        put("node_modules/@pulumi/pulumi/cmd/dynamic-provider/index.js", 'console.log("4711", process.argv[2])');
        const { stderr, stdout } = spawnSync(HOSTS[FAST][0], ["127.0.0.1:1"], { cwd: folder, encoding: "utf8" });
        assert.equal(stdout, "4711 127.0.0.1:1\n");
        assert.match(
            stderr,
            /^flux-minicluster: the fast host knows @pulumi\/pulumi 3\.\d+ to 3\.\d+, .* has 3\.999\.0\./,
        );
        rmSync(folder, { recursive: true });
    });
});
