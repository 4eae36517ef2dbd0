import assert from "node:assert/strict";

import type { FluxJobArgs } from "../../../components/fluxJob/args";
import { FluxJob } from "../../../components/fluxJob/fluxJob";
import { problemsOnCluster } from "../../../components/fluxJob/onCluster";
import { decideJob, noticesOfJob, type PlainJob } from "../../../components/fluxJob/spec";
import { ResultRanks } from "../../../components/features/results";
import { useFolders } from "../support/folder";
import { mockPulumi, settled, valueOf } from "../support/pulumi";
import { makeSpec } from "../support/spec";

const given = { cluster: { name: "lammps", namespace: "hpc", uid: "job-uid" }, command: ["solve"] };

describe("FluxJob with results", () => {
    const folder = useFolders();
    const decided = (args: Partial<PlainJob>) => decideJob({ ...given, ...args }, []);
    const problems = (args: Partial<PlainJob>) =>
        decided(args).problems.map(({ property, reason }) => `${property} ${reason}`);
    const kept = { at: "results/solve", files: [], count: 0, bytes: 0, complete: true };

    async function make(args: Partial<FluxJobArgs>) {
        const type = (name: string) => `pulumi-nodejs:dynamic/flux-minicluster:${name}`;
        const registered = await mockPulumi({
            [type("FluxTicket")]: ({ jobName }) => ({ jobName, nonce: "m0123456789abcdef", key: "hush" }),
            [type("FluxSubmission")]: ({ keeps }) => ({ jobId: "f1", phase: "succeeded", results: keeps && kept }),
        });
        const job = new FluxJob("solve", { ...given, ...args });
        await settled();
        return { job, inputs: registered.find(({ name }) => name === "solve-submission")!.inputs };
    }

    it("passes on what is kept, with the defaults, and outputs it", async () => {
        const { inputs, job } = await make({ results: { paths: ["./out//", "*.png"] } });
        const keeps = { paths: ["out", "*.png"], limit: 100 * 1024 ** 2, onFailure: false, ofAllRanks: false };
        assert.deepEqual(inputs.keeps, { ...keeps, inFolder: false });
        assert.deepEqual(await valueOf(job.results), kept);
        const { job: without } = await make({});
        assert.equal(await valueOf(without.results), undefined);
    });

    it("starts a job with code in a folder of its own, unless it has a working directory", async () => {
        const code = { source: folder({ "main.py": "" }) };
        const results = { paths: ["out"], volume: "data", path: "runs/", ranks: ResultRanks.All, onFailure: true };
        const { inputs } = await make({ code, results });
        const { inFolder, ofAllRanks, onFailure, path, volume } = inputs.keeps;
        assert.deepEqual([inFolder, ofAllRanks, onFailure, path, volume], [true, true, true, "runs", "data"]);
        const { inputs: elsewhere } = await make({ code, results, workingDir: "/tmp" });
        assert.equal(elsewhere.keeps.inFolder, false);
    });

    for (const [args, expected] of [
        [
            { array: { count: 2 }, results: { paths: ["out"] } },
            "results is given, but the elements of array start in one folder, where nothing tells whose a file is. Let each " +
                "write to a path of a volume that has {{index}}, or use FluxJobs without array.",
        ],
        [
            { wait: false, results: { paths: ["out"], volume: "data" } },
            "results.volume is given, but wait is false, so no update copies the results when the job ends. Let the job " +
                "write there itself, or remove wait.",
        ],
        [
            { results: { paths: ["../out"] } },
            'results.paths[0] is "../out"; it must be a path without "..", in which * and ? may stand for characters.',
        ],
        [
            { results: { paths: ["out"], path: "a" } },
            'results.path is "a", a folder in a volume, but there is no results.volume. Give both.',
        ],
    ] as [Partial<PlainJob>, string][]) {
        it(`refuses: ${expected}`, () => assert.deepEqual(problems(args), [expected]));
    }

    it("warns that no update fetches the results if none waits", () => {
        const notices = (wait: boolean) => noticesOfJob(decided({ wait, results: { paths: ["out"] } }).spec!);
        assert.deepEqual(notices(true), []);
        assert.match(
            notices(false).join(),
            /^results is given, but wait is false, so no update fetches the results\. Run/,
        );
    });

    it("refuses a volume that its cluster doesn't mount for writing", () => {
        const cluster = makeSpec({
            command: undefined,
            volumes: [{ name: "data", mountPath: "/data", hostPath: "/srv" }],
        });
        const on = (volume: string) =>
            problemsOnCluster(decided({ results: { paths: ["out"], volume } }).spec!, cluster).map(
                ({ reason }) => reason,
            );
        assert.deepEqual(on("data"), []);
        assert.deepEqual(on("other"), [
            'is "other", which is none of volumes: these are data. Name one, or add it there.',
        ]);
    });
});
