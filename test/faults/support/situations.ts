import type {
    V1Container,
    V1LimitRange,
    V1LimitRangeItem,
    V1Node,
    V1Pod,
    V1PodSpec,
    V1ResourceQuota,
    V1Taint,
} from "@kubernetes/client-node";
import fc from "fast-check";

import { ON_SIMULATED_NODES } from "./simulatedNodes";

/** Label of the nodes of one situation, which no other one uses. */
const LABEL = "flux-minicluster/situation";
const DEVICE = "example.com/gpu";
const HOST = "kubernetes.io/hostname";
const ZONE = "zone";
/** Kept when everything that can pass has passed: without it, pods of other tests could get onto the nodes. */
export const KEPT_TAINTS: V1Taint[] = ON_SIMULATED_NODES.tolerations.map(({ key }) => ({
    key,
    value: "true",
    effect: "NoSchedule",
}));

/** A Job among other pods, on nodes of its own. */
export interface Situation {
    readonly name: string;
    readonly nodes: readonly V1Node[];
    readonly others: readonly V1Pod[];
    readonly quota?: V1ResourceQuota;
    readonly limitRange?: V1LimitRange;
    readonly size: number;
    readonly labels: Record<string, string>;
    readonly spec: V1PodSpec;
}

const sometimes = <T>(value: T, times = 4) =>
    fc.oneof({ weight: times, arbitrary: fc.constant(undefined) }, fc.constant(value));
const halves = (most: number) => fc.integer({ min: 1, max: most * 2 }).map((cpu) => `${cpu * 500}m`);
const zone = fc.constantFrom("x", "y");
const quantities = fc.record({ cpu: halves(4), memory: fc.constantFrom("1Gi", "2Gi", "4Gi") });

const node = fc.record({
    cpu: fc.integer({ min: 4, max: 16 }),
    memory: fc.constantFrom("8Gi", "16Gi", "32Gi"),
    pods: fc.integer({ min: 2, max: 12 }),
    zone,
    devices: fc.constantFrom(undefined, undefined, "1", "4"),
    isTainted: sometimes(true, 6),
    unschedulable: sometimes(true, 6),
});

const other = fc.record({
    at: fc.nat(),
    requests: quantities,
    keepsAway: sometimes(true, 6),
});

const job = fc.record({
    size: fc.integer({ min: 1, max: 6 }),
    requests: quantities,
    device: sometimes("1", 6),
    zone: fc.oneof({ weight: 4, arbitrary: fc.constant(undefined) }, zone),
    rule: fc.constantFrom(undefined, undefined, "apart", "together", "spread"),
    isTolerant: sometimes(true, 1),
    hostPort: sometimes(8080, 8),
});

const quota = fc.record({ cpu: fc.integer({ min: 4, max: 32 }), pods: fc.integer({ min: 3, max: 12 }) });
const limitRange = fc.constantFrom<Partial<V1LimitRangeItem>>(
    { max: { cpu: "4" } },
    { min: { memory: "2Gi" } },
    { _default: { cpu: "6" } },
);

/** Random situations, which are the same for the same seed. */
export function situations(count: number, seed: number): Situation[] {
    const drawn = fc.record({
        nodes: fc.array(node, { minLength: 2, maxLength: 5 }),
        others: fc.array(other, { maxLength: 6 }),
        job,
        quota: fc.option(quota, { freq: 2, nil: undefined }),
        limitRange: fc.oneof({ weight: 6, arbitrary: fc.constant(undefined) }, limitRange),
    });
    return fc.sample(drawn, { numRuns: count, seed }).map((one, index) => situation(`s${index}`, one));
}

type Drawn<A> = A extends fc.Arbitrary<infer T> ? T : never;

interface Parts {
    readonly nodes: readonly Drawn<typeof node>[];
    readonly others: readonly Drawn<typeof other>[];
    readonly job: Drawn<typeof job>;
    readonly quota?: Drawn<typeof quota>;
    readonly limitRange?: Drawn<typeof limitRange>;
}

function situation(name: string, { job: wanted, limitRange: limits, nodes, others, quota: hard }: Parts): Situation {
    const labels = { app: name };
    return {
        name,
        nodes: nodes.map((one, index) => nodeOf(name, index, one)),
        others: others.map((one, index) => otherOf(name, index, `${name}-${one.at % nodes.length}`, one)),
        quota: hard && {
            metadata: { name },
            spec: { hard: { "requests.cpu": String(hard.cpu), pods: String(hard.pods) } },
        },
        limitRange: limits && { metadata: { name }, spec: { limits: [{ type: "Container", ...limits }] } },
        size: wanted.size,
        labels,
        spec: specOf(name, labels, wanted),
    };
}

function nodeOf(name: string, index: number, one: Drawn<typeof node>): V1Node {
    const amounts = { cpu: String(one.cpu), memory: one.memory, pods: String(one.pods) };
    const allocatable = one.devices === undefined ? amounts : { ...amounts, [DEVICE]: one.devices };
    return {
        metadata: {
            name: `${name}-${index}`,
            labels: { ...ON_SIMULATED_NODES.nodeSelector, [LABEL]: name, [ZONE]: one.zone, [HOST]: `${name}-${index}` },
        },
        spec: {
            unschedulable: one.unschedulable,
            taints: [...KEPT_TAINTS, ...(one.isTainted ? [{ key: "team", effect: "NoSchedule" }] : [])],
        },
        status: { allocatable, capacity: allocatable },
    };
}

function otherOf(name: string, index: number, nodeName: string, { keepsAway, requests }: Drawn<typeof other>): V1Pod {
    const away = { labelSelector: { matchLabels: { app: name } }, topologyKey: HOST };
    return {
        metadata: { name: `${name}-other-${index}` },
        spec: {
            nodeName,
            terminationGracePeriodSeconds: 0,
            tolerations: [{ operator: "Exists" }],
            affinity: !keepsAway
                ? undefined
                : { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [away] } },
            containers: [containerOf(requests)],
        },
    };
}

function containerOf(requests: Record<string, string>, more: Partial<V1Container> = {}): V1Container {
    const limits = Object.fromEntries(Object.entries(requests).filter(([name]) => name === DEVICE));
    return { name: "flux", image: "registry.example/flux:1", resources: { limits, requests }, ...more };
}

function specOf(name: string, matchLabels: Record<string, string>, wanted: Drawn<typeof job>): V1PodSpec {
    const { device, hostPort, isTolerant, requests, rule, zone: inZone } = wanted;
    const term = { labelSelector: { matchLabels }, topologyKey: rule === "apart" ? HOST : ZONE };
    const terms = { requiredDuringSchedulingIgnoredDuringExecution: [term] };
    const constraint = { ...term, maxSkew: 1, whenUnsatisfiable: "DoNotSchedule" };
    const kind = rule === "apart" ? "podAntiAffinity" : "podAffinity";
    const ports = hostPort === undefined ? undefined : [{ containerPort: hostPort, hostPort }];
    return {
        restartPolicy: "Never",
        terminationGracePeriodSeconds: 0,
        nodeSelector: { [LABEL]: name, ...(inZone === undefined ? {} : { [ZONE]: inZone }) },
        tolerations: [...ON_SIMULATED_NODES.tolerations, ...(isTolerant ? [{ key: "team", operator: "Exists" }] : [])],
        affinity: rule === "apart" || rule === "together" ? { [kind]: terms } : undefined,
        topologySpreadConstraints: rule === "spread" ? [constraint] : undefined,
        containers: [containerOf(device === undefined ? requests : { ...requests, [DEVICE]: device }, { ports })],
    };
}
