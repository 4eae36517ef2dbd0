import * as pulumi from "@pulumi/pulumi";

import type { Dependency } from "../../provider/fluxSubmission/properties";
import { isLater } from "../arguments/later";
import type { Problem } from "../rules/problem";
import { type AfterArgs, AfterEnd, type FluxJobArgs } from "./args";

type After = FluxJobArgs["after"];

/** A job of `after` for the rules, which don't need its id. */
export interface PlainAfter {
    readonly jobId?: unknown;
    readonly end?: unknown;
}

/**
 * The jobs as an input of the submission. Pulumi doesn't open the outputs of a resource, so they are picked one by one.
 */
export function dependenciesOf(after: After): pulumi.Input<readonly Dependency[]> | undefined {
    const pick = ({ end, jobId, phase }: AfterArgs) => ({ jobId, phase, end });
    return each(after, pick) as pulumi.Input<readonly Dependency[]> | undefined;
}

/** The jobs for the rules: an id is unknown in a preview, and would hide the problems of the other arguments. */
export function plainAfterOf(after: After): pulumi.Input<readonly PlainAfter[]> | undefined {
    return each(after, ({ end, jobId }) => ({ jobId: jobId === undefined ? undefined : "given", end }));
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

export function validateAfter(after: readonly PlainAfter[] = []): Problem[] {
    return after.flatMap(({ end = AfterEnd.Ok, jobId }, index) => {
        const property = `after[${index}]`;
        if (jobId === undefined || jobId === null) {
            return [{ property, reason: "has no jobId; give a FluxJob, or its output jobId from a StackReference." }];
        }
        const ends: readonly unknown[] = Object.values(AfterEnd);
        const reason = `is ${JSON.stringify(end)}; it must be one of ${ends.map((one) => `"${one}"`).join(", ")}.`;
        return ends.includes(end) || end === null ? [] : [{ property: `${property}.end`, reason }];
    });
}
