import type { Input } from "@pulumi/pulumi";

import { compact } from "../../../provider/contract/object";
import { isAmount, parseQuantity } from "../../../provider/contract/quantity";
import { cpusScript } from "../../../provider/contract/scriptText";
import type { ResourcesArgs } from "../../parts/resources";
import { noQuantity, validateAmounts } from "../../rules/amounts";
import type { Problem } from "../../rules/problem";
import type { MiniClusterSpec, Texts } from "../../spec";
import type { Feature } from "../feature";

export interface ResourcesArguments {
    /** Compute resources of each pod. @default none: Flux detects what the node has */
    resources?: Input<ResourcesArgs>;
    /** Size limit of /dev/shm, which is a memory volume: a quantity. @default the pod's memory limit */
    sharedMemory?: Input<string>;
}

/** The resources of each rank on which Flux schedules. */
interface RankResources {
    readonly cores: number;
    readonly gpus: number;
}

export interface Decided {
    readonly resources: { readonly limits: Texts; readonly requests: Texts };
    readonly sharedMemory?: string;
    /** Undefined if Flux detects what the node has. */
    readonly rank?: RankResources;
}

declare module "../../spec" {
    interface MiniClusterSpec extends Decided {}
}

export const resources: Feature<ResourcesArguments, Decided> = {
    decide: ({ resources: { limits = {}, requests = {} } = {}, sharedMemory }) => ({
        resources: { limits, requests },
        sharedMemory,
        rank: rankResources(limits),
    }),

    problems: validateResources,
    files: () => ({ "cpus.sh": cpusScript() }),
    parameters: (spec) => ({ cpus: wholeCpus(spec) }),
    mounts: ({ sharedMemory }) => {
        const emptyDir = compact({ medium: "Memory", sizeLimit: sharedMemory });
        return [{ mountPath: "/dev/shm", volume: { name: "flux-shm", emptyDir } }];
    },
    container: (spec) => ({ resources: compact({ ...spec.resources }) }),
};

/** The resources of a rank. They come from the limits, because only these say how much a container may really use. */
function rankResources(limits: Texts): RankResources | undefined {
    const cpu = limits.cpu === undefined ? undefined : parseQuantity(limits.cpu);
    if (cpu === undefined) {
        return undefined;
    }
    const gpus = Object.entries(limits).filter(([name]) => name.endsWith("/gpu"));
    return {
        cores: Math.max(1, Math.floor(cpu)),
        gpus: gpus.reduce((sum, [, count]) => sum + (parseQuantity(count) ?? 0), 0),
    };
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

function validateResources({ rank, resources: amounts, sharedMemory }: MiniClusterSpec): Problem[] {
    const problems = validateAmounts(amounts, "resources");
    if (rank !== undefined && rank.cores > MOST_CORES) {
        problems.push({
            property: "resources.limits.cpu",
            reason: `is "${amounts.limits.cpu}"; a rank has up to ${MOST_CORES} cores. Lower it.`,
        });
    }
    if (sharedMemory !== undefined && !isAmount(sharedMemory)) {
        problems.push(noQuantity("sharedMemory", sharedMemory));
    }
    return problems;
}
