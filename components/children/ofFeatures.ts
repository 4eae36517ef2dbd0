import * as pulumi from "@pulumi/pulumi";

import type { Together } from "../features/feature";
import { elasticChildren } from "../features/elastic/children";
import { environmentChildren } from "../features/environment/children";
import { keyChildren } from "../features/key/children";
import { mungeChildren } from "../features/munge/children";
import { networkChildren } from "../features/network/children";
import { restfulChildren } from "../features/restful/children";
import { servicesChildren } from "../features/services/children";
import type { MakeChildren, Surroundings } from "./children";
import type { Family, Texts } from "./family";

/** The texts of the Secret have the order of this list. */
const MAKERS = [
    keyChildren,
    environmentChildren,
    restfulChildren,
    mungeChildren,
    elasticChildren,
    networkChildren,
    servicesChildren,
] as const satisfies readonly MakeChildren[];

type OutputsOf<Made> = Made extends { readonly outputs: infer Outputs } ? Outputs : never;

/** The outputs of all features. */
type FeatureOutputs = Together<OutputsOf<ReturnType<(typeof MAKERS)[number]>>>;

interface FeatureChildren {
    readonly secrets: Texts;
    readonly resources: readonly pulumi.Resource[];
    readonly outputs: FeatureOutputs;
}

/** Makes the children of all features. */
export function childrenOfFeatures(name: string, family: Family, surroundings: Surroundings): FeatureChildren {
    const all = MAKERS.map((make: MakeChildren) => make(name, family, surroundings));
    const merge = <T>(parts: readonly T[]): T => Object.assign({}, ...parts);
    return {
        secrets: pulumi.all(all.map(({ secrets = {} }) => secrets)).apply(merge) as Texts,
        resources: all.flatMap(({ resources = [] }) => resources),
        outputs: merge(all.map(({ outputs = {} }) => outputs)) as FeatureOutputs,
    };
}
