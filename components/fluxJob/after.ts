import * as pulumi from "@pulumi/pulumi";

import type { Dependency } from "../../provider/flux/job";
import { isLater } from "../arguments/outputs";
import type { Problem } from "../rules/problem";
import { type AfterArgs, AfterEnd, type FluxJobArgs } from "./args";

type After = FluxJobArgs["after"];

/** A job of `after` for the rules, which don't need its id. */
export interface PlainAfter {
    readonly jobId?: unknown;
    readonly end?: unknown;
    /** Undefined for a job of another program. */
    readonly cluster?: Place;
}

/** Where a job runs. */
export interface Place {
    readonly name?: string;
    readonly namespace?: string;
}

const places = new WeakMap<object, pulumi.Output<Place | undefined>>();

/** Remembers where a FluxJob runs, for the jobs after it. */
export function rememberPlace(job: object, place: pulumi.Output<Place | undefined>): void {
    places.set(job, place);
}

/**
 * The jobs as an input of the submission. Pulumi doesn't open the outputs of a resource, so they are picked one by one.
 */
export function dependenciesOf(after: After): pulumi.Input<readonly Dependency[]> | undefined {
    const pick = ({ end, jobId, jobIds, phase }: AfterArgs) => ({ jobId, jobIds, phase, end });
    return each(after, pick) as pulumi.Input<readonly Dependency[]> | undefined;
}

/** The jobs for the rules: an id is unknown in a preview, and would hide the problems of the other arguments. */
export function plainAfterOf(after: After): pulumi.Input<readonly PlainAfter[]> | undefined {
    return each(after, (job) => ({
        jobId: job.jobId === undefined ? undefined : "given",
        end: job.end,
        cluster: places.get(job),
    })) as pulumi.Input<readonly PlainAfter[]> | undefined;
}

/** Values that are no lists and no objects stay, so that the check of shapes reports them. */
function each<Picked>(after: After, pick: (job: AfterArgs) => Picked): pulumi.Input<Picked[]> | undefined {
    const one = (job: unknown) => (typeof job === "object" && job !== null ? pick(job as AfterArgs) : job);
    const all = (jobs: unknown) => (Array.isArray(jobs) ? jobs.map((job) => opened(job, one)) : jobs);
    return opened(after, all) as pulumi.Input<Picked[]> | undefined;
}

/** Applies a function to a value, or to that of an Output. */
function opened(value: unknown, apply: (known: unknown) => unknown): unknown {
    return isLater(value) ? pulumi.output(value as Promise<object>).apply(apply) : apply(value);
}

export function validateAfter(after: readonly PlainAfter[] = [], here: Place = {}): Problem[] {
    return after.flatMap(({ cluster, end = AfterEnd.Ok, jobId }, index) => {
        const property = `after[${index}]`;
        if (cluster !== undefined && (cluster.name !== here.name || cluster.namespace !== here.namespace)) {
            const reason = `runs on MiniCluster ${shown(cluster)}, but this job runs on ${shown(here)}.`;
            const cure = "Flux knows only the jobs of its own cluster. Use dependsOn in place of after.";
            return [{ property, reason: `${reason} ${cure}` }];
        }
        if (jobId === undefined || jobId === null) {
            return [{ property, reason: "has no jobId; give a FluxJob, or its output jobId from a StackReference." }];
        }
        const ends: readonly unknown[] = Object.values(AfterEnd);
        const reason = `is ${JSON.stringify(end)}; it must be one of ${ends.map((one) => `"${one}"`).join(", ")}.`;
        return ends.includes(end) || end === null ? [] : [{ property: `${property}.end`, reason }];
    });
}

function shown({ name, namespace }: Place): string {
    return `${namespace}/${name}`;
}
