import assert from "node:assert/strict";

import { resolveSpec } from "../../../components/arguments/decide";
import { podTemplate } from "../../../components/pod/template";
import { more } from "./mpiJob/support";
import { assertPreview, convert } from "./operator/support";

const OWN = ["/bin/sh", "/etc/flux-minicluster/leave.sh"];
const bash = (text: string) => ["/bin/sh", "-c", text];

describe("lifecycle hooks of a converted resource", () => {
    const lifecycleOf = (args: object) =>
        podTemplate(resolveSpec("sample", args as never), "default", {}).spec.containers[0].lifecycle;
    const graceOf = (args: object) => resolveSpec("sample", args as never).terminationGracePeriodSeconds;

    it("of the operator run in the pod, preStopExec after the cluster's own hook", () => {
        const { args, warnings } = convert(
            { interactive: true },
            { lifeCycle: { postStartExec: "a", preStopExec: "b" } },
        );
        assertPreview(args);
        assert.deepEqual(warnings, []);
        assert.deepEqual(lifecycleOf(args), {
            postStart: { exec: { command: bash("a") } },
            preStop: { exec: { command: [...OWN, ...bash("b")] } },
        });
    });

    it("of an MPIJob's workers run in the pod, and after the cluster's own hook if the program adds onRankLoss", () => {
        const preStop = { exec: { command: ["save", "--all"] } };
        const { args, warnings } = more({ worker: { lifecycle: { preStop } } });
        assert.deepEqual(warnings, []);
        assert.deepEqual(lifecycleOf({ image: "a:1", ...args }), { preStop });
        assert.deepEqual(lifecycleOf({ image: "a:1", ...args, onRankLoss: "rerun" }), {
            preStop: { exec: { command: [...OWN, "save", "--all"] } },
        });
    });

    it("have Kubernetes' 30 s besides the cluster's own seconds, unless the file gives another grace period", () => {
        const stays = { interactive: true };
        const lifeCycle = { preStopExec: "b" };
        assert.equal(graceOf(convert(stays, { lifeCycle }).args), 50);
        assert.equal(graceOf(convert(stays, { lifeCycle: { postStartExec: "a" } }).args), 20);
        const lifecycle = { preStop: { exec: { command: ["save"] } } };
        const graceOfJob = (workerPod: object) =>
            graceOf({ image: "a:1", ...more({ worker: { lifecycle }, workerPod }).args });
        assert.equal(graceOfJob({}), 40);
        assert.equal(graceOfJob({ terminationGracePeriodSeconds: 30 }), 40);
        assert.equal(graceOfJob({ terminationGracePeriodSeconds: 90 }), 90);
    });
});
