import assert from "node:assert/strict";

import { ofJob } from "../../../cli/results/fluxJob";
import { packWanted, type WantedJobResults } from "../../../provider/contract/results";
import { connect } from "../../../provider/kubernetes/client";
import { endFrame } from "../support/calls";
import { type Answer, FakeLead } from "../support/fakeLead";

const wanted: WantedJobResults = {
    paths: ["out"],
    volume: "data",
    limit: 1,
    onFailure: false,
    ofAllRanks: false,
    inFolder: true,
};

const jobspec = (minicluster: object) =>
    JSON.stringify({ attributes: { system: { job: { name: "a/b" } }, user: { minicluster } } });

const mark = (state: string) => `minicluster: results ${state} 0 0 0 0 ${"ab".repeat(32)} \n`;

describe("the command results for a job", () => {
    let lead: FakeLead;
    let found: Answer;
    let events: Answer;
    let kept: Answer;

    beforeEach(async () => {
        found = `f26Zqx\n\n${jobspec({ key: "m1", results: packWanted(wanted) })}\n`;
        events = endFrame().replace(/^events\n/, "");
        kept = { code: 0, stdout: "", stderr: mark("waits") };
        lead = await FakeLead.start(([name]) => ({ env: kept, watch: events })[name] ?? found);
    });

    afterEach(() => lead.stop());

    const fetch = () => {
        const target = { kube: connect({ kubeconfig: lead.kubeconfig }), namespace: "hpc", name: "lammps" };
        return ofJob(target, { jobId: "123456789" }, new AbortController().signal);
    };
    const keeps = () => lead.calls.filter(([name]) => name === "env").map((words) => [words[3], ...words.slice(-4)]);

    it("lists them anew, as the job was submitted, and never puts them into a volume", async () => {
        const { count, target } = await fetch();
        assert.deepEqual([count, target], [0, "results/a%2Fb"]);
        const folder = "/var/lib/flux/job-results/m1-f26Zqx";
        const place = "MINICLUSTER_RESULTS_PLACE=";
        assert.deepEqual(keeps(), [[place, "f26Zqx", "0", `${folder}/work`, packWanted(wanted)]]);
    });

    it("takes what an update has last looked for", async () => {
        const changed = { ...wanted, paths: ["more"], inFolder: false };
        found = `f26Zqx\n${packWanted(changed)}\n${jobspec({ key: "m1" })}\n`;
        await fetch();
        assert.deepEqual(keeps()[0].slice(3), ["", packWanted(changed)]);
    });

    for (const [what, set, message] of [
        ["that Flux doesn't know", () => (found = 64), /^Flux doesn't know job 123456789\. .* jobs lists those that/],
        ["without results", () => (found = `f26Zqx\n\n${jobspec({})}\n`), /^job f26Zqx has no argument results\. npx/],
        [
            "that has not ended",
            () => (events = '{"name":"submit","timestamp":1}\n'),
            /^job f26Zqx has not ended yet\. Its results are there when it has\.$/,
        ],
        [
            "whose results are lost",
            () => (kept = { code: 64, stdout: "" }),
            /^the results of job f26Zqx are lost: Flux doesn't know/,
        ],
    ] as [string, () => unknown, RegExp][]) {
        it(`refuses a job ${what}`, async () => {
            set();
            await assert.rejects(fetch(), ({ message: said }: Error) => message.test(said));
        });
    }
});
