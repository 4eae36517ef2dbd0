import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { V1Job, V1Pod } from "@kubernetes/client-node";
import * as pulumi from "@pulumi/pulumi";
import { MiniCluster, Placement, WaitFor } from "flux-minicluster";

import { noFluxImage } from "../../scripts/local/images";
import { makeClaim } from "./support/claim";
import { importTestImage } from "./support/images";
import { useNamespace } from "./support/namespace";
import type { Result } from "./support/stack";
import { until } from "./support/until";

/** Prints, as a task sees them, the properties of the pod that the arguments set. */
const print = `
import json, os
def read(path): return open(path).read()
def write(path):
    try: open(path, "w").write("x")
    except OSError as error: return error.strerror
    return "written"
shm = os.statvfs("/dev/shm")
print(json.dumps({
    "cwd": os.getcwd(),
    "both": read("/both/word") + read("/both/secret"), "renamed": read("/renamed/other"), "image": read("/image/etc/debian_version") != "",
    "claim": write("/claim/new"),
    "settings": read("/settings/word"), "one": read("/one"), "password": read("/passwords/word"),
    "node": read("/node/word"), "nodeWrite": write("/node/new"), "scratchWrite": write("/scratch/new"), "again": os.listdir("/again"),
    "shm": shm.f_blocks * shm.f_frsize, "sidecar": os.path.exists("/scratch/patched"), "patch": os.environ["PATCH"],
    "token": os.path.exists("/var/run/secrets/kubernetes.io"), "services": [name for name in os.environ if name.startswith("POD_LEAD")],
}))
`;

describe("MiniCluster pod", () => {
    const namespace = useNamespace();
    const folder = mkdtempSync(join(tmpdir(), "flux-minicluster-e2e-"));
    let removeClaim: () => Promise<void>;
    let up: Result;

    before(async () => {
        writeFileSync(join(folder, "word"), "from the node");
        const here = { namespace: namespace.name };
        await namespace.kube.core.createNamespacedConfigMap({
            ...here,
            body: { metadata: { name: "settings" }, data: { word: "hello" } },
        });
        await namespace.kube.core.createNamespacedSecret({
            ...here,
            body: { metadata: { name: "passwords" }, stringData: { word: "sesame" } },
        });
        await importTestImage(noFluxImage);
        removeClaim = await makeClaim(namespace, "claim");
        up = await namespace.stack("pod", async () => program()).up();
    });
    after(async () => {
        await removeClaim();
        rmSync(folder, { recursive: true, force: true });
    });

    function program() {
        const cluster = new MiniCluster(
            "pod",
            {
                image: namespace.image,
                command: ["python3", "-c", print],
                workingDir: "/scratch",
                sharedMemory: "16Mi",
                labels: { team: "physics" },
                podLabels: { team: "materials" },
                podAnnotations: { note: "on the pods" },
                annotations: { note: "on the Job" },
                nodeSelector: { "kubernetes.io/os": "linux" },
                tolerations: [{ key: "hpc", operator: "Exists", effect: "NoSchedule" }],
                placement: Placement.Pack,
                networkPolicy: true,
                terminationGracePeriodSeconds: 7,
                volumes: [
                    { name: "scratch", mountPath: "/scratch", emptyDir: { sizeLimit: "10Mi" } },
                    { name: "scratch", mountPath: "/again", emptyDir: { sizeLimit: "10Mi" } },
                    { name: "settings", mountPath: "/settings", configMap: "settings" },
                    { name: "settings", mountPath: "/one", subPath: "word", configMap: "settings" },
                    { name: "passwords", mountPath: "/passwords", secret: "passwords" },
                    { name: "node", mountPath: "/node", hostPath: folder, readOnly: true },
                    { name: "renamed", mountPath: "/renamed", configMap: "settings", items: { word: "other" } },
                    {
                        name: "both",
                        mountPath: "/both",
                        projected: [
                            { configMap: { name: "settings" } },
                            { secret: { name: "passwords", items: [{ key: "word", path: "secret" }] } },
                        ],
                    },
                    { name: "image", mountPath: "/image", image: noFluxImage },
                    { name: "claim", mountPath: "/claim", persistentVolumeClaim: "claim" },
                ],
                podTemplate: {
                    spec: {
                        hostname: null,
                        initContainers: [
                            {
                                name: "patch",
                                image: namespace.image,
                                command: ["touch", "/scratch/patched"],
                                volumeMounts: [{ name: "scratch", mountPath: "/scratch" }],
                            },
                        ],
                        containers: [{ name: "flux", env: [{ name: "PATCH", value: "patched" }] }],
                    },
                },
            },
            { transforms: [labelJobs] },
        );
        return { output: cluster.output };
    }

    it("has its volumes, working directory and shared memory", () => {
        const { again, both, claim, cwd, image, node, nodeWrite, one, password, renamed, scratchWrite, settings, shm } =
            JSON.parse(up.outputs.output);
        assert.deepEqual([both, renamed, image, claim], ["hellosesame", "hello", true, "written"]);
        assert.equal(cwd, "/scratch");
        assert.deepEqual([settings, one, password, node], ["hello", "hello", "sesame", "from the node"]);
        assert.equal(nodeWrite, "Read-only file system");
        assert.equal(scratchWrite, "written");
        assert.deepEqual(again.sort(), ["new", "patched"]);
        assert.equal(shm, 16 * 1024 * 1024);
    });

    it("has the init container and the variable that podTemplate adds", () => {
        const { patch, sidecar } = JSON.parse(up.outputs.output);
        assert.deepEqual([patch, sidecar], ["patched", true]);
    });

    it("has no service account token and no Service variables", () => {
        const { services, token } = JSON.parse(up.outputs.output);
        assert.equal(token, false);
        assert.deepEqual(services, []);
    });

    it("has its labels, annotations and scheduling rules", async () => {
        const [{ metadata = {}, spec }] = (await namespace.pods("pod")) as [V1Pod];
        assert.partialDeepStrictEqual(metadata.labels, { team: "materials" });
        assert.partialDeepStrictEqual(metadata.annotations, {
            note: "on the pods",
            "karpenter.sh/do-not-disrupt": "true",
        });
        assert.partialDeepStrictEqual(spec, {
            nodeSelector: { "kubernetes.io/os": "linux" },
            terminationGracePeriodSeconds: 7,
        });
        assert(spec?.tolerations?.some(({ key }) => key === "hpc"));
        assert(spec?.affinity?.podAffinity !== undefined);
    });

    it("belongs to a Job that transforms can change", async () => {
        const job = await namespace.kube.batch.readNamespacedJob({ name: "pod", namespace: namespace.name });
        assert.equal(job.metadata?.labels?.audited, "yes");
        assert.equal(job.metadata?.labels?.team, "physics");
        assert.equal(job.metadata?.annotations?.note, "on the Job");
    });

    it("has a NetworkPolicy that admits only pods of its cluster", async () => {
        const { items } = await namespace.kube.networking.listNamespacedNetworkPolicy({ namespace: namespace.name });
        const pods = { matchLabels: { "batch.kubernetes.io/job-name": "pod" } };
        const specs = items.map(({ spec }) => JSON.parse(JSON.stringify(spec)));
        const [{ podSelector, policyTypes, ingress }] = specs;
        assert.deepEqual({ podSelector, policyTypes }, { podSelector: pods, policyTypes: ["Ingress"] });
        assert.deepEqual(ingress[0]._from ?? ingress[0].from, [{ podSelector: pods }]);
    });

    it("shares no node if placement is Exclusive", async () => {
        const stack = namespace.stack("alone", async () => {
            const args = { image: namespace.image, size: 2, placement: Placement.Exclusive, waitFor: WaitFor.None };
            new MiniCluster("alone", args);
        });
        await stack.up();
        const reason = await until("one of two pods is unschedulable", async () => {
            const conditions = (await namespace.pods("alone")).flatMap(({ status }) => status?.conditions ?? []);
            return conditions.find(({ reason: why }) => why === "Unschedulable")?.message;
        });
        assert.match(reason, /didn't match pod anti-affinity rules/);
        const placed = (await namespace.pods("alone")).filter(({ spec }) => spec?.nodeName !== undefined);
        assert.equal(placed.length, 1);
    });

    it("uses the network of its node if hostNetwork is true", async () => {
        const stack = namespace.stack("host", async () => {
            const args = {
                image: namespace.image,
                hostNetwork: true,
                broker: { port: 18050 },
                command: ["flux", "getattr", "hostlist"],
            };
            return { output: new MiniCluster("host", args).output };
        });
        const { outputs } = await stack.up();
        const [pod] = (await namespace.pods("host")) as [V1Pod];
        assert.equal(pod.spec?.hostNetwork, true);
        assert.equal(outputs.output.trim(), "host-0");
    });

    it("tells at ready what a LimitRange has given to its pods, for which the program doesn't ask", async () => {
        const limits = [
            { type: "Container", _default: { cpu: "1500m" }, defaultRequest: { cpu: "100m", memory: "64Mi" } },
        ];
        await namespace.kube.core.createNamespacedLimitRange({
            namespace: namespace.name,
            body: { metadata: { name: "defaults" }, spec: { limits } },
        });
        const stack = namespace.stack("limited", async () => {
            return {
                output: new MiniCluster("limited", { image: namespace.image, cores: 2, command: ["true"] }).output,
            };
        });
        const { events, outputs } = await stack.up();
        assert.match(
            outputs.output,
            /asked for 2 CPUs, but the quota of the container is 1\.5: a LimitRange, a webhook or a resize/,
        );
        const [pod] = (await namespace.pods("limited")) as [V1Pod];
        assert.equal(pod.spec?.containers[0].resources?.limits?.cpu, "1500m");
        const gave = "limits.cpu 1500m, requests.cpu 100m and requests.memory 64Mi to the container flux";
        const said = `admission has changed the pods: the LimitRange of namespace ${namespace.name} gave ${gave}. `;
        const warnings = events.flatMap(({ diagnosticEvent: told }) =>
            told?.severity === "warning" && told.message.includes(said) ? [told.message] : [],
        );
        assert.equal(warnings.length, 1, JSON.stringify(events));
    });

    const labelJobs: pulumi.ResourceTransform = ({ opts, props, type }) => {
        if (!type.endsWith(":IndexedJob")) {
            return undefined;
        }
        const manifest = pulumi.output(props.manifest as V1Job).apply((job) => {
            const labels = { ...job.metadata?.labels, audited: "yes" };
            return { ...job, metadata: { ...job.metadata, labels } };
        });
        return { opts, props: { ...props, manifest } };
    };
});
