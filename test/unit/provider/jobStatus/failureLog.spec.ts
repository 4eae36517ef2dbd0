import assert from "node:assert/strict";

import type { Kube } from "../../../../provider/kubernetes/client";
import { failureLog } from "../../../../provider/jobStatus/failure/failureLog";
import { Observation } from "../../../../provider/observe/pods/observation";
import type { Pod } from "../../../../provider/observe/pods/pod";
import type { Waited } from "../../../../provider/jobStatus/wait";

const TAKEN = "<3>overlay.err[0]: error binding to tcp://*:8050: Address already in use\n";

describe("failureLog", () => {
    let asked: string[];

    beforeEach(() => {
        asked = [];
    });

    /** An API server with the logs of pods. */
    const kubeWith = (logs: Record<string, string>): Kube => {
        const readNamespacedPodLog = async (request: { container: string; name: string; tailLines: number }) => {
            const { container, name, tailLines } = request;
            asked.push(`${name} ${container === "flux" ? "" : `${container} `}${tailLines}`);
            return logs[name] ?? "";
        };
        return { core: { readNamespacedPodLog } } as unknown as Kube;
    };

    const ended = (rank: number, marks: Record<string, string> = {}): Pod => ({
        rank,
        name: `lammps-${rank}`,
        uid: "",
        createdAt: 0,
        startedAt: 1,
        phase: "Failed",
        deleting: false,
        succeeded: false,
        terminated: { exitCode: 1, reason: "Error", marks },
    });

    const waitedFor = (seen = new Observation("job-uid", 0)): Waited => ({
        seen,
        interrupted: false,
        last: { phase: "failed", line: "failed", outcome: "failed" },
    });

    const logOf = (logs: Record<string, string>, ranks: readonly Pod[], output = "", waited = waitedFor()) =>
        failureLog(kubeWith(logs), "hpc", waited, ranks, output);

    it("is a log that can be explained, if no pod's scripts report why it ended", async () => {
        const log = await logOf({ "lammps-0": "hello\n", "lammps-1": TAKEN }, [ended(0), ended(1)]);
        assert.deepEqual([log?.pod.name, log?.text], ["lammps-1", TAKEN]);
    });

    it("is the log of the pod whose scripts report why it ended, rather than one that can be explained", async () => {
        const log = await logOf({ "lammps-0": TAKEN, "lammps-1": "no flux\n" }, [
            ended(0),
            ended(1, { error: "no flux" }),
        ]);
        assert.deepEqual([log?.pod.name, log?.text], ["lammps-1", "no flux\n"]);
    });

    it("is the log of the init container that has failed", async () => {
        const pod = ended(1);
        const failed = { ...pod, startedAt: undefined, terminated: { ...pod.terminated!, init: "fetch" } };
        const log = await logOf({ "lammps-1": "no such bucket\n" }, [ended(0), failed]);
        assert.deepEqual([log?.pod.name, log?.text], ["lammps-1", "no such bucket\n"]);
        assert.deepEqual(asked, ["lammps-1 fetch 200"]);
    });

    it("is read again if the output may be cut, and is the output if that fails", async () => {
        const whole = `${TAKEN}a\nb\n`;
        assert.equal((await logOf({ "lammps-0": whole }, [ended(0)], "b\n"))?.text, whole);
        assert.deepEqual(asked, ["lammps-0 200"]);
        assert.equal((await logOf({}, [ended(0)], "b\n"))?.text, "b\n");
    });

    it("is the output if that has enough lines", async () => {
        const output = "line\n".repeat(200);
        assert.equal((await logOf({}, [ended(0)], output))?.text, output);
        assert.deepEqual(asked, []);
    });

    it("isn't requested from an API server that doesn't answer", async () => {
        const seen = new Observation("job-uid", 0);
        seen.setAnswer("pods", "connect ECONNREFUSED", 0);
        assert.equal(await logOf({ "lammps-0": TAKEN }, [ended(0)], "", waitedFor(seen)), undefined);
        assert.deepEqual(asked, []);
    });
});
