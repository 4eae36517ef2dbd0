import type { KubernetesObject } from "../../../../provider/contract/object";
import type { FakeApi } from "../../support/fakeApi";
import { ended, joining, putEvent, putJob, putNames, putNode, putPod, say, unscheduled, waiting } from "./support";

/** A fault that is made on purpose, and what the doctor says of it. */
export interface Fault {
    readonly fault: string;
    readonly make: (api: FakeApi) => void;
    readonly level: "fail" | "unchecked" | "warn";
    /** The group, the words and the cure of the line. */
    readonly says: RegExp;
    /** The line is an example in docs/hang.md. */
    readonly isShown?: true;
}

const TAINT = { key: "gpu", value: "only", effect: "NoSchedule" };
const QUEUED = { metadata: { name: "lammps", uid: "job-uid", labels: { "kueue.x-k8s.io/queue-name": "team" } } };
const QUOTA = { requests: { cpu: "4" } };

function putQuota(api: FakeApi, used: string): void {
    const hard = { "requests.cpu": QUOTA.requests.cpu };
    api.put("resourcequotas", {
        metadata: { name: "team" },
        spec: { hard },
        status: { hard, used: { "requests.cpu": used } },
    });
}

/** What Kueue says of the Job while the quota is used up. */
function putWorkload(api: FakeApi): void {
    const condition = { type: "QuotaReserved", status: "False", message: "insufficient unused quota" };
    const labels = { "kueue.x-k8s.io/job-uid": "job-uid" };
    api.put("workloads", { metadata: { name: "w", labels }, status: { conditions: [condition] } });
}

/** Takes the second pod away. */
function putOnePod(api: FakeApi): void {
    putJob(api, {}, { status: { active: 1 } });
    api.remove("pods", "lammps-1-x");
}

function putClaimant(api: FakeApi): void {
    const message = "0/2 nodes are available: pod has unbound immediate PersistentVolumeClaims.";
    const volumes = [{ name: "data", persistentVolumeClaim: { claimName: "data" } }];
    putPod(api, 1, unscheduled(message), { nodeName: undefined, volumes });
}

const mark = (message: string) => ended(78, `minicluster.error=${message}\n`);

/** Faults of a cluster, beside those of test/unit/support/causes. */
export const FAULTS: readonly Fault[] = [
    {
        fault: "a Kubernetes that is too old",
        make: (api) => Object.assign(api.version, { minor: "30" }),
        level: "fail",
        says: /^server: Kubernetes at \S+ is 1\.30; 1\.31 is needed, .* \| upgrade the Kubernetes cluster$/,
    },
    {
        fault: "an API server that fails",
        make: (api) => api.fail(/version/, 503, { times: 9, message: "etcd is away" }),
        level: "fail",
        says: /^server: the API server at \S+ fails: etcd is away \| wait/,
    },
    {
        fault: "a credential that is refused",
        make: (api) => (api.accepts = () => false),
        level: "fail",
        says: /^server: the API server at \S+ refuses the credential \(401\) \| log in again/,
    },
    {
        fault: "a cluster that doesn't exist",
        make: (api) => api.remove("jobs", "lammps"),
        level: "fail",
        says: /^cluster: There is no MiniCluster lammps in the namespace hpc of the cluster at \S+\. \| --context or --kubeconfig of its cluster; minicluster list/,
    },
    {
        fault: "a namespace that doesn't exist",
        make: (api) =>
            api.fail(/dryRun/, 404, {
                times: 2,
                reason: "NotFound",
                name: "hpc",
                message: 'namespaces "hpc" not found',
            }),
        level: "fail",
        says: /^admission: a pod would be refused: namespaces "hpc" not found \| kubectl create namespace hpc/,
    },
    {
        fault: "Pod Security that warns",
        make: (api) => (api.dryRunWarning = '299 - "would violate PodSecurity \\"restricted:latest\\": runAsNonRoot"'),
        level: "warn",
        says: /^admission: a Job would be created with a warning: would violate PodSecurity "restricted:latest": runAsNonRoot \| the fields/,
    },
    {
        fault: "Pod Security that refuses",
        isShown: true,
        make: (api) =>
            api.fail(/pods\?dryRun/, 403, {
                message: 'pods "lammps-doctor" is forbidden: violates PodSecurity "restricted:latest": runAsNonRoot',
            }),
        level: "fail",
        says: /^admission: a pod would be refused: .*violates PodSecurity .* \| the fields that the message names; docs\/security\.md/,
    },
    {
        fault: "a webhook that refuses",
        make: (api) =>
            api.fail(/jobs\?dryRun/, 400, { message: 'admission webhook "a.example" denied the request: no' }),
        level: "fail",
        says: /^admission: a Job would be refused: admission webhook "a\.example" denied the request: no \| as the message says/,
    },
    {
        fault: "a webhook that answers no dry run",
        make: (api) =>
            api.fail(/pods\?dryRun/, 400, { message: 'admission webhook "a.example" does not support dry run' }),
        level: "unchecked",
        says: /^admission: a pod: admission webhook "a\.example" does not support dry run$/,
    },
    {
        fault: "no right to try a pod",
        make: (api) => (api.allows = ({ resource, verb }) => resource !== "pods" || verb !== "create"),
        level: "unchecked",
        says: /^admission: a pod: no right to create pods, .* \| the right to create pods/,
    },
    {
        fault: "a quota that is full",
        isShown: true,
        make: (api) => {
            putOnePod(api);
            putQuota(api, "3");
        },
        level: "fail",
        says: /^quota: 1 pod of 2 cpu: quota team leaves 1 of 4 requests\.cpu; .* \| smaller resources or size, or a larger quota/,
    },
    {
        fault: "a LimitRange that is too small",
        make: (api) => {
            putOnePod(api);
            const limits = [{ type: "Container", max: { cpu: "1" } }];
            api.put("limitranges", { metadata: { name: "small" }, spec: { limits } });
        },
        level: "fail",
        says: /^quota: 1 pod of 2 cpu can never start: LimitRange small allows at most 1 cpu, .* \| smaller resources/,
    },
    {
        fault: "nodes that are too small",
        make: (api) => {
            putPod(api, 1, unscheduled("0/2 nodes are available: 2 Insufficient cpu."), { nodeName: undefined });
            const amounts = { cpu: "1", memory: "1Gi", pods: "110" };
            [0, 1].forEach((index) =>
                putNode(api, `node-${index}`, { status: { allocatable: amounts, capacity: amounts } }),
            );
        },
        level: "fail",
        says: /^nodes: 1 pod of 2 cpu can never start: .* \| .*more nodes/,
    },
    {
        fault: "nodes with a taint",
        make: (api) => {
            putPod(api, 1, unscheduled("0/2 nodes are available: 2 node(s) had untolerated taint {gpu: only}."), {
                nodeName: undefined,
            });
            [0, 1].forEach((index) => putNode(api, `node-${index}`, { spec: { taints: [TAINT] } }));
        },
        level: "fail",
        says: /^nodes: 1 pod of 2 cpu: none fits now .*taints that aren't tolerated: gpu.* \| .*tolerations/,
    },
    {
        fault: "a node of the cluster that isn't ready",
        make: (api) => {
            const conditions = [{ type: "Ready", status: "Unknown", reason: "NodeStatusUnknown", message: "no word" }];
            putNode(api, "node-1", { status: { conditions } });
        },
        level: "fail",
        says: /^nodes: node node-1 isn't ready \(NodeStatusUnknown: no word\) \| kubectl describe node/,
    },
    {
        fault: "another node under pressure",
        make: (api) =>
            putNode(api, "other", {
                spec: { unschedulable: true },
                status: {
                    conditions: [
                        { type: "Ready", status: "True" },
                        { type: "DiskPressure", status: "True" },
                    ],
                },
            }),
        level: "warn",
        says: /^nodes: node other has DiskPressure \(\) \| kubectl describe node/,
    },
    {
        fault: "a cordoned node",
        make: (api) => putNode(api, "other", { spec: { unschedulable: true } }),
        level: "warn",
        says: /^nodes: node other is cordoned \| kubectl uncordon/,
    },
    {
        fault: "a pod that starts slowly",
        make: (api) => putPod(api, 1, waiting("ContainerCreating", "")),
        level: "warn",
        says: /^pods: 1 of 2 pods have started; lammps-1-x ContainerCreating \| none while the pods start/,
    },
    {
        fault: "a claim that isn't bound",
        isShown: true,
        make: putClaimant,
        level: "fail",
        says: /^pods: lammps-1-x can't be scheduled: .*unbound immediate PersistentVolumeClaims.* \| kubectl describe pvc;/,
    },
    {
        fault: "a claim whose storage class doesn't exist",
        make: (api) => {
            putClaimant(api);
            const claim = { kind: "PersistentVolumeClaim", name: "data", uid: "claim" };
            putEvent(api, claim, "ProvisioningFailed", 'storageclass.storage.k8s.io "fast" not found');
        },
        level: "fail",
        says: /^pods: .*storageclass\.storage\.k8s\.io "fast" not found \| create the class/,
    },
    {
        fault: "an image that can't be pulled",
        isShown: true,
        make: (api) =>
            putPod(api, 1, waiting("ImagePullBackOff", 'Back-off pulling image "registry.example/flux:9": not found')),
        level: "fail",
        says: /^image: lammps-1-x does not start: ImagePullBackOff: Back-off pulling image "registry\.example\/flux:9": not found \| image, imagePullSecrets/,
    },
    {
        fault: "an image without Flux",
        isShown: true,
        make: (api) =>
            putPod(
                api,
                1,
                mark("the image has no flux on PATH (/usr/bin:/bin); install flux-core in it, or correct PATH"),
            ),
        level: "fail",
        says: /^image: lammps-1-x can't start: the image has no flux on PATH \(\/usr\/bin:\/bin\); install flux-core in it, .* \| .*minicluster logs/,
    },
    {
        fault: "an image without bash",
        make: (api) => putPod(api, 1, mark("the image has no bash on PATH (/bin); add to it what is missing")),
        level: "fail",
        says: /^image: lammps-1-x can't start: the image has no bash on PATH .* \| /,
    },
    {
        fault: "a user who can't use the image",
        make: (api) => putPod(api, 1, mark("user 1000 may not read /etc/curve; set the argument user to that uid")),
        level: "fail",
        says: /^image: lammps-1-x can't start: user 1000 may not read \/etc\/curve; set the argument user.* \| /,
    },
    {
        fault: "an earlier pod of a rank that can't start",
        make: (api) => {
            putPod(api, 1, mark("the image has no flux on PATH (/bin)"), {}, "lammps-1-before");
            putPod(api, 1, waiting("ContainerCreating", ""));
        },
        level: "fail",
        says: /^image: lammps-1-before can't start: the image has no flux on PATH/,
    },
    {
        fault: "pods that end for the same reason",
        isShown: true,
        make: (api) =>
            ["x", "a", "b", "c", "d"].forEach((each) =>
                putPod(api, 1, mark("user 1000 may not write /archive; set fsGroup"), {}, `lammps-1-${each}`),
            ),
        level: "fail",
        says: /^image: lammps-1-x can't start: user 1000 may not write \/archive; set fsGroup\. \(and 4 others\) \| /,
    },
    {
        fault: "a pod that ran out of memory",
        make: (api) => putPod(api, 1, ended(137, "", "OOMKilled")),
        level: "fail",
        says: /^image: lammps-1-x ran out of memory, .*Raise resources\.limits\.memory\. \| /,
    },
    {
        fault: "names that DNS doesn't have",
        isShown: true,
        make: (api) => {
            putPod(api, 1, joining());
            api.logs.set("lammps-1-x", "broker.err[1]: unable to resolve upstream peer mc-0\n");
        },
        level: "fail",
        says: /^DNS: the log of lammps-1-x: The name of the rank to connect to cannot be resolved\. \| Correct default_connect .*check the DNS/,
    },
    {
        fault: "names that the headless Service doesn't have",
        make: (api) => putNames(api, ["lammps-0"]),
        level: "fail",
        says: /^DNS: Service lammps has the names of 1 of 2 running pods \| wait a moment/,
    },
    {
        fault: "a lead Service that was made again",
        make: (api) => api.put("services", { metadata: { name: "lammps-lead" }, spec: { clusterIP: "10.96.0.8" } }),
        level: "fail",
        says: /^DNS: Service lammps-lead is at 10\.96\.0\.8, and the pods look for it at 10\.96\.0\.7 \| /,
    },
    {
        fault: "a headless Service that was deleted",
        make: (api) => api.remove("services", "lammps"),
        level: "fail",
        says: /^DNS: there is no headless Service lammps \| run pulumi refresh/,
    },
    {
        fault: "a broker that can't join",
        isShown: true,
        make: (api) => putPod(api, 1, joining()),
        level: "fail",
        says: /^brokers: lammps-1-x runs and has not joined \| minicluster logs 1; a NetworkPolicy, a firewall/,
    },
    {
        fault: "a NetworkPolicy that keeps brokers from each other",
        make: (api) => {
            putPod(api, 1, joining());
            api.put("networkpolicies", {
                metadata: { name: "deny" },
                spec: { podSelector: {}, policyTypes: ["Egress"] },
            });
        },
        level: "fail",
        says: /^brokers: NetworkPolicy deny denies the outgoing connections of the pods to each other \| allow what .*=lammps$/,
    },
    {
        fault: "a broker with another certificate",
        make: (api) => {
            putPod(api, 1, joining());
            api.logs.set("lammps-1-x", "overlay.err[1]: handshake failed auth\n");
        },
        level: "fail",
        says: /^brokers: the log of lammps-1-x: Two ranks have different certificates\. \| Give all ranks the same certificate/,
    },
    {
        fault: "a broker that Flux has lost",
        make: (api) => say(api, { overlay: [0, "0 lammps-0: degraded\n1 lammps-1: lost lost connection"] }),
        level: "fail",
        says: /^brokers: Flux says of rank 1 \(lammps-1\): lost lost connection \| minicluster status/,
    },
    {
        fault: "a lead that doesn't answer",
        make: (api) => say(api, { overlay: [124, ""], queue: [124, ""] }),
        level: "unchecked",
        says: /^brokers: flux overlay status: no answer within 15 s$/,
    },
    {
        fault: "a drained rank",
        isShown: true,
        make: (api) => say(api, { drained: [0, "1\tby hand"] }),
        level: "warn",
        says: /^brokers: rank 1 is drained \(by hand\): it takes no jobs \| .*flux resource undrain 1/,
    },
    {
        fault: "a stopped queue",
        isShown: true,
        make: (api) => say(api, { queue: [0, "Job submission is enabled\nScheduling is stopped: maintenance"] }),
        level: "fail",
        says: /^queue: the queue: Scheduling is stopped \(maintenance\) \| .*flux queue start$/,
    },
    {
        fault: "one of several queues that takes no jobs",
        make: (api) =>
            say(api, { queue: [0, "batch: Job submission is disabled: full\nbatch: Scheduling is started"] }),
        level: "fail",
        says: /^queue: the queue batch: Job submission is disabled \(full\) \| .*flux queue enable -q batch$/,
    },
    {
        fault: "a job that asks for more nodes than there are",
        isShown: true,
        make: (api) => say(api, { pending: [0, "f2x\tSCHED\t16\t4\t\ttrain"] }),
        level: "warn",
        says: /^queue: job train \(f2x\) waits: it asks for 4 nodes, and the cluster has 2 \| fewer nodes/,
    },
    {
        fault: "a job that is held",
        make: (api) => say(api, { pending: [0, "f2x\tSCHED\t0\t1\theld\ttrain"] }),
        level: "warn",
        says: /^queue: job train \(f2x\) waits: it is held \(urgency 0\) \| .*flux job urgency/,
    },
    {
        fault: "a queue of Kueue that is full",
        make: (api) => {
            putJob(api, { suspend: true }, QUEUED);
            putWorkload(api);
        },
        level: "warn",
        says: /^Kueue: the Job waits in queue team: insufficient unused quota \| /,
    },
    {
        fault: "a queue of Kueue that has admitted only some ranks of a Job which it may resize",
        make: (api) => {
            putJob(api, {}, QUEUED);
            const { spec, ...pod } = api.get("pods", "lammps-1-x") as KubernetesObject;
            const schedulingGates = [{ name: "kueue.x-k8s.io/elastic-job" }];
            api.put("pods", { ...pod, metadata: pod["metadata"], spec: { ...spec, schedulingGates } });
            putWorkload(api);
        },
        level: "warn",
        says: /^Kueue: the Job waits in queue team: insufficient unused quota \| /,
    },
    {
        fault: "a queue without Kueue",
        make: (api) => {
            putJob(api, { suspend: true }, QUEUED);
            api.fail(/workloads/, 404, { times: 2, message: "the server could not find the requested resource" });
        },
        level: "fail",
        says: /^Kueue: queue team: the server could not find the requested resource \| install Kueue/,
    },
    {
        fault: "a suspended cluster",
        make: (api) => putJob(api, { suspend: true }),
        level: "warn",
        says: /^pods: the Job is suspended \| set suspend to false/,
    },
    {
        fault: "a Job that has failed",
        make: (api) => {
            const condition = { type: "Failed", status: "True", reason: "DeadlineExceeded", message: "too long" };
            putJob(api, {}, { status: { conditions: [condition] } });
        },
        level: "fail",
        says: /^pods: the Job has failed: DeadlineExceeded: too long \(raise activeDeadlineSeconds.* \| correct the cause/,
    },
    {
        fault: "a warning that no other group tells",
        make: (api) => {
            putPod(api, 1, joining());
            putEvent(api, { kind: "Pod", name: "lammps-1-x", uid: "pod-1" }, "FailedPreStopHook", "no such file");
        },
        level: "warn",
        says: /^events: lammps-1-x: no such file \| /,
    },
    {
        fault: "Events that can't be read",
        make: (api) => api.fail(/events/, 403, { message: "events is forbidden" }),
        level: "unchecked",
        says: /^events: Kubernetes' Events: events is forbidden \| docs\/rbac\.yaml/,
    },
    {
        fault: "nodes that can't be read",
        make: (api) => api.fail(/v1\/nodes/, 403, { message: "nodes is forbidden" }),
        level: "unchecked",
        says: /^nodes: nodes: nodes is forbidden \| .*docs\/rbac-fit\.yaml/,
    },
];
