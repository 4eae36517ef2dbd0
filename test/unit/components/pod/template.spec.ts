import assert from "node:assert/strict";

import { podTemplate } from "../../../../components/pod/template";
import { makeFiles } from "../../support/spec";

const make = (...args: Parameters<typeof makeFiles>) => {
    const [spec, files] = makeFiles(...args);
    return podTemplate(spec, "hpc", files);
};

describe("podTemplate", () => {
    it("never restarts a container in place, because the Job handles failed ranks", () => {
        assert.equal(make().spec.restartPolicy, "Never");
    });

    it("gives the pods full and short names in the headless Service", () => {
        const { spec } = make({ clusterDomain: "k8s.example" });
        assert.equal(spec.subdomain, "lammps");
        assert.deepEqual(spec.dnsConfig, { searches: ["lammps.hpc.svc.k8s.example"] });
    });

    it("keeps variables of Services out of the pods, and by default the service account's token", () => {
        const { spec } = make();
        assert.equal(spec.enableServiceLinks, false);
        assert.equal(spec.automountServiceAccountToken, false);
        assert.equal(make({ automountServiceAccountToken: true }).spec.automountServiceAccountToken, true);
    });

    it("keeps service meshes out unless serviceMesh is true", () => {
        const labels = {
            "istio.io/dataplane-mode": "none",
            "kuma.io/sidecar-injection": "disabled",
            "sidecar.istio.io/inject": "false",
        };
        const annotations = { "consul.hashicorp.com/connect-inject": "false", "linkerd.io/inject": "disabled" };
        const has = (found: Record<string, string>, wanted: Record<string, string>) =>
            Object.entries(wanted).filter(([key, value]) => found[key] === value).length;
        const { metadata } = make();
        assert.deepEqual([has(metadata.labels, labels), has(metadata.annotations, annotations)], [3, 2]);
        const meshed = make({ serviceMesh: true }).metadata;
        assert.deepEqual([has(meshed.labels, labels), has(meshed.annotations, annotations)], [0, 0]);
    });

    it("lets a user's label or annotation take a cluster into a mesh", () => {
        const { metadata } = make({
            podLabels: { "istio.io/dataplane-mode": "ambient" },
            podAnnotations: { "linkerd.io/inject": "enabled" },
        });
        assert.equal(metadata.labels["istio.io/dataplane-mode"], "ambient");
        assert.equal(metadata.annotations["linkerd.io/inject"], "enabled");
    });

    it("asks autoscalers not to move a rank of an ephemeral cluster", () => {
        const { annotations } = make().metadata;
        assert.equal(annotations["cluster-autoscaler.kubernetes.io/safe-to-evict"], "false");
        assert.equal(annotations["karpenter.sh/do-not-disrupt"], "true");
        assert.equal(make({ command: [] }).metadata.annotations["karpenter.sh/do-not-disrupt"], undefined);
        assert.equal(
            make({ podAnnotations: { "karpenter.sh/do-not-disrupt": "false" } }).metadata.annotations[
                "karpenter.sh/do-not-disrupt"
            ],
            "false",
        );
    });

    it("uses the cluster DNS with hostNetwork", () => {
        const { spec } = make({ hostNetwork: true });
        assert.equal(spec.hostNetwork, true);
        assert.equal(spec.dnsPolicy, "ClusterFirstWithHostNet");
        assert.equal(make().spec.dnsPolicy, undefined);
    });

    it("passes the other settings of a pod unchanged", () => {
        const { spec } = make({
            imagePullSecrets: ["pull"],
            nodeSelector: { zone: "a" },
            tolerations: [{ key: "gpu", operator: "Exists" }],
            schedulerName: "volcano",
            priorityClassName: "high",
            runtimeClassName: "nvidia",
            serviceAccountName: "runner",
            podSecurityContext: { runAsNonRoot: true },
        });
        const { imagePullSecrets, nodeSelector, tolerations, schedulerName, priorityClassName } = spec;
        assert.deepEqual(
            { imagePullSecrets, nodeSelector, tolerations, schedulerName, priorityClassName },
            {
                imagePullSecrets: [{ name: "pull" }],
                nodeSelector: { zone: "a" },
                tolerations: [{ key: "gpu", operator: "Exists" }],
                schedulerName: "volcano",
                priorityClassName: "high",
            },
        );
        assert.deepEqual(
            [spec.runtimeClassName, spec.serviceAccountName, spec.securityContext],
            ["nvidia", "runner", { runAsNonRoot: true }],
        );
    });

    it("leaves out empty settings", () => {
        const keys = Object.keys(make().spec);
        for (const key of ["imagePullSecrets", "nodeSelector", "tolerations", "securityContext", "schedulerName"]) {
            assert.ok(!keys.includes(key), key);
        }
    });

    it("applies the user's podTemplate last, so that it can change everything", () => {
        const { metadata, spec } = make({
            podTemplate: {
                metadata: { annotations: { "karpenter.sh/do-not-disrupt": null } },
                spec: {
                    dnsConfig: null,
                    containers: [
                        { name: "flux", tty: true },
                        { name: "sidecar", image: "y" },
                    ],
                    volumes: [{ name: "extra", emptyDir: {} }],
                },
            },
        });
        assert.equal(metadata.annotations["karpenter.sh/do-not-disrupt"], undefined);
        assert.equal(spec.dnsConfig, undefined);
        const [flux, sidecar] = spec.containers;
        assert.deepEqual(
            [flux.tty, flux.image, sidecar],
            [true, "registry.example/lammps:1", { name: "sidecar", image: "y" }],
        );
        assert.deepEqual(spec.volumes.at(-1), { name: "extra", emptyDir: {} });
    });
});

describe("fluxContainer", () => {
    const container = (...args: Parameters<typeof makeFiles>) => make(...args).spec.containers[0];

    it("starts with wait.sh, in a shell that every image has", () => {
        assert.deepEqual(container().command, ["/bin/sh", "/etc/flux-minicluster/wait.sh"]);
    });

    it("has the command as its arguments, word by word", () => {
        assert.deepEqual(container({ command: ["sh", "-c", "echo $(A) '$B'  *\n"] }).args, [
            "sh",
            "-c",
            "echo $$(A) '$$B'  *\n",
        ]);
        assert.equal(container({ command: [] }).args, undefined);
    });

    it("has a startup probe until its rank has joined, and no other probe", () => {
        const { livenessProbe, readinessProbe, startupProbe } = container();
        assert.deepEqual(startupProbe.exec.command, ["/bin/sh", "/etc/flux-minicluster/ready.sh"]);
        assert.deepEqual([startupProbe.initialDelaySeconds, startupProbe.periodSeconds], [5, 1]);
        assert.deepEqual([livenessProbe, readinessProbe], [undefined, undefined]);
    });

    it("runs leave.sh before it stops in a persistent cluster", () => {
        assert.deepEqual(container({ command: [] }).lifecycle.preStop.exec.command, [
            "/bin/sh",
            "/etc/flux-minicluster/leave.sh",
        ]);
        assert.equal(container().lifecycle, undefined);
    });

    it("has the given resources, working directory, pull policy and security context", () => {
        const { imagePullPolicy, resources, securityContext, workingDir } = container({
            resources: { limits: { cpu: "2" }, requests: {} },
            workingDir: "/work",
            imagePullPolicy: "Always",
            securityContext: { privileged: true },
        });
        assert.deepEqual(
            { imagePullPolicy, resources, securityContext, workingDir },
            {
                imagePullPolicy: "Always",
                resources: { limits: { cpu: "2" } },
                securityContext: { privileged: true },
                workingDir: "/work",
            },
        );
    });
});
