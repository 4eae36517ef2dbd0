import assert from "node:assert/strict";

import { pack } from "../../../../provider/code/pack";
import type { JobCode } from "../../../../provider/contract/code/code";
import { CodeArchives } from "../../../../provider/flux/code/archives";
import type { Kube } from "../../../../provider/kubernetes/client";
import type { Executed } from "../../../../provider/kubernetes/streams/exec";
import { codeOfJob, useFolders } from "../../support/folder";

describe("CodeArchives", () => {
    const folder = useFolders();
    const kube = {} as Kube;
    let codes: JobCode[];
    /** The pods and hashes to which calls have sent code, and the most calls at a time to one pod. */
    let sent: string[];
    let most: number;
    let exitCode: number;

    class Counted extends CodeArchives {
        private static readonly running = new Map<string, number>();

        protected override async call([, , , hash]: readonly string[]): Promise<Executed> {
            const { pod } = this.lead;
            const running = (Counted.running.get(pod) ?? 0) + 1;
            Counted.running.set(pod, running);
            most = Math.max(most, running);
            sent.push(`${pod}/${hash}`);
            // Longer than another call takes to begin.
            await Promise.all(codes.map(pack));
            await Promise.all(codes.map(pack));
            Counted.running.set(pod, running - 1);
            return { exitCode, stdout: "", stderr: "no" };
        }
    }

    beforeEach(() => {
        codes = ["1", "2", "3"].map((text) => codeOfJob(folder({ "main.py": text })));
        [sent, most, exitCode] = [[], 0, 0];
    });

    const archives = (pod = "lead") =>
        new Counted(kube, { namespace: "hpc", pod, container: "flux" }, new AbortController().signal);

    it("sends codes to a lead one after the other, each once", async () => {
        await Promise.all([...codes, ...codes].map((code) => archives().put(code)));
        assert.deepEqual([sent, most], [codes.map(({ hash }) => `lead/${hash}`), 1]);
    });

    it("sends a code once more after it was sent", async () => {
        await archives().put(codes[0]);
        await archives().put(codes[0]);
        assert.equal(sent.length, 2);
    });

    it("sends the next code after a failure too", async () => {
        exitCode = 1;
        const done = await Promise.allSettled(codes.map((code) => archives().put(code)));
        assert.deepEqual([done.map(({ status }) => status), sent.length], [codes.map(() => "rejected"), 3]);
    });

    it("sends a code to one lead while another one gets it", async () => {
        await Promise.all([archives("a").put(codes[0]), archives("b").put(codes[0])]);
        assert.deepEqual(sent.sort(), [`a/${codes[0].hash}`, `b/${codes[0].hash}`]);
    });
});
