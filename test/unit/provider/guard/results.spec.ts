import assert from "node:assert/strict";

import type { PlainArgs } from "../../../../components/args";
import { Interrupt } from "../../../../components/features/update";
import { indexedJob } from "../../../../provider/indexedJob/verbs";
import { useApi, putLeadService } from "../../support/fakeApi";
import { makeInputs, makeOutputs } from "../../support/jobs";
import { newOperation } from "../../support/newOperation";
import { operate } from "../../support/program";
import { offerOf, putWaiting } from "../../support/waitingCluster";

const { line } = offerOf({ "out/a": "first", b: "" });
const BLOCKED = "results (2 files, 5 bytes) are not fetched";
const CURE =
    "Fetch them by npx flux-minicluster results lammps -n hpc until 2025-11-30T00:00:00Z, or set interrupt to " +
    '"allow" to lose them.';

describe("The guard of results that nobody has fetched", () => {
    const { argv } = process;
    const { log } = console;
    const api = useApi(putLeadService);
    let said: string[];

    beforeEach(() => {
        said = [];
        console.log = (text: string) => said.push(text);
    });
    afterEach(() => {
        console.log = log;
        process.argv = argv;
        newOperation();
    });

    const results = { paths: ["out"] };
    const inputsOf = (args: Partial<PlainArgs> = {}) =>
        makeInputs({ results, ...args }, { kubeconfig: api.kubeconfig });
    const outputsOf = () => makeOutputs({ results }, { kubeconfig: api.kubeconfig });
    const refusal = async (args: Partial<PlainArgs>) =>
        ((await indexedJob.check(inputsOf(), inputsOf(args))).failures ?? []).map(({ reason }) => reason);

    it("refuses a replacement, and says until when they wait and how to get them", async () => {
        putWaiting(api, `done\n${line}`);
        assert.deepEqual(await refusal({ image: "other" }), [
            `This change replaces the Job, but the Job's ${BLOCKED}. ${CURE}`,
        ]);
    });

    it("permits it with interrupt, and says what is lost", async () => {
        putWaiting(api, line);
        assert.deepEqual(await refusal({ image: "other", interrupt: Interrupt.Allow }), []);
        assert.ok(said.join("\n").includes(`as interrupt allows: the Job's ${BLOCKED}.`), said.join("\n"));
    });

    it("refuses to delete a Job that has left the program, and lets pulumi destroy do it with a word", async () => {
        const id = putWaiting(api, line);
        await operate(true, ({ message }) => said.push(message));
        await assert.rejects(indexedJob.delete(id, outputsOf()), ({ message }: Error) => {
            assert.ok(message.startsWith(`Job hpc/lammps is not deleted, because its ${BLOCKED}. `), message);
            assert.ok(message.includes(CURE), message);
            return true;
        });
        await operate(false);
        await indexedJob.delete(id, outputsOf());
        assert.equal(api.get("jobs", "lammps"), undefined);
        assert.ok(
            said.some((text) => text.endsWith(`is deleted although its ${BLOCKED}`)),
            said.join("\n"),
        );
    });

    for (const [what, args, log] of [
        ["are kept in a volume", { results: { ...results, volume: "data" } }, line],
        ["are not there yet", {}, "step 1\n"],
        ["are lost", {}, offerOf({ a: "" }, { state: "lost" }).line],
        ["can't be read", {}, undefined],
    ] as [string, Partial<PlainArgs>, string | undefined][]) {
        it(`protects the command as any other if they ${what}`, async () => {
            putWaiting(api, "", { volumes: [{ name: "data", mountPath: "/data", hostPath: "/srv" }], ...args });
            if (log === undefined) {
                api.logs.delete("lammps-0-x");
            } else {
                api.logs.set("lammps-0-x", log);
            }
            assert.match((await refusal({ image: "other" })).join(), /the Job's command has been running for 24 h/);
        });
    }

    it("permits the replacement of a cluster whose lead has ended", async () => {
        putWaiting(api, line, {}, { started: false, state: { terminated: { exitCode: 0 } } });
        api.put("pods", { ...api.get("pods", "lammps-0-x")!, status: { phase: "Succeeded" } });
        api.put("jobs", { ...api.get("jobs", "lammps")!, status: { ...api.get("jobs", "lammps")!.status, ready: 0 } });
        assert.deepEqual(await refusal({ image: "other" }), []);
    });
});
