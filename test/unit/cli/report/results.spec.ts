import assert from "node:assert/strict";

import type { V1Job } from "@kubernetes/client-node";

import { collect } from "../../../../cli/report/collect";
import type { Source } from "../../../../cli/report/source";
import { configFiles } from "../../../../components/pod/configMap";
import { job } from "../../../../components/pod/job";
import { toldIn } from "../../../../provider/results/list";
import { makePod, makeRecord } from "../../support/runs";
import { makeSpec } from "../../support/spec";
import { offerOf } from "../../support/waitingCluster";

const MANY = Object.fromEntries(
    Array.from({ length: 25 }, (_, index) => [`out/${String(index).padStart(2, "0")}`, "x"]),
);

/** A lead that runs, or has ended with this report. */
function leadOf(message?: string) {
    const pod = makePod("lammps", 0, 3);
    const [container] = pod.status!.containerStatuses!;
    const terminated = { exitCode: 0, message };
    const state = message === undefined ? container.state : { terminated };
    return { ...pod, status: { ...pod.status, containerStatuses: [{ ...container, state }] } };
}

/** A source of a command with results and code. */
function sourceOf(results: object, more: Partial<Source> = {}): Source {
    const volumes = [{ name: "data", mountPath: "/data", hostPath: "/srv" }];
    const spec = makeSpec({ results: { paths: ["out"], ...results }, volumes, code: { source: "examples/code/src" } });
    const live = job(spec, "hpc", configFiles(spec)) as V1Job;
    const metadata = { ...live.metadata, uid: "job-uid" };
    return {
        name: "lammps",
        namespace: "hpc",
        now: 0,
        job: { ...live, metadata, status: {} },
        pods: [leadOf()],
        events: [],
        recorded: {},
        unread: [],
        ...more,
    };
}

const kept = { at: "results/lammps", files: [], count: 1, bytes: 3, complete: true };
const HOW = "npx flux-minicluster results lammps -n hpc fetches them until 2025-11-30T00:00:00Z";

describe("The results in a report", () => {
    it("are those for which the lead waits, with twenty names and the way to fetch them", () => {
        const { ran, results } = collect(sourceOf({}, { told: toldIn(offerOf(MANY).line) }));
        assert.deepEqual([results?.at, results?.count, results?.reason], ["", 25, HOW]);
        assert.deepEqual(
            results?.files.map(({ path }) => path),
            Object.keys(MANY).slice(0, 20),
        );
        assert.match(ran.code ?? "", /^[0-9a-f]{64}$/);
    });

    for (const [what, source, expected] of [
        ["are unknown while the command runs", sourceOf({}), undefined],
        [
            "are where the update has put them",
            sourceOf({}, { recorded: { results: kept }, pods: [leadOf("minicluster.results=fetched")] }),
            ["results/lammps", 1, undefined],
        ],
        [
            "are those of the lead if the update had left them",
            sourceOf(
                {},
                {
                    recorded: { results: { ...kept, at: "", complete: false, reason: HOW } },
                    pods: [leadOf("minicluster.results=fetched")],
                    told: toldIn(offerOf({ a: "b" }).line),
                },
            ),
            ["", 1, "another client has fetched them, into results/lammps if it was given no folder"],
        ],
        [
            "are in a volume",
            sourceOf(
                { volume: "data", path: "runs/1" },
                {
                    pods: [leadOf("minicluster.results=kept")],
                    told: toldIn(offerOf({ a: "b" }, { state: "kept" }).line),
                },
            ),
            ["data:runs/1", 1, undefined],
        ],
    ] as [string, Source, unknown[] | undefined][]) {
        it(what, () => {
            const { results } = collect(source);
            assert.deepEqual(results && [results.at, results.count, results.reason], expected);
        });
    }

    it("and the code are those of the stack's outputs if the Job doesn't exist any more", () => {
        const recorded = { phase: "succeeded", record: makeRecord({ code: "c0de" }), results: kept };
        const { ran, results } = collect(sourceOf({}, { job: undefined, pods: [], recorded }));
        assert.deepEqual([ran.code, results], ["c0de", kept]);
    });
});
