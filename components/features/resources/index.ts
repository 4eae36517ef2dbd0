import type { Input } from "@pulumi/pulumi";

import { compact } from "../../../provider/contract/object";
import { isAmount, parseQuantity } from "../../../provider/contract/quantity";
import { cpusScript } from "../../../provider/contract/scriptText";
import type { ResourcesArgs } from "../../parts/resources";
import { scriptsIn } from "../../parts/scripts";
import { noQuantity, validateAmounts } from "../../rules/amounts";
import type { Problem } from "../../rules/problem";
import type { MiniClusterSpec, Texts } from "../../spec";
import type { Feature } from "../feature";
import { gpuScripts, gpusIn, validateGpuResources } from "./gpus";

export interface ResourcesArguments {
    /** Compute resources of each pod. @default none: Flux detects what the node has */
    resources?: Input<ResourcesArgs>;
    /**
     * Extended resources in `resources.limits` that are GPUs for Flux, besides those that are known: all names that end
     * in `/gpu`, `nvidia.com/gpu.shared`, `nvidia.com/mig-*`, partitions of AMD (`amd.com/cpx_nps4`), `gpu.intel.com/*`,
     * `aws.amazon.com/neuron*` and `habana.ai/*`. Example: `["example.com/npu"]`.
     * @default none
     */
    gpuResources?: Input<Input<string>[]>;
    /**
     * GPUs of each rank on which Flux schedules. Give it if the limits don't say it: for devices of a resource claim
     * (`podTemplate`), or if Flux shall count parts of a device (the cores of `aws.amazon.com/neuron`).
     * @default the number of GPUs in `resources.limits`
     */
    gpus?: Input<number>;
    /**
     * Size limit of /dev/shm, which is a memory volume: a quantity. With `hostIPC`, /dev/shm is the node's, and no limit
     * can be given.
     * @default the pod's memory limit
     */
    sharedMemory?: Input<string>;
}

/** The resources of each rank on which Flux schedules. */
interface RankResources {
    /** Undefined if Flux detects the cores of the node. */
    readonly cores?: number;
    readonly gpus: number;
}

export interface Decided {
    readonly resources: { readonly limits: Texts; readonly requests: Texts };
    readonly gpuResources: readonly string[];
    readonly gpus?: number;
    readonly sharedMemory?: string;
    readonly rank: RankResources;
}

declare module "../../spec" {
    interface MiniClusterSpec extends Decided {}
}

export const resources: Feature<ResourcesArguments, Decided> = {
    decide: ({ gpuResources = [], gpus, resources: { limits = {}, requests = {} } = {}, sharedMemory }) => ({
        resources: { limits, requests },
        gpuResources,
        gpus,
        sharedMemory,
        rank: { cores: coresIn(limits), gpus: gpus ?? gpusIn(limits, gpuResources) },
    }),

    problems: validateResources,
    files: (spec) => ({
        "cpus.sh": cpusScript(),
        ...scriptsIn(__dirname, ...gpuScripts(spec), ...(gpusToShare(spec) === undefined ? [] : ["share-gpus.sh"])),
    }),
    parameters: (spec) => ({ cpus: wholeCpus(spec), gpus: gpusToShare(spec) }),
    mounts: ({ hostIPC, sharedMemory }) => {
        // With hostIPC, the container runtime mounts the node's /dev/shm, unless the pod has a mount there.
        if (hostIPC) {
            return [];
        }
        const emptyDir = compact({ medium: "Memory", sizeLimit: sharedMemory });
        return [{ mountPath: "/dev/shm", volume: { name: "flux-shm", emptyDir } }];
    },
    container: (spec) => ({ resources: compact({ ...spec.resources }) }),
};

/** The cores of a rank. They come from the limit, because only it says how much a container may really use. */
function coresIn(limits: Texts): number | undefined {
    const cpu = limits.cpu === undefined ? undefined : parseQuantity(limits.cpu);
    return cpu === undefined ? undefined : Math.max(1, Math.floor(cpu));
}

/**
 * The GPUs that the tasks of the command share if `gpusPerTask` isn't given, because Flux hides GPUs for which a job
 * doesn't ask. They are 0 if Flux may not know them.
 */
function gpusToShare({ broker, gpusPerTask, launcher, mode, rank }: MiniClusterSpec): string | undefined {
    if (rank.gpus === 0 || gpusPerTask !== undefined || launcher || mode === "persistent") {
        return undefined;
    }
    return broker.config === undefined ? String(rank.gpus) : "0";
}

/**
 * The number of CPUs, if the kubelet may give the container a CPU set of its own: only in a Guaranteed pod, and only
 * for whole CPUs. A container that requests less than its limit has all CPUs of the node, whose number may equal the
 * limit.
 * @see https://kubernetes.io/docs/tasks/administer-cluster/cpu-management-policies/
 */
function wholeCpus({ resources: { limits, requests } }: MiniClusterSpec): string | undefined {
    const isGuaranteed = ["cpu", "memory"].every((name) => {
        const limit = parseQuantity(limits[name] ?? "");
        return limit !== undefined && parseQuantity(requests[name] ?? limits[name] ?? "") === limit;
    });
    const cpus = parseQuantity(limits["cpu"] ?? "");
    return isGuaranteed && Number.isInteger(cpus) ? String(cpus) : undefined;
}

/** Largest number of cores of a rank. No machine has more, and Flux gets a list of them. */
const MOST_CORES = 65_536;

function validateResources(spec: MiniClusterSpec): Problem[] {
    const { hostIPC, rank, resources: amounts, sharedMemory } = spec;
    const problems = [...validateAmounts(amounts, "resources"), ...validateGpuResources(spec)];
    if (rank.cores !== undefined && rank.cores > MOST_CORES) {
        problems.push({
            property: "resources.limits.cpu",
            reason: `is "${amounts.limits.cpu}"; a rank has up to ${MOST_CORES} cores. Lower it.`,
        });
    }
    if (sharedMemory !== undefined && !isAmount(sharedMemory)) {
        problems.push(noQuantity("sharedMemory", sharedMemory));
    } else if (sharedMemory !== undefined && hostIPC) {
        const reason = `is "${sharedMemory}", but hostIPC is true: /dev/shm is then the node's, which has its own limit.`;
        problems.push({ property: "sharedMemory", reason: `${reason} Remove sharedMemory or hostIPC.` });
    }
    return problems;
}
