import assert from "node:assert/strict";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { Keeping } from "../../../../provider/jobStatus/keeping";
import { connect } from "../../../../provider/kubernetes/client";
import type { Observation } from "../../../../provider/observe/pods/observation";
import type { Pod } from "../../../../provider/observe/pods/pod";
import { type Behaviour, endOf, FakeExec } from "../../support/fakeExec";
import { makeStatusInputs } from "../../support/states";

const line = (count: number, bytes: number, state = "waits") =>
    `minicluster: results ${state} 0 ${count} ${bytes} 1764460800 ${"ab".repeat(32)} `;

describe("the results that a wait keeps", () => {
    let server: FakeExec;
    let said: string[];
    let warned: string[];
    let keeping: Keeping;
    let lead: Pod;

    async function open(behaviour: Behaviour, more: Partial<Pod> = {}): Promise<void> {
        lead = { rank: 0, name: "mc-0", ...more } as Pod;
        server = await FakeExec.start(behaviour);
        said = [];
        warned = [];
        const keeps = {
            at: join(tmpdir(), "no-results"),
            isFetched: true,
            limit: 100,
            onFailure: false,
            ofAllRanks: false,
        };
        const keeper = {
            kube: connect({ kubeconfig: server.kubeconfig }),
            namespace: "hpc",
            inputs: makeStatusInputs({ keeps }),
            seen: { ranks: () => [lead] } as unknown as Observation,
            changed: () => {},
            say: (text: string) => void said.push(text),
            warn: (text: string) => void warned.push(text),
        };
        keeping = new Keeping(keeper, new AbortController().signal);
    }
    afterEach(() => server.stop());

    it("are left to the user above the limit, without a connection", async () => {
        await open({});
        keeping.heard(line(2, 101));
        await keeping.done();
        const left = "they are 2 files of 101 bytes, above results.limit";
        assert.equal(keeping.kept?.left, left);
        const how = "npx flux-minicluster results lammps -n hpc fetches them until 2025-11-30T00:00:00Z";
        assert.deepEqual([said, warned], [[], [`the results are not fetched: ${left}; ${how}`]]);
        assert.equal(server.connections, 0);
    });

    it("need no fetch if nothing matches, and the pod is told once", async () => {
        await open({ command: (socket) => socket.send(endOf(0)) });
        keeping.heard(line(0, 0));
        keeping.heard(line(0, 0));
        await keeping.done();
        assert.deepEqual([keeping.kept?.files, keeping.kept?.left, server.connections], [[], undefined, 1]);
    });

    it("aren't left to the user if their pod ends meanwhile, after one try", async () => {
        await open({
            upgrade: (socket) => {
                lead = { ...lead, terminated: { exitCode: 137, reason: "", marks: {} } };
                socket.destroy();
            },
        });
        keeping.heard(line(1, 1));
        await keeping.done();
        assert.match(warned.join(), /^the results are not fetched, and the lead's pod has ended: socket hang up$/);
        assert.deepEqual([keeping.kept, keeping.line, server.connections], [undefined, undefined, 1]);
    });

    it("aren't fetched from a pod that has ended before", async () => {
        await open({}, { terminated: { exitCode: 0, reason: "", marks: {} } });
        keeping.heard(line(1, 1));
        await keeping.done();
        assert.deepEqual([keeping.kept, warned, server.connections], [undefined, [], 0]);
    });

    it("aren't fetched without a pod that waits", async () => {
        await open({});
        keeping.heard(line(1, 1, "kept"));
        keeping.heard("minicluster: results are fine");
        await keeping.done();
        assert.deepEqual([keeping.kept, server.connections], [undefined, 0]);
    });
});
