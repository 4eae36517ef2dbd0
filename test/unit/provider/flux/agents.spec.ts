import assert from "node:assert/strict";

import { askAgent } from "../../../../provider/flux/agent/agents";
import { ArrayQueue } from "../../../../provider/flux/arrayQueue";
import { connect, type Kube } from "../../../../provider/kubernetes/client";
import { makeSubmission } from "../../support/submissions";
import { FakeLead } from "../../support/fakeLead";
import { soon } from "../../../e2e/support/until";

describe("the agent of a lead", () => {
    const lead = { namespace: "hpc", pod: "lammps-0-x", container: "flux" };

    it("isn't started for a call that was aborted before", async () => {
        const used: unknown[] = [];
        const kube = new Proxy({} as Kube, { get: (_, name) => void used.push(name) });
        for (const word of ["submit", "watch"]) {
            const signal = AbortSignal.abort(new Error("interrupted"));
            await assert.rejects(askAgent(kube, lead, { words: [word], signal }), /interrupted/);
        }
        assert.deepEqual(used, []);
    });

    it("leaves the turn of a submission that is aborted to the next one", async () => {
        let stop = () => {};
        const fake = await FakeLead.start(() => ({ never: true }));
        const kube = connect({ kubeconfig: fake.kubeconfig });
        try {
            const over = new AbortController();
            stop = () => over.abort(new Error("over"));
            const submit = (signal: AbortSignal) => askAgent(kube, lead, { words: ["submit"], signal });
            const running = Array.from({ length: 8 }, () => submit(over.signal).catch((error: Error) => error.message));
            const waits = new AbortController();
            const waiting = submit(waits.signal);
            const last = submit(over.signal).catch((error: Error) => error.message);
            waits.abort(new Error("interrupted"));
            await assert.rejects(waiting, /interrupted/);
            stop();
            assert.deepEqual(
                await Promise.all([...running, last]),
                Array.from({ length: 9 }, () => "over"),
            );
        } finally {
            stop();
            await fake.stop();
        }
    });

    it("runs two programs for arrays at a time, and shorter watches while others wait", async () => {
        const fake = await FakeLead.start(() => ({ never: true }));
        const kube = connect({ kubeconfig: fake.kubeconfig });
        const overs = Array.from({ length: 4 }, () => new AbortController());
        const seconds = () => fake.calls.map(([, request]) => JSON.parse(request).seconds);
        try {
            const watches = overs.map(({ signal }, index) =>
                new ArrayQueue(kube, lead, signal)
                    .watch(makeSubmission({ nonce: `n${index}`, array: { count: 2 } }), 20)
                    .catch((error: Error) => error.message),
            );
            await soon("two programs run", () => fake.calls.length === 2);
            overs[0].abort(new Error("over"));
            await soon("the next one runs", () => fake.calls.length === 3);
            assert.deepEqual(seconds(), [20, 20, 3]);
            overs.forEach((over) => over.abort(new Error("over")));
            assert.deepEqual(await Promise.all(watches), ["over", "over", "over", "over"]);
        } finally {
            overs.forEach((over) => over.abort(new Error("over")));
            await fake.stop();
        }
    });

    it("gives its place back if it has no place for a call, and is not started again for the same call at once", async () => {
        const fake = await FakeLead.start(([name]) => (name === "watch" ? { busy: "2 programs run already" } : ""));
        try {
            const kube = connect({ kubeconfig: fake.kubeconfig });
            const ask = (...words: string[]) => askAgent(kube, lead, { words, signal: new AbortController().signal });
            const watch = () => assert.rejects(ask("watch", "f1", "m1", "clean", "60"), /2 programs run already/);
            await watch();
            const closed = () => fake.opened.filter(({ readyState }) => readyState > 1).length;
            await soon("the agent has ended", () => closed() === 1);
            await watch();
            assert.deepEqual(fake.called, ["watch"]);
            await ask("remove", "f1", "m1");
            assert.deepEqual([fake.opened.length, fake.called], [2, ["watch", "remove"]]);
        } finally {
            await fake.stop();
        }
    });
});
