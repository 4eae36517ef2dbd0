import type { PlainArgs } from "../../components/args";
import { resolveSpec } from "../../components/arguments/decide";
import { networkPolicy } from "../../components/features/network/policy";
import { Placement } from "../../components/features/placement";
import { servicesDeployment, servicesService } from "../../components/features/services/manifests";
import { Interrupt, WaitFor } from "../../components/features/update";
import { OnRankLoss } from "../../components/features/attempts/lossPolicy";
import { configFiles, configMap } from "../../components/pod/configMap";
import { job } from "../../components/pod/job";
import { headlessService, leadService } from "../../components/pod/services";
import type { MiniClusterSpec } from "../../components/spec";
import type { KubernetesObject } from "../../provider/contract/object";

export interface GoldenSpec {
    /** Name of the YAML file and of the cluster. */
    readonly name: string;
    readonly args: PlainArgs;
    readonly secretNames?: readonly string[];
}

/** Clusters whose manifests are kept as text; the end-to-end tests have each accepted by an API server. */
export const GOLDEN_SPECS: readonly GoldenSpec[] = [
    {
        name: "minimal",
        args: { image: "registry.example/flux:1", size: 2, command: ["hostname"] },
    },
    {
        name: "code",
        args: {
            image: "registry.example/flux:1",
            size: 2,
            command: ["python3", "main.py"],
            code: { source: "test/golden/code", path: "/srv/code" },
        },
    },
    {
        name: "elastic",
        args: { image: "registry.example/flux:1", size: 2, minSize: 1, maxSize: 8 },
    },
    {
        name: "repeated",
        args: {
            image: "registry.example/flux:1",
            size: 4,
            minSize: 2,
            command: ["simulate"],
            onRankLoss: OnRankLoss.Continue,
            checkpoint: { seconds: 60 },
        },
    },
    {
        name: "served",
        args: {
            image: "registry.example/flux:1",
            metrics: {
                clients: [{ namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "monitoring" } } }],
            },
            networkPolicy: true,
            restful: {
                clients: [{ podSelector: { matchLabels: { app: "portal" } } }, { ipBlock: { cidr: "192.0.2.0/24" } }],
            },
        },
    },
    {
        name: "beside",
        args: {
            image: "registry.example/flux:1",
            size: 2,
            munge: true,
            sidecars: [
                { name: "log", image: "registry.example/log:1", environment: { LEVEL: "1" } },
                { name: "web", image: "registry.example/web:1", command: ["serve"], leadOnly: true },
            ],
            volumes: [
                {
                    name: "driver",
                    mountPath: "/driver",
                    csi: { driver: "csi.example.com", attributes: { share: "data" }, secret: "login" },
                },
                { name: "tool", mountPath: "/opt/tool", image: "registry.example/tool:1" },
                { name: "some", mountPath: "/some", secret: "some", items: { key: "file" } },
                {
                    name: "all",
                    mountPath: "/all",
                    projected: [{ configMap: { name: "settings" } }, { secret: { name: "some" } }],
                },
            ],
            services: [
                {
                    name: "db",
                    image: "registry.example/mongo:8",
                    ports: [27017],
                    resources: { limits: { memory: "1Gi" } },
                },
            ],
        },
    },
    {
        name: "gpu-user",
        args: {
            image: "registry.example/gromacs:1",
            size: 2,
            command: ["gmx", "mdrun", "-s", "in.tpr"],
            tasks: 4,
            coresPerTask: 4,
            gpusPerTask: 1,
            placement: Placement.Exclusive,
            podSecurityContext: { runAsNonRoot: true, runAsUser: 1000 },
            resources: { limits: { cpu: "8", memory: "32Gi", "nvidia.com/gpu": "2" } },
            tolerations: [{ key: "nvidia.com/gpu", operator: "Exists", effect: "NoSchedule" }],
            nodeSelector: { "node.kubernetes.io/instance-type": "p5.48xlarge" },
            sharedMemory: "16Gi",
        },
    },
    {
        name: "everything",
        secretNames: ["LICENSE_KEY", "TOKEN"],
        args: {
            image: "registry.example/lammps:1",
            command: ["sh", "-c", "echo $(HOSTNAME) \"$HOME\" '*'\n"],
            size: 3,
            minSize: 2,
            maxSize: 4,
            launcher: true,
            environment: { OMP_NUM_THREADS: "4", GREETING: "$(TOKEN) costs 5 $" },
            resources: { limits: { cpu: "4", memory: "8Gi" }, requests: { cpu: "2", memory: "8Gi" } },
            sharedMemory: "1Gi",
            placement: Placement.Pack,
            workingDir: "/work",
            imagePullPolicy: "IfNotPresent",
            imagePullSecrets: ["pull"],
            labels: { team: "materials" },
            annotations: { "example.com/note": "job" },
            podLabels: { team: "materials" },
            podAnnotations: { "example.com/note": "pods" },
            nodeSelector: { "kubernetes.io/arch": "amd64" },
            tolerations: [{ key: "hpc", operator: "Equal", value: "yes", effect: "NoExecute", tolerationSeconds: 60 }],
            schedulerName: "default-scheduler",
            priorityClassName: "high",
            runtimeClassName: "runc",
            serviceAccountName: "runner",
            automountServiceAccountToken: true,
            podSecurityContext: { runAsUser: 1000, runAsGroup: 2000, supplementalGroups: [3000] },
            securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"], add: ["IPC_LOCK"] } },
            volumes: [
                { name: "shared", mountPath: "/shared", persistentVolumeClaim: "lustre" },
                {
                    name: "shared",
                    mountPath: "/input",
                    subPath: "input",
                    readOnly: true,
                    persistentVolumeClaim: "lustre",
                },
                { name: "settings", mountPath: "/settings", configMap: "settings" },
                { name: "licence", mountPath: "/licence", secret: "licence", readOnly: true },
                { name: "scratch", mountPath: "/scratch", hostPath: "/mnt/nvme" },
                { name: "cache", mountPath: "/cache", emptyDir: { medium: "Memory", sizeLimit: "1Gi" } },
                { name: "nfs", mountPath: "/nfs", source: { nfs: { server: "10.0.0.1", path: "/export" } } },
            ],
            hostNetwork: true,
            serviceMesh: true,
            networkPolicy: true,
            clusterDomain: "k8s.example",
            hooks: {
                init: "echo init\n",
                pre: "echo pre\n",
                lead: "echo lead\n",
                worker: "echo worker\n",
                post: "echo post\n",
            },
            broker: {
                logLevel: 7,
                topology: "kary:2",
                connectTimeout: 5,
                attributes: { "log-ring-size": "4096", "content.blob-size-limit": "2G" },
                port: 18050,
            },
            queueName: "materials",
            activeDeadlineSeconds: 3600,
            ttlSecondsAfterFinished: 600,
            backoffLimit: 2,
            terminationGracePeriodSeconds: 45,
            waitFor: WaitFor.Ready,
            interrupt: Interrupt.Allow,
            podTemplate: {
                spec: { containers: [{ name: "flux", terminationMessagePolicy: "FallbackToLogsOnError" }] },
            },
        },
    },
];

/** Every object of a cluster but its Secret, whole, as an API server takes it. */
export function goldenObjects({ args, name, secretNames }: GoldenSpec, namespace = "hpc"): KubernetesObject[] {
    const spec = resolveSpec(name, args, secretNames);
    const files = configFiles(spec);
    return [
        { apiVersion: "v1", kind: "Service", ...inNamespace(leadService(spec), namespace) },
        { apiVersion: "v1", kind: "Service", ...inNamespace(headlessService(spec), namespace) },
        configMap(spec, namespace, files),
        ...(spec.networkPolicy ? [policy(spec, namespace)] : []),
        ...(spec.services.length > 0 ? services(spec, namespace) : []),
        job(spec, namespace, files),
    ];
}

function services(spec: MiniClusterSpec, namespace: string): KubernetesObject[] {
    return [
        { apiVersion: "v1", kind: "Service", ...inNamespace(servicesService(spec), namespace) },
        { apiVersion: "apps/v1", kind: "Deployment", ...inNamespace(servicesDeployment(spec), namespace) },
    ];
}

function policy(spec: MiniClusterSpec, namespace: string): KubernetesObject {
    return {
        apiVersion: "networking.k8s.io/v1",
        kind: "NetworkPolicy",
        ...inNamespace(networkPolicy(spec), namespace),
    };
}

function inNamespace(object: KubernetesObject, namespace: string): KubernetesObject {
    return { ...object, metadata: { ...object.metadata, namespace } };
}
