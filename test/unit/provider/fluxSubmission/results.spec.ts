import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";

import { ANNOTATIONS } from "../../../../provider/contract/labels";
import type { WantedJobResults } from "../../../../provider/contract/results";
import type { FluxSubmissionInputs } from "../../../../provider/fluxSubmission/properties";
import { fluxSubmission } from "../../../../provider/fluxSubmission/verbs";
import { endFrame } from "../../support/calls";
import { type Answer, FakeLead } from "../../support/fakeLead";
import { makeSubmission } from "../../support/submissions";

const eventsOf = (status: number) => endFrame(status).replace(/^events\n/, "");

const CURE =
    "npx flux-minicluster results lammps f26Zqx -n hpc fetches them while the pods of the job's ranks are there; " +
    "later, change triggers to run the job again";

/** What job-results.sh prints. */
function told(state: string, lines: readonly string[], bytes = 0): Answer {
    const files = lines.filter((line) => !line.startsWith("!"));
    const packed = gzipSync(lines.map((line) => `${line}\n`).join("")).toString("base64");
    const mark = `minicluster: results ${state} 0 ${files.length} ${bytes} 0 ${"ab".repeat(32)} ${packed}\n`;
    return { code: 0, stdout: "", stderr: mark };
}

const listed = (bytes: number, path: string, rank = 0) => `${"cd".repeat(32)} ${bytes} ${rank} ${path}`;

describe("the results of a FluxJob in an update", () => {
    const { log } = console;
    let lead: FakeLead;
    let status: number;
    let answer: Answer;
    let onKeep: () => void;

    beforeEach(async () => {
        console.log = () => undefined;
        status = 0;
        answer = told("waits", []);
        onKeep = () => undefined;
        lead = await FakeLead.start(([name]) => {
            if (name === "submit") {
                return "f26Zqx\n";
            } else if (name === "watch") {
                return eventsOf(status);
            } else if (name === "env") {
                onKeep();
                return answer;
            }
            return "";
        });
    });

    afterEach(async () => {
        console.log = log;
        await lead.stop();
    });

    const wanted: WantedJobResults = {
        paths: ["out/", "*.png"],
        limit: 100,
        onFailure: false,
        ofAllRanks: false,
        inFolder: false,
    };
    const inputsOf = (keeps: Partial<WantedJobResults> = {}, more: Partial<FluxSubmissionInputs> = {}) =>
        makeSubmission({
            kubeconfig: lead.kubeconfig,
            timeouts: { ready: 1 },
            maxBytes: 0,
            keeps: { ...wanted, ...keeps },
            ...more,
        });
    const create = async (...of: Parameters<typeof inputsOf>) => (await fluxSubmission.create(inputsOf(...of))).outs;
    /** The words of the calls that keep results: variables of the scripts, and those after the text. */
    const kept = () =>
        lead.calls.filter(([name]) => name === "env").map((words) => [...words.slice(1, 5), ...words.slice(9, 13)]);

    it("are listed by the lead, and nothing is fetched if nothing matches", async () => {
        answer = told("waits", ["! nothing matches out"]);
        const { phase, results } = await create();
        assert.equal(phase, "succeeded");
        assert.deepEqual(results, {
            at: "",
            files: [],
            count: 0,
            bytes: 0,
            complete: false,
            reason: "nothing matches out",
        });
        assert.deepEqual(kept(), [
            [
                "MINICLUSTER_RESULTS=out/\n*.png",
                "MINICLUSTER_RESULTS_HOME=/var/lib/flux/job-results/n0123456789abcdef-f26Zqx/results",
                "MINICLUSTER_RESULTS_PLACE=",
                "MINICLUSTER_RESULTS_RANKS=",
                "keep",
                "f26Zqx",
                "0",
                "",
            ],
        ]);
    });

    it("are left to the user above the limit, and the output says how to fetch them", async () => {
        answer = told("waits", [listed(60, "b"), listed(41, "a")], 101);
        const { results } = await create();
        const { files, ...others } = results!;
        assert.deepEqual(
            files.map(({ path }) => path),
            ["a", "b"],
        );
        const reason = `they are 2 files of 101 bytes, above results.limit; ${CURE}`;
        assert.deepEqual(others, { at: "", count: 2, bytes: 101, complete: false, reason });
    });

    it("are in a volume whose mount the cluster's Job has", async () => {
        const volumeMounts = [
            { name: "data", mountPath: "/inputs", readOnly: true },
            { name: "data", mountPath: "/data/" },
        ];
        lead.job = { spec: { template: { spec: { containers: [{ name: "flux", volumeMounts }] } } } };
        answer = told("kept", [listed(1, "rank-3/a", 3)], 1);
        const { results } = await create({ volume: "data", ofAllRanks: true }, { jobName: "a/b" });
        assert.deepEqual(results, {
            at: "data:a%2Fb",
            files: [{ path: "rank-3/a", bytes: 1, sha256: "cd".repeat(32), rank: 3 }],
            count: 1,
            bytes: 1,
            complete: true,
        });
        assert.deepEqual(kept()[0].slice(2, 4), [
            "MINICLUSTER_RESULTS_PLACE=/data/a%2Fb",
            "MINICLUSTER_RESULTS_RANKS=all",
        ]);
        const { results: none } = await create({ volume: "other" });
        const missing = 'results.volume is "other", which the pods of the cluster don\'t mount for writing';
        assert.equal(none?.reason, `${missing}; ${CURE}`);
    });

    it("are lost with the reason of the pod, and the job has succeeded", async () => {
        answer = told("lost", ["! the pod could not copy them to /data/solve: No space left on device"]);
        const { phase, results } = await create();
        assert.deepEqual(
            [phase, results?.at, results?.reason],
            ["succeeded", "", "the pod could not copy them to /data/solve: No space left on device"],
        );
    });

    it("are not asked for after a failure, except on request", async () => {
        status = 3 << 8;
        const failed = await create().catch((error: { properties: any }) => error.properties);
        assert.match(failed.results.reason, /^the job has failed; results\.onFailure keeps/);
        assert.equal(kept().length, 0);
        answer = told("waits", ["! nothing matches out"]);
        const onFailure = await create({ onFailure: true }).catch((error: { properties: any }) => error.properties);
        assert.deepEqual([onFailure.phase, onFailure.results.reason], ["failed", "nothing matches out"]);
        assert.equal(kept()[0][6], "3");
    });

    it("are said not to be kept if the cluster is away or Flux has forgotten the job, and the job has succeeded", async () => {
        answer = { code: 64, stdout: "" };
        assert.equal((await create()).results?.reason, `Flux doesn't know the job any more; ${CURE}`);
        answer = { code: 65, stdout: "" };
        onKeep = () => void (lead.state = "suspended");
        const { phase, results } = await create();
        assert.equal(phase, "succeeded");
        assert.match(
            results?.reason ?? "",
            /^the cluster is suspended; the wait ended .*; npx flux-minicluster results/,
        );
    });

    it("wake no cluster that has fallen asleep meanwhile", async () => {
        answer = { code: 65, stdout: "" };
        onKeep = () => {
            lead.state = "suspended";
            lead.job = { metadata: { annotations: { [ANNOTATIONS.asleep]: "2026-01-01T00:00:00Z" } } };
        };
        const { results } = await create();
        assert.equal(results?.reason, `the cluster sleeps, and the disks of its pods are gone; ${CURE}`);
        assert.equal(lead.state, "suspended");
    });

    it("stay known if a later update that wants others finds nothing any more", async () => {
        answer = told("waits", []);
        const olds = {
            ...(await create()),
            results: { at: "results/solve", files: [], count: 2, bytes: 3, complete: true },
        };
        answer = { code: 64, stdout: "" };
        const { outs } = await fluxSubmission.update("id", olds, inputsOf({ paths: ["more"] }));
        assert.deepEqual(outs?.results, olds.results);
        assert.deepEqual(outs?.keeps?.paths, ["more"]);
    });

    it("are kept by a later update that wants others, which doesn't submit the job again", async () => {
        const olds = await create();
        const changed = async (keeps: Partial<WantedJobResults>, more: Partial<FluxSubmissionInputs> = {}) =>
            fluxSubmission.diff("id", olds, inputsOf(keeps, more));
        assert.equal((await changed({})).changes, false);
        const { changes, replaces } = await changed({ paths: ["more"] });
        assert.deepEqual([changes, replaces], [true, []]);
        answer = told("waits", ["! nothing matches more"]);
        const { outs } = await fluxSubmission.update("id", olds, inputsOf({ paths: ["more"] }));
        assert.equal(outs.results?.reason, "nothing matches more");
        assert.deepEqual(
            lead.called.filter((name) => name === "submit" || name === "remove"),
            ["submit"],
        );
        const { outs: without } = await fluxSubmission.update("id", outs, { ...inputsOf(), keeps: undefined });
        assert.ok(!("results" in without));
    });

    it("are kept by the update that waits again, if a refresh has seen the job's end first", async () => {
        const { results: _results, ...begun } = await create({}, { wait: false });
        const { props } = await fluxSubmission.read("id", { ...begun, wait: true, results: null });
        assert.deepEqual([props?.phase, props?.results], ["succeeded", null]);
        assert.equal((await fluxSubmission.diff("id", props!, inputsOf())).changes, true);
        const { outs } = await fluxSubmission.update("id", props!, inputsOf());
        assert.equal(outs.results?.complete, true);
        assert.equal((await fluxSubmission.diff("id", outs, inputsOf())).changes, false);
    });

    it("are left to the user if no update waits", async () => {
        const outs = await create({}, { wait: false });
        assert.equal(outs.results, null);
        const { props } = await fluxSubmission.read("id", outs);
        assert.equal(props?.results?.reason, `wait is false, so no update fetches them; ${CURE}`);
        assert.equal(kept().length, 0);
    });

    it("go with the job on all ranks", async () => {
        const outs = await create();
        await fluxSubmission.delete("id", outs);
        const words = lead.calls.at(-1)!;
        assert.deepEqual(words.slice(-2), ["drop", "/var/lib/flux/job-results/n0123456789abcdef-f26Zqx"]);
    });
});
