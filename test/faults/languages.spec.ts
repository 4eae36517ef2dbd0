import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";

import { LANGUAGES } from "../../scripts/local/languages";
import { root } from "../../scripts/local/paths";
import { to, useFaultProxy } from "../e2e/support/faultProxy";
import { type Interruption, interruptAt, recover } from "../e2e/support/interruptions";
import { assertFiles, describeProgram } from "../e2e/support/languageProgram";
import { runWorkflow, useLanguage } from "../e2e/support/languages";
import { LiveCluster } from "../e2e/support/liveCluster";
import { useNamespace } from "../e2e/support/namespace";
import { requireNoSecret } from "../e2e/support/secrets";
import { operations, type TestStack } from "../e2e/support/stack";

/* The first steps of programs in the other languages are in test/e2e/languages.spec.ts. */
describeProgram("go");

describe("program in go with results", function () {
    this.timeout(600_000);
    const namespace = useNamespace();
    const program = useLanguage("go", join(root, "test/faults/programs/go"));

    it("has those up to the limit in its folder, and a warning names the others", async () => {
        const kept = program("kept");
        const folder = join((kept as { dir: string }).dir, "results");
        try {
            const stack = namespace.stack("kept", kept, { image: namespace.image });
            const { events, outputs } = await stack.up();
            assert.deepEqual([outputs["kept"], outputs["large"]], ["results/small", ""]);
            assertFiles(folder, { "small/out/a": "one\n", "small/out/b c": "two\n" });
            const warnings = events
                .map(({ diagnosticEvent }) => diagnosticEvent)
                .filter((of) => of?.severity === "warning");
            const command = `npx flux-minicluster results large -n ${namespace.name} fetches them until`;
            assert.match(
                warnings.map((of) => of?.message).join(),
                new RegExp(`large: the results are not fetched: .*${command}`),
            );
            await stack.destroy();
            await namespace.assertNothingLeft();
        } finally {
            rmSync(folder, { recursive: true, force: true });
        }
    });
});

for (const language of LANGUAGES.filter((of) => of !== "python")) {
    describe(`program in ${language} with jobs`, () => {
        const namespace = useNamespace();
        const example = useLanguage(language);

        it("runs a job after the job whose output it needs", () => runWorkflow(namespace, example));
    });
}

for (const language of LANGUAGES) {
    describe(`program in ${language} with two clusters`, function () {
        this.timeout(600_000);
        const namespace = useNamespace();
        const proxy = useFaultProxy(namespace);
        const program = useLanguage(language, join(root, "test/faults/programs", language));
        const password = `pass-${randomBytes(12).toString("hex")}`;
        let stack: TestStack;
        let uids: readonly string[];

        const first = () => new LiveCluster(namespace, "first");
        const configure = async (key: string, value: string, secret = false) =>
            (await stack.open()).setConfig(key, { value, secret });
        const child = (part: string) => stack.resources().find(({ urn }) => urn.endsWith(`::${part}`));

        before(async () => {
            stack = namespace.stack("twins", program("twins"), { image: namespace.image, size: "2" });
            await configure("password", password, true);
            await configure("kubeconfig", readFileSync(proxy().kubeconfig, "utf8"), true);
        });

        it("creates them, and says how many ranks have joined", async () => {
            const { outputs, text } = await stack.up();
            assert.equal(outputs["phase"], "ready");
            assert.match(text, /first: \d\/2 ranks joined/);
            uids = outputs["uids"];
            assert.equal(new Set(uids).size, 2);
        });

        it("has no secret in state, output and log", async () => {
            const { outputs } = (await stack.decrypted()).find(({ type }) => type === "pulumi:pulumi:Stack") ?? {};
            const keys = (await stack.decrypted()).filter(({ type }) => type.endsWith(":CurveKey"));
            assert.equal(keys.length, 2);
            const secretKeys = keys.map(({ outputs: key }) => JSON.parse(key?.["secretKey"].plaintext) as string);
            const token = JSON.parse(outputs?.["token"].plaintext) as string;
            requireNoSecret([...stack.files(), stack.printed], [password, token, ...secretKeys]);
        });

        it("shows no changes afterwards", async () => {
            await stack.preview(true);
            await stack.unchanged();
            await stack.refresh(true);
        });

        it("refuses a wrong argument with one message that names the property", async () => {
            await configure("minSize", "7");
            try {
                const { text } = await stack.fails("preview");
                const line =
                    /"first" has 1 problem in its arguments:\n\s+minSize: is 7; the quorum must be from 1 to size 2\.\n/;
                assert.match(text, line);
            } finally {
                await configure("minSize", "1");
            }
        });

        it("resizes one of them in place", async () => {
            await configure("size", "3");
            const { events, outputs } = await stack.up();
            assert.equal(operations(events)["first-job"], "update");
            assert.equal(operations(events)["second-job"], "same");
            assert.deepEqual(outputs["uids"], uids);
            await stack.unchanged();
        });

        it("replaces one of them by hand", async () => {
            const { outputs } = await stack.replace(child("second-job")?.urn ?? "");
            assert.equal(outputs["uids"][0], uids[0]);
            assert.notEqual(outputs["uids"][1], uids[1]);
            await stack.unchanged();
        });

        for (const interruption of [
            "SIGINT once",
            "kill -9 of the CLI",
            "kill -9 of the plugin host",
        ] as Interruption[]) {
            it(`continues an update after ${interruption} while it waits`, async () => {
                await configure("size", child("first-job")?.inputs?.["manifest"].spec.completions === 3 ? "2" : "3");
                const uid = await first().uid();
                const { succeeded } = await interruptAt(stack, "up", proxy().hold(to("WATCH", "pods")), interruption);
                assert.equal(succeeded, false);
                const again = await recover(stack, "up");
                assert(again.succeeded, again.text);
                assert.equal(await first().uid(), uid);
                assert.deepEqual(stack.state().pendingOperations, []);
                await stack.unchanged();
            });
        }

        it("leaves nothing", async () => {
            await stack.destroy();
            await namespace.assertNothingLeft();
        });
    });
}
