import assert from "node:assert/strict";

import type { PlainArgs } from "../../../../../components/args";
import { key } from "../../../../../components/features/key";
import { keygenPod } from "../../../../../components/features/key/keygenPod";
import { madeKeySecret } from "../../../../../components/features/key/parts";
import { Keygen } from "../../../../../components/features/key/keygen";
import { configFiles } from "../../../../../components/pod/configMap";
import { podTemplate } from "../../../../../components/pod/template";
import { makeSpec } from "../../../support/spec";

const podOf = (args: Partial<PlainArgs>) => {
    const spec = makeSpec(args);
    return podTemplate(spec, "hpc", configFiles(spec)).spec;
};
const volume = (args: Partial<PlainArgs>, name: string) =>
    podOf(args).volumes.find((one: { name: string }) => one.name === name);

describe("the certificate", () => {
    it("comes from the user's Secret if certificateSecret is given", () => {
        const { secret } = volume({ certificateSecret: "mine" }, "flux-curve");
        assert.deepEqual(secret, {
            secretName: "mine",
            defaultMode: 0o444,
            items: [{ key: "curve.cert", path: "curve.cert" }],
        });
    });

    describe("made by the pods", () => {
        const args = { keygen: Keygen.InitContainer };

        it("lies in a folder in memory that the broker can't write to", () => {
            assert.deepEqual(volume(args, "flux-curve").emptyDir, { medium: "Memory" });
            const [flux] = podOf(args).containers;
            assert.deepEqual(
                flux.volumeMounts.find(({ name }: { name: string }) => name === "flux-curve"),
                {
                    name: "flux-curve",
                    mountPath: "/mnt/curve",
                    readOnly: true,
                },
            );
            assert.ok(flux.env.some(({ value }: { value: string }) => value === "/mnt/curve/curve.cert"));
            assert.match(configFiles(makeSpec(args))["broker.toml"], /curve_cert = "\/mnt\/curve\/curve.cert"/);
        });

        it("is made with a token that the broker's container doesn't get", () => {
            const { automountServiceAccountToken, containers, initContainers, serviceAccountName } = podOf(args);
            const mounted = (container: { volumeMounts: { name: string }[] }) =>
                container.volumeMounts.some(({ name }) => name === "flux-token");
            assert.deepEqual([containers.map(mounted), initContainers.map(mounted)], [[false], [true]]);
            assert.deepEqual([automountServiceAccountToken, serviceAccountName], [false, "lammps-curve"]);
            assert.equal(podOf({ ...args, serviceAccountName: "mine" }).serviceAccountName, "mine");
        });

        it("lies in the only Secret that the pods may use, another one after rotate", () => {
            assert.equal(madeKeySecret(makeSpec(args)), "lammps-curve");
            const rotated = madeKeySecret(makeSpec({ ...args, rotate: "2" }));
            assert.match(rotated, /^lammps-curve-[0-9a-f]{8}$/);
            assert.deepEqual(key.rights?.rules(makeSpec({ ...args, rotate: "2" })), [
                { apiGroups: [""], resources: ["secrets"], resourceNames: [rotated], verbs: ["get", "watch", "patch"] },
            ]);
        });

        it("is made under the security context of the broker", () => {
            const securityContext = { allowPrivilegeEscalation: false };
            assert.deepEqual(podOf({ ...args, securityContext }).initContainers[0].securityContext, securityContext);
        });
    });

    it("leaves the pods unchanged if Pulumi makes it", () => {
        assert.deepEqual(podOf({}), podOf({ keygen: Keygen.Native }));
        assert.equal(podOf({}).initContainers, undefined);
    });
});

describe("the keygen pod", () => {
    const make = (args: Partial<PlainArgs> = {}) => {
        const spec = makeSpec({ keygen: Keygen.Pod, ...args });
        return keygenPod(spec, "hpc");
    };

    it("runs the user's image on the nodes and as the user of the cluster's pods", () => {
        const { spec } = make({
            nodeSelector: { disk: "ssd" },
            podSecurityContext: { runAsUser: 1000 },
            imagePullSecrets: ["pull"],
        });
        assert.partialDeepStrictEqual(spec, {
            nodeSelector: { disk: "ssd" },
            securityContext: { runAsUser: 1000 },
            imagePullSecrets: [{ name: "pull" }],
            restartPolicy: "Never",
        });
        assert.equal(spec.containers[0].image, "registry.example/lammps:1");
        assert.equal(spec.affinity, undefined);
    });

    it("has no label by which a Service or a Job takes it for a rank", () => {
        const { labels } = make().metadata;
        assert.ok(!Object.keys(labels).some((label) => label.startsWith("batch.kubernetes.io/")));
    });

    it("contains its whole script, which reads no file and has nothing that Kubernetes would expand", () => {
        const [shell, option, script] = make().spec.containers[0].command;
        assert.deepEqual([shell, option], ["/bin/sh", "-c"]);
        assert.match(script, /^need_flux\(\) \{$/m);
        assert.match(script, /said=\$\$\(flux keygen/);
        assert.doesNotMatch(script, /MINICLUSTER_SCRIPTS|(?<!\$)\$\(/);
    });

    it("has only the volume that it mounts, and none of the cluster's secrets", () => {
        const { spec } = make();
        const names = spec.volumes.map(({ name }: { name: string }) => name);
        assert.deepEqual(names, ["flux-run"]);
        assert.deepEqual(
            spec.containers[0].volumeMounts.map(({ name }: { name: string }) => name),
            names,
        );
    });
});
