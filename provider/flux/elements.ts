import type { ClusterName, JobRequest } from "./job";

/** Most elements of an array whose ids and logs are recorded, and on which other jobs can depend in Flux. */
export const MOST_LISTED = 100;

/** Most failed elements of an array that are recorded one by one, and the bytes of each log. */
export const MOST_FAILURES = 10;
export const FAILURE_BYTES = 1024;

type Sized = Pick<JobRequest, "array">;

/** True for an array. */
export function isArray({ array }: Sized): boolean {
    return (array ?? undefined) !== undefined;
}

/** An array in a message. */
export function arrayName({ cluster, jobName }: Pick<JobRequest, "jobName"> & { cluster: ClusterName }): string {
    return `array ${jobName} of MiniCluster ${cluster.namespace}/${cluster.name}`;
}

/** The number of elements. */
export function countOf({ array }: Sized): number {
    return array?.values?.length ?? array?.count ?? 0;
}

/** Longest value in a message, in characters. */
const LONGEST = 100;

/** An element by its index and value. */
export function elementName({ array }: Sized, index: number): string {
    const value = array?.values?.[index];
    if (value === undefined) {
        return `element ${index}`;
    }
    const shown = value.length > LONGEST ? `${value.slice(0, LONGEST)}...` : value;
    return `element ${index} (${JSON.stringify(shown)})`;
}

/** A number with commas between its thousands. */
export function numberOf(value: number): string {
    return value.toLocaleString("en-US");
}
