import type { Input } from "@pulumi/pulumi";

import { compact } from "../../../provider/contract/object";
import { lazily } from "../../parts/lazily";
import type { ResourcesArgs } from "../../parts/program";
import { scriptsIn } from "../../parts/scripts";
import { validateAmounts, validateBytes } from "../../rules/amounts";
import { broken, type Problem } from "../../rules/problem";
import type { MiniClusterSpec, Texts } from "../../spec";
import type { Feature } from "../feature";
import {
    askedThousandths,
    coresOf,
    countsNode,
    cpuScripts,
    noticeQuota,
    toldCores,
    validateCores,
    wholeCpus,
} from "./cores";
import { gpuScripts, gpusIn, validateGpuResources } from "./gpus";

export { type Amounts, coresOf, giverOfCores, podsFindCores, toldCores } from "./cores";

export interface ResourcesArguments {
    /** Compute resources of each pod. @default none: see `cores` */
    resources?: Input<ResourcesArgs>;
    /**
     * Cores of each rank on which Flux schedules. By default they are the CPUs of `resources.limits`, else those of
     * `resources.requests`, rounded down to whole ones, and at least 1. A CPU of Kubernetes is a hyper-thread if the nodes
     * have them.
     * @default the CPUs of the limits, else of the requests, else the cores that a pod may use
     */
    cores?: Input<number>;
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
    /** Undefined if the pods find their cores. */
    readonly cores?: number;
    readonly gpus: number;
}

export interface Decided {
    readonly resources: { readonly limits: Texts; readonly requests: Texts };
    readonly cores?: number;
    readonly gpuResources: readonly string[];
    readonly gpus?: number;
    readonly sharedMemory?: string;
    readonly rank: RankResources;
}

export const resources: Feature<ResourcesArguments, Decided> = {
    decide: (args) => {
        const amounts = () => ({ limits: args.resources?.limits ?? {}, requests: args.resources?.requests ?? {} });
        const gpuResources = () => args.gpuResources ?? [];
        return lazily<Decided>({
            resources: amounts,
            cores: () => args.cores,
            gpuResources,
            gpus: () => args.gpus,
            sharedMemory: () => args.sharedMemory,
            rank: () => ({
                cores: coresOf(args.cores, amounts()),
                gpus: args.gpus ?? gpusIn(amounts().limits, gpuResources()),
            }),
        });
    },

    problems: validateResources,
    notices: noticeQuota,
    files: (spec) =>
        scriptsIn(
            __dirname,
            "start-cpus.sh",
            ...cpuScripts(spec),
            ...gpuScripts(spec),
            ...(gpusToShare(spec) === undefined ? [] : ["share-gpus.sh"]),
        ),
    parameters: (spec) => ({
        cores: toldCores(spec)?.toString(),
        cpusAsked: askedThousandths(spec)?.toString(),
        cpus: wholeCpus(spec),
        gpus: gpusToShare(spec),
    }),
    mounts: ({ hostIPC, sharedMemory }) => {
        // With hostIPC, the container runtime mounts the node's /dev/shm, unless the pod has a mount there.
        if (hostIPC) {
            return [];
        }
        const emptyDir = compact({ medium: "Memory", sizeLimit: sharedMemory });
        return [{ mountPath: "/dev/shm", volume: { name: "flux-shm", emptyDir } }];
    },
    container: (spec) => ({ resources: compact({ ...spec.resources }) }),
    statusInputs: { countsNode: (spec) => countsNode(spec) || undefined },
};

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

function validateResources(spec: MiniClusterSpec): Problem[] {
    const { hostIPC, resources: amounts, sharedMemory } = spec;
    const reason = `is "${sharedMemory}", but hostIPC is true: /dev/shm is then the node's, which has its own limit.`;
    const cure = "Remove sharedMemory or hostIPC.";
    return [
        ...validateAmounts(amounts, "resources"),
        ...validateCores(spec),
        ...validateGpuResources(spec),
        ...validateBytes("sharedMemory", sharedMemory),
        ...broken([[sharedMemory !== undefined && hostIPC, "sharedMemory", `${reason} ${cure}`]]),
    ];
}
