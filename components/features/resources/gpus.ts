import { isAmount, parseQuantity } from "../../../provider/contract/quantity";
import type { Problem } from "../../rules/problem";
import type { MiniClusterSpec, Texts } from "../../spec";

/** Extended resources of which each unit is a device for Flux, with the prefix of their domain. */
const KNOWN: readonly RegExp[] = [
    /^.+\/gpu$/,
    /^nvidia\.com\/(?:gpu\.shared|mig-.+)$/,
    // The partitions of a GPU, such as amd.com/cpx_nps4.
    /^amd\.com\/[a-z]px_nps\d+$/,
    // The rest of gpu.intel.com are shares of a GPU, and access to all of them for monitoring.
    /^gpu\.intel\.com\/(?!(?:millicores|memory\.max|tiles|.+_monitoring)$)/,
    /^aws\.amazon\.com\/neuron(?:core|device)?$/,
    /^habana\.ai\//,
];

/** True for an extended resource whose units Flux schedules as GPUs. */
function isGpu(resource: string, others: readonly string[]): boolean {
    return others.includes(resource) || KNOWN.some((name) => name.test(resource));
}

/** The number of GPUs in the limits. */
export function gpusIn(limits: Texts, others: readonly string[]): number {
    const counts = Object.entries(limits).flatMap(([name, text]) => (isGpu(name, others) ? [text] : []));
    return counts.reduce((sum, text) => sum + (isAmount(text) ? (parseQuantity(text) ?? 0) : 0), 0);
}

/** Resources whose devices have a variable of their own, and the script that sets it from the GPUs of a task. */
const SCRIPTS: readonly (readonly [resource: RegExp, script: string])[] = [
    [/^amd\.com\//, "gpus-amd.sh"],
    [/^gpu\.intel\.com\//, "gpus-intel.sh"],
    [/^nvidia\.com\/mig-/, "gpus-mig.sh"],
    [/^aws\.amazon\.com\/neuroncore$/, "gpus-neuron.sh"],
];

/** Whole Neuron devices. Their variable has numbers of cores, so the user has to count these as `gpus`. */
const NEURON_DEVICES = /^aws\.amazon\.com\/neuron(?:device)?$/;

/** The scripts that task.sh reads in the pods of this cluster. */
export function gpuScripts({ gpus, gpuResources, resources: { limits } }: MiniClusterSpec): string[] {
    const names = Object.keys(limits).filter((name) => isGpu(name, gpuResources));
    const scripts = gpus === undefined ? SCRIPTS : [...SCRIPTS, [NEURON_DEVICES, "gpus-neuron.sh"] as const];
    return scripts.flatMap(([resource, script]) => (names.some((name) => resource.test(name)) ? [script] : []));
}

/** Largest number of GPUs of a rank. No machine has more, and Flux gets a list of them. */
const MOST_GPUS = 65_536;

export function validateGpuResources({ gpuResources, gpus, rank, resources }: MiniClusterSpec): Problem[] {
    const problems = gpuResources.flatMap((name, index): Problem[] => {
        const property = `gpuResources[${index}]`;
        if (!name.includes("/")) {
            const reason = `is "${name}", which is not an extended resource. Write it like "example.com/npu".`;
            return [{ property, reason }];
        }
        const reason = `is "${name}", but resources.limits has no such resource. Add it there, or remove it here.`;
        return Object.hasOwn(resources.limits, name) ? [] : [{ property, reason }];
    });
    if (rank.gpus < 0 || rank.gpus > MOST_GPUS) {
        const property = gpus === undefined ? "resources.limits" : "gpus";
        problems.push({ property, reason: `gives ${rank.gpus} GPUs; a rank has 0 to ${MOST_GPUS}. Change it.` });
    }
    return problems;
}
