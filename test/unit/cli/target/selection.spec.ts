import assert from "node:assert/strict";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";

import { attach } from "../../../../cli/attach/action";
import { cancel } from "../../../../cli/cancel/action";
import { drain } from "../../../../cli/drain/action";
import { explain } from "../../../../cli/explain/action";
import { jobs } from "../../../../cli/jobs/action";
import { logs } from "../../../../cli/logs/action";
import { shell } from "../../../../cli/shell/action";
import { status } from "../../../../cli/status/action";
import { submit } from "../../../../cli/submit/action";
import { wakeUp } from "../../../../cli/wake/action";
import { exportsOf } from "../../../../cli/target/stack";
import { selected } from "../../../../cli/target/target";
import { labelsOf } from "../../../../provider/contract/labels";
import { useApi } from "../../support/fakeApi";
import { makeRecord } from "../../support/runs";

describe("the selection of a cluster", () => {
    const api = useApi((made) => put(made, "lammps", "job-uid"));
    const { PATH } = process.env;
    let folder: string;

    beforeEach(() => {
        folder = mkdtempSync(join(tmpdir(), "selection-"));
        process.env.PATH = `${folder}${delimiter}${PATH}`;
        answer({ output: {}, history: [{ kind: "update", result: "succeeded" }] });
    });

    afterEach(() => {
        process.env.PATH = PATH;
        rmSync(folder, { recursive: true });
    });

    function put(to: typeof api, name: string, uid: string): void {
        to.put("jobs", { metadata: { name, uid, labels: labelsOf(name) }, spec: { parallelism: 2 }, status: {} });
    }

    /** Makes a `pulumi` that answers `stack output`, `stack history` and `stack export`. */
    function answer(said: {
        readonly output: object | string;
        readonly history?: readonly object[];
        readonly state?: object;
    }): void {
        const output =
            typeof said.output === "string"
                ? `echo '${said.output}' >&2; exit 1`
                : `echo '${JSON.stringify(said.output)}'`;
        const history = `echo '${JSON.stringify(said.history ?? [])}'`;
        const state = `echo '${JSON.stringify(said.state ?? {})}'`;
        const script = `#!/bin/sh\ncase $2 in output) ${output} ;; history) ${history} ;; export) ${state} ;; esac\n`;
        writeFileSync(join(folder, "pulumi"), script);
        chmodSync(join(folder, "pulumi"), 0o755);
    }

    const select = async (options: object = {}) => selected({ namespace: "hpc", kubeconfig: kubeconfig(), ...options });

    function kubeconfig(): string {
        const path = join(folder, "config");
        writeFileSync(path, api.kubeconfig);
        return path;
    }

    const cluster = { name: "lammps", namespace: "hpc", hosts: ["lammps-0"], uid: "job-uid" };

    it("is the cluster that the stack exports", async () => {
        answer({ output: { cluster } });
        const found = await select();
        assert.ok("target" in found);
        assert.deepEqual([found.target.name, found.target.outputs?.uid, found.note], ["lammps", "job-uid", undefined]);
    });

    describe("whose update has failed with its command", () => {
        const record = makeRecord({ uid: "gone", phase: "failed" });
        const status = { phase: "failed", exitCode: 3, slowest: "lammps-0: 2 s", record };
        const ofJob = { phase: "failed", record: { ...record, jobId: "f1" } };
        const resources = [
            {},
            { outputs: { phase: "ready", slowest: "", record: null } },
            { outputs: { ...status, exitCode: 1 }, delete: true },
            { outputs: { ...status, output: { ciphertext: "c" } } },
            { outputs: ofJob },
        ];

        beforeEach(() => answer({ output: {}, history: [], state: { deployment: { resources } } }));

        it("is the run in the stack's state, for a report", async () => {
            const found = await selected({ namespace: "hpc", kubeconfig: kubeconfig() }, true);
            assert.ok("target" in found);
            const { name, namespace, outputs, uid } = found.target;
            assert.deepEqual([namespace, name, uid], ["hpc", "lammps", "gone"]);
            assert.deepEqual([outputs?.exitCode, outputs?.slowestRank, outputs?.record], [3, "lammps-0: 2 s", record]);
            assert.equal(outputs?.output, undefined);
        });

        it("is that run in place of what an earlier update has exported, for a report", async () => {
            const { hosts } = cluster;
            const pending = { ...cluster, uid: "gone", phase: "pending" };
            answer({
                output: { cluster: pending, other: { ...pending, name: "other" } },
                state: { deployment: { resources } },
            });
            const { clusters } = await exportsOf(undefined, true);
            assert.deepEqual(
                clusters.map(({ name, phase }) => [name, phase]),
                [
                    ["lammps", "failed"],
                    ["other", "pending"],
                ],
            );
            assert.deepEqual((clusters[0] as unknown as typeof cluster).hosts, hosts);
            assert.equal((await exportsOf(undefined)).clusters[0].phase, "pending");
        });

        it("is the only cluster of the namespace, for other commands", async () => {
            const found = await select();
            assert.ok("target" in found);
            assert.equal(found.target.uid, "job-uid");
        });
    });

    for (const [what, said, why] of [
        [
            "failed",
            { output: {}, history: [{ kind: "update", result: "failed" }] },
            /the last update of the stack failed, and /,
        ],
        [
            "was interrupted",
            { output: {}, history: [{ kind: "update", result: "in-progress" }] },
            /an operation .*\(update\) .* was interrupted/,
        ],
        ["never came", { output: {}, history: [] }, /the stack has not been updated yet/],
        [
            "destroyed it",
            { output: {}, history: [{ kind: "destroy", result: "succeeded" }] },
            /the stack was destroyed/,
        ],
        [
            "exported none",
            { output: {}, history: [{ result: "succeeded" }] },
            /exports no MiniCluster\. Export the resource/,
        ],
        ["has no stack", { output: "error: no stack selected" }, /because no stack selected$/],
    ] as const) {
        it(`is the only cluster of the namespace if the last update ${what}, and says so`, async () => {
            answer(said);
            const found = await select();
            assert.ok("target" in found);
            assert.deepEqual([found.target.name, found.target.uid], ["lammps", "job-uid"]);
            assert.match(found.note ?? "", /^takes lammps, the only MiniCluster in the namespace hpc, because /);
            assert.match(found.note ?? "", why);
        });
    }

    it("needs a name if the namespace has several clusters, which it lists with their phases", async () => {
        put(api, "namd", "another");
        const found = await select();
        assert.ok("problem" in found);
        assert.match(
            found.problem,
            /^The namespace hpc has several MiniClusters: lammps \(starting, 0 of 2 ranks\), namd \(starting, .*\. Give --cluster NAME, /,
        );
    });

    it("says that the namespace has none", async () => {
        api.remove("jobs", "lammps");
        const found = await select();
        assert.ok("problem" in found);
        assert.match(
            found.problem,
            /^There is no MiniCluster in the namespace hpc of the cluster at \S+\. .*: the stack exports no MiniCluster\./,
        );
    });

    it("looks into the given namespace if the stack's cluster is in another one", async () => {
        answer({ output: { cluster: { ...cluster, namespace: "elsewhere" } } });
        const found = await select();
        assert.ok("target" in found);
        assert.match(found.note ?? "", /because the stack's MiniCluster lammps is in the namespace elsewhere$/);
    });

    it("takes no other cluster than that of a stack that is named", async () => {
        await assert.rejects(
            select({ stack: "dev" }),
            /^Error: The stack dev selects no MiniCluster: the stack exports no/,
        );
    });

    for (const [name, act, words] of [
        ["status", status, []],
        ["logs", logs, []],
        ["shell", shell, []],
        ["jobs", jobs, []],
        ["wake", wakeUp, []],
        ["submit", submit, ["true"]],
        ["attach", attach, ["f26Zqx"]],
        ["cancel", cancel, ["f26Zqx"]],
        ["explain", explain, ["f26Zqx"]],
        ["drain", drain, ["1"]],
    ] as const) {
        it(`is refused in the same words by ${name} if it isn't there`, () =>
            assert.rejects(
                act({
                    command: name,
                    options: { namespace: "hpc", kubeconfig: kubeconfig(), cluster: "nobody" },
                    words,
                }),
                /^Error: There is no MiniCluster nobody in the namespace hpc of the cluster at http\S+\.$/,
            ));
    }

    it("asks for the last update only if the stack exports none", async () => {
        answer({ output: { cluster } });
        assert.equal((await exportsOf(undefined)).why, "");
    });
});
