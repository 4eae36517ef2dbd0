import { parseQuantity } from "../../../provider/contract/quantity";
import { isExclusive } from "../placement";
import type { Problem } from "../../rules/problem";
import type { MiniClusterSpec, Texts } from "../../spec";

/** Largest number of cores of a rank. No machine has more, and Flux gets a list of them. */
const MOST_CORES = 65_536;

/** The amounts of a pod. */
export interface Amounts {
    readonly limits: Texts;
    readonly requests: Texts;
}

/** The cores of a rank. The limit comes first, because it says how much a container may really use. */
export function coresOf(cores: number | undefined, { limits, requests }: Amounts): number | undefined {
    return cores ?? wholeCores(limits.cpu ?? requests.cpu);
}

/** The whole CPUs of an amount, and at least one. */
function wholeCores(amount: string | undefined): number | undefined {
    const cpus = parseQuantity(amount ?? "");
    return cpus === undefined ? undefined : Math.max(1, Math.floor(cpus));
}

/** The argument that gives the cores of a rank, for messages. */
export function giverOfCores(cores: number | undefined, { limits }: Amounts): string {
    return cores !== undefined ? "cores" : limits.cpu !== undefined ? "resources.limits.cpu" : "resources.requests.cpu";
}

/** The cores that the arguments tell Flux; undefined if the pods find them, or if the user's own broker.toml has them. */
export function toldCores({ broker, rank }: MiniClusterSpec): number | undefined {
    return broker.config === undefined ? rank.cores : undefined;
}

/** True if neither the arguments nor a broker.toml of the user say how many cores a rank has. */
export function podsFindCores({ broker, rank }: MiniClusterSpec): boolean {
    return rank.cores === undefined && broker.config === undefined;
}

/** The parts of start-cpus.sh that only some clusters need. */
export function cpuScripts(spec: MiniClusterSpec): string[] {
    const isTold = toldCores(spec) !== undefined;
    const mayOwn = isExclusive(spec) || wholeCpus(spec) !== undefined;
    return [...(isTold ? ["cpus-compare.sh"] : []), ...(isTold && mayOwn ? ["cpus-topology.sh"] : [])];
}

/**
 * The number of CPUs, if the kubelet may give the container a CPU set of its own: only for whole CPUs, and only in a
 * Guaranteed pod, in which all containers have equal requests and limits. (Init containers of this package have those of
 * the Flux container.) A container that requests less than its limit has all CPUs of the node, whose number may equal the
 * limit.
 * @see https://kubernetes.io/docs/tasks/administer-cluster/cpu-management-policies/
 */
export function wholeCpus({ resources, sidecars }: MiniClusterSpec): string | undefined {
    const cpus = parseQuantity(resources.limits.cpu ?? "");
    const all = [resources, ...sidecars.map((sidecar) => sidecar.resources)];
    return all.every(isGuaranteed) && Number.isInteger(cpus) ? String(cpus) : undefined;
}

function isGuaranteed({ limits, requests }: Amounts): boolean {
    return ["cpu", "memory"].every((name) => {
        const limit = parseQuantity(limits[name] ?? "");
        return limit !== undefined && parseQuantity(requests[name] ?? limits[name] ?? "") === limit;
    });
}

/**
 * True if each rank counts all cores that it may use, also if it shares a node with others, and if jobs are placed by that
 * number. A command of one task on each rank has the same tasks with any number.
 */
export function countsNode(spec: MiniClusterSpec): boolean {
    const { coresPerTask, launcher, mode, tasks, tasksPerNode } = spec;
    const isPlaced = mode === "persistent" || launcher || (tasks ?? tasksPerNode ?? coresPerTask) !== undefined;
    return podsFindCores(spec) && !isExclusive(spec) && isPlaced;
}

/** What the arguments ask for, in thousandths of a CPU. */
export function askedThousandths({ cores, resources: { limits, requests } }: MiniClusterSpec): number | undefined {
    return thousandths(limits.cpu ?? requests.cpu) ?? (cores === undefined ? undefined : cores * 1000);
}

function thousandths(amount: string | undefined): number | undefined {
    const cpus = parseQuantity(amount ?? "");
    return cpus === undefined ? undefined : Math.ceil(cpus * 1000);
}

export function validateCores(spec: MiniClusterSpec): Problem[] {
    const { broker, cores, rank, resources } = spec;
    if (cores !== undefined && (cores < 1 || cores > MOST_CORES)) {
        return [{ property: "cores", reason: `is ${cores}; a rank has 1 to ${MOST_CORES} cores. Change it.` }];
    }
    if (cores !== undefined && broker.config !== undefined) {
        const reason = `is ${cores}, but broker.config is the whole broker.toml. Write resource.config there, or remove it.`;
        return [{ property: "cores", reason }];
    }
    if (rank.cores !== undefined && rank.cores > MOST_CORES) {
        const property = giverOfCores(undefined, resources);
        const text = resources.limits.cpu ?? resources.requests.cpu;
        return [{ property, reason: `is "${text}"; a rank has up to ${MOST_CORES} cores. Lower it.` }];
    }
    return [];
}

/**
 * Warns of a quota that stops all threads of a rank together, once they have used their share of each tenth of a second.
 * @see https://docs.kernel.org/scheduler/sched-bwc.html
 */
export function noticeQuota(spec: MiniClusterSpec): Problem[] {
    const { limits } = spec.resources;
    const limit = thousandths(limits.cpu);
    if (limit === undefined || (limit <= 1000 && tasksOfRank(spec) <= 1)) {
        return [];
    }
    // A preview can't see the kubelets.
    const mayOwn = wholeCpus(spec) !== undefined;
    const unless = mayOwn ? "Unless the kubelet gives the pod CPUs of its own (static CPU manager), this" : "This";
    const reason =
        `is "${limits.cpu}". ${unless} is a quota: when the threads of a rank have used ${limit / 10} ms of CPU within ` +
        "100 ms, all of them stand still for the rest.";
    const cure = `${mayOwn ? "Without such kubelets, give" : "Give"} resources.requests.cpu without a limit (docs/cpus.md).`;
    return [{ property: "resources.limits.cpu", reason: `${reason} ${cure}` }];
}

/** The most tasks of the command on a rank, as far as the arguments say it. */
function tasksOfRank({ nodes, size, tasks, tasksPerNode = 1 }: MiniClusterSpec): number {
    return Math.max(tasksPerNode, Math.ceil((tasks ?? 1) / (nodes ?? size)));
}
