import * as pulumi from "@pulumi/pulumi";

import type { IndexedJobArgs } from "../../provider/indexedJob/properties";
import type { IndexedJob } from "../../provider/indexedJob/resource";
import type { JobStatusArgs } from "../../provider/jobStatus/properties";
import { FEATURES } from "../features";
import type { InputsOf, Together } from "../features/feature";
import { MAKERS } from "../generated/children";
import type { MiniClusterSpec } from "../spec";
import type { MakeChildren, Surroundings } from "./children";
import type { Family, Texts } from "./family";
import type { LaterSpec } from "../arguments/laterSpec";
import { makeRights } from "./rights";

type OutputsOf<Made> = Made extends { readonly outputs: infer Outputs } ? Outputs : never;

/** The outputs of all features. */
type FeatureOutputs = Together<OutputsOf<ReturnType<(typeof MAKERS)[number]>>>;

/** The inputs of the IndexedJob and of the JobStatus that features decide. */
type JobInputs = Omit<IndexedJobArgs, "lead" | "manifest" | "nonce">;
type StatusInputs = Omit<JobStatusArgs, "job">;

/** Makes the children of all features. */
export function childrenOfFeatures(name: string, family: Family, surroundings: Surroundings) {
    const all = MAKERS.map((make: MakeChildren) => make(name, family, surroundings));
    const job = FEATURES.map(({ jobInputs }) => decided(jobInputs, family.spec));
    const status = FEATURES.map(({ statusInputs }) => decided(statusInputs, family.spec));
    return {
        secrets: pulumi.all(all.map(({ secrets = {} }) => secrets)).apply(merge) as Texts,
        resources: [...makeRights(name, family, surroundings.args), ...all.flatMap(({ resources = [] }) => resources)],
        sizedBy: all.find(({ sizedBy }) => sizedBy !== undefined)?.sizedBy,
        outputs: merge(all.map(({ outputs }) => outputs)) as FeatureOutputs,
        job: merge([...job, ...all.map((of) => of.job)]) as JobInputs,
        status: (of: IndexedJob) => merge([...status, ...all.map((each) => each.status?.(of))]) as StatusInputs,
    };
}

function merge(parts: readonly (object | undefined)[]): object {
    return Object.assign({}, ...parts) as object;
}

/** Each input comes from the spec by itself, so that it depends only on the arguments that it uses. */
function decided<Args extends object>(inputs: InputsOf<Args> = {}, spec: LaterSpec): object {
    const all = Object.entries<((of: MiniClusterSpec) => unknown) | undefined>(inputs);
    return Object.fromEntries(all.map(([input, of]) => [input, of && spec.apply(of)]));
}
