import assert from "node:assert/strict";

import { keygenPod as manifestOf } from "../../../components/features/key/keygenPod";
import { Keygen } from "../../../components/features/key/keygen";
import { curveCertificate } from "../../../provider/contract/curveKey";
import { makeKeyPair } from "../../../provider/curveKey/keyPair";
import { completePod } from "../../../provider/keygenPod/pod";
import type { KeygenPodInputs } from "../../../provider/keygenPod/properties";
import { keygenPod } from "../../../provider/keygenPod/verbs";
import { putLeadService, useApi } from "../support/fakeApi";
import { NONCE } from "../support/jobs";
import { makeSpec } from "../support/spec";

const NAME = "lammps-keygen";
const PODS = "/api/v1/namespaces/hpc/pods";

describe("keygenPod", () => {
    const certificate = curveCertificate("lammps", makeKeyPair());
    const api = useApi(putLeadService);

    beforeEach(() => {
        api.logs.set(NAME, certificate);
    });

    function inputs(overrides: Partial<KeygenPodInputs> = {}): KeygenPodInputs {
        const spec = makeSpec({ keygen: Keygen.Pod });
        return {
            manifest: manifestOf(spec, "hpc"),
            lead: { name: "lammps-lead", uid: "service-uid", address: "10.96.0.7" },
            nonce: NONCE,
            timeouts: { ...spec.timeouts, imagePull: 0 },
            kubeconfig: api.kubeconfig,
            ...overrides,
        };
    }

    const written = () =>
        api.requests.filter((request) => !request.startsWith("GET")).map((request) => request.split("?")[0]);

    /** Gives the pod a status, as its kubelet does. */
    async function ends(state: object, phase = "Succeeded"): Promise<void> {
        await api.seen(new RegExp(`GET ${PODS}.*watch=true`));
        const pod = api.get("pods", NAME)!;
        api.put("pods", { ...pod, status: { phase, containerStatuses: [{ name: "flux", state }] } });
    }

    const ended = (exitCode: number, message = "") => ({
        terminated: { exitCode, message, startedAt: "2026-11-21T10:00:00Z" },
    });

    async function failing(state: object, phase?: string): Promise<string> {
        const creating = keygenPod.create(inputs()).then(
            () => assert.fail("made a key"),
            (error: Error) => error.message,
        );
        await ends(state, phase);
        return creating;
    }

    it("takes the certificate from the log, and deletes the pod", async () => {
        const creating = keygenPod.create(inputs());
        await ends(ended(0));
        const { id, outs } = await creating;
        assert.deepEqual([id, outs.certificate], [`hpc/${NAME}`, certificate]);
        assert.deepEqual(written(), [`POST ${PODS}`, `DELETE ${PODS}/${NAME}`]);
        assert.equal(api.get("pods", NAME), undefined);
    });

    it("makes the lead Service the owner of the pod, which then ends with it whatever happens to Pulumi", async () => {
        const { metadata } = completePod(inputs());
        assert.deepEqual(metadata?.ownerReferences, [
            { apiVersion: "v1", kind: "Service", name: "lammps-lead", uid: "service-uid" },
        ]);
    });

    it("adopts the pod that an interrupted create has left", async () => {
        api.put("pods", {
            ...completePod(inputs()),
            status: { phase: "Succeeded", containerStatuses: [{ name: "flux", state: ended(0) }] },
        } as any);
        assert.equal((await keygenPod.create(inputs())).outs.certificate, certificate);
        assert.deepEqual(written(), [`DELETE ${PODS}/${NAME}`]);
    });

    it("takes no key from a pod that was created before a rotation", async () => {
        api.put("pods", {
            ...completePod(inputs()),
            status: { phase: "Succeeded", containerStatuses: [{ name: "flux", state: ended(0) }] },
        } as any);
        const creating = keygenPod.create(inputs({ rotate: "2" }));
        await api.seen(new RegExp(`POST ${PODS}`));
        await api.seen(new RegExp(`GET ${PODS}.*watch=true`), 1);
        api.put("pods", {
            ...api.get("pods", NAME)!,
            status: { phase: "Succeeded", containerStatuses: [{ name: "flux", state: ended(0) }] },
        });
        await creating;
        assert.deepEqual(written(), [`DELETE ${PODS}/${NAME}`, `POST ${PODS}`, `DELETE ${PODS}/${NAME}`]);
    });

    it("refuses a pod of another owner", async () => {
        api.put("pods", { metadata: { name: NAME, labels: { "app.kubernetes.io/managed-by": "Helm" } } });
        await assert.rejects(
            keygenPod.create(inputs()),
            /Pod hpc\/lammps-keygen exists and belongs to Helm\. Give the MiniCluster another name/,
        );
        assert.deepEqual(written(), []);
    });

    const failures: [string, object, string, RegExp][] = [
        [
            "a missing flux",
            ended(78, "minicluster.error=the image has no flux on PATH (/bin); install flux-core in it\n"),
            "Failed",
            /lammps-keygen can't start: the image has no flux on PATH/,
        ],
        [
            "an image that can't be pulled",
            { waiting: { reason: "ErrImagePull", message: "not found" } },
            "Pending",
            /does not start: ErrImagePull: not found.*timeouts\.imagePull/,
        ],
        [
            "an image that is never pulled",
            { waiting: { reason: "ErrImageNeverPull", message: "is not present" } },
            "Pending",
            /ErrImageNeverPull: is not present/,
        ],
        ["another exit code", ended(3), "Failed", /lammps-keygen ended with exit code 3 and made no key/],
    ];
    for (const [what, state, phase, expected] of failures) {
        it(`reports ${what}, and deletes the pod`, async () => {
            assert.match(await failing(state, phase), expected);
            assert.equal(api.get("pods", NAME), undefined);
        });
    }

    it("reports the warning about a pod without volumes or network", async () => {
        const creating = keygenPod.create(inputs({ timeouts: { ...makeSpec({}).timeouts, podStart: 0 } })).then(
            () => assert.fail("made a key"),
            (error: Error) => error.message,
        );
        await ends({ waiting: { reason: "ContainerCreating" } }, "Pending");
        api.put("events", {
            metadata: { name: "e" },
            type: "Warning",
            reason: "FailedCreatePodSandBox",
            message: 'no runtime for "ghost" is configured',
            involvedObject: { kind: "Pod", name: NAME, uid: api.get("pods", NAME)!.metadata.uid },
        });
        assert.match(
            await creating,
            /lammps-keygen does not start: no runtime for "ghost" is configured \(for 0 s; raise timeouts\.podStart/,
        );
    });

    it("shows nothing of a log that isn't a certificate, because it may contain a key", async () => {
        api.logs.set(NAME, `warning: hello\n${certificate}`);
        const message = await failing(ended(0));
        assert.equal(
            message,
            "The output of lammps-keygen is not a CURVE certificate: see its line 1. It must be what flux keygen writes, and nothing else.",
        );
        assert.equal(api.get("pods", NAME), undefined);
    });

    it("makes a new key only if rotate changes", async () => {
        const outs = { ...inputs(), certificate, schemaVersion: 1 };
        assert.deepEqual(await keygenPod.diff("id", outs, inputs()), { changes: false, replaces: [] });
        assert.deepEqual(await keygenPod.diff("id", outs, inputs({ rotate: "2" })), {
            changes: true,
            replaces: ["rotate"],
        });
        assert.equal((await keygenPod.update("id", outs, inputs())).outs.certificate, certificate);
        assert.deepEqual((await keygenPod.read("id", outs)).props, outs);
        await keygenPod.delete("id", outs);
    });
});
