import type { Input, Unwrap } from "@pulumi/pulumi";

import { hostOf, LONGEST_LABEL } from "../../parts/hosts";
import { namesOf } from "../../../provider/contract/names";
import { lazily } from "../../parts/lazily";
import { isOwn, podAnnotations, podLabels } from "../../parts/metadata";
import { validateAnnotations, validateLabels } from "../../rules/names";
import type { Problem } from "../../rules/problem";
import type { Decide, MiniClusterSpec } from "../../spec";
import type { Feature } from "../feature";
import { Network } from "../network";

export interface NameArguments {
    /**
     * Kubernetes name of the Job and its Services. The names of the other objects start with it. `NAME-lead` and the
     * longest host name (`NAME-9` for ten ranks) have at most 63 characters.
     * @default the resource's name; if it was renamed by an alias, its former name
     */
    name?: Input<string>;
    /** Labels of the Job and of every other object of the cluster. Pods have `podLabels`. @default none */
    labels?: Input<{ [name: string]: Input<string> }>;
    /** Annotations of the Job and of every other object of the cluster. Pods have `podAnnotations`. @default none */
    annotations?: Input<{ [name: string]: Input<string> }>;
    /** Labels of the ranks' pods. @default none */
    podLabels?: Input<{ [name: string]: Input<string> }>;
    /** Annotations of the ranks' pods. @default none */
    podAnnotations?: Input<{ [name: string]: Input<string> }>;
}

export type Decided = Decide<Omit<NameArguments, "name">, "annotations" | "labels" | "podAnnotations" | "podLabels">;

export const name: Feature<NameArguments, Decided> = {
    decide: (args: Unwrap<NameArguments>) =>
        lazily<Decided>({
            annotations: () => args.annotations ?? {},
            labels: () => args.labels ?? {},
            podAnnotations: () => args.podAnnotations ?? {},
            podLabels: () => args.podLabels ?? {},
        }),

    problems: (spec) => [
        ...validateName(spec),
        ...validateLabels("labels", spec.labels),
        ...validateAnnotations("annotations", spec.annotations),
        ...validateLabels("podLabels", spec.podLabels),
        ...validateAnnotations("podAnnotations", spec.podAnnotations),
        ...(["labels", "annotations", "podLabels", "podAnnotations"] as const).flatMap((property) =>
            Object.keys(spec[property])
                .filter(isOwn)
                .map((key) => ({ property: `${property}.${key}`, reason: "is set by MiniCluster itself. Remove it." })),
        ),
    ],

    parameters: (spec) => ({ cluster: hasReaders(spec) ? spec.name : undefined }),
    podLabels,
    podAnnotations,
};

/** True if scripts in the Flux container read the name: those of the archive, and those of the ranks' names. */
function hasReaders({ archive, network }: MiniClusterSpec): boolean {
    return archive !== undefined || network === Network.Hosts;
}

const LABEL = /^[a-z]([-a-z0-9]*[a-z0-9])?$/;

function validateName(spec: MiniClusterSpec): Problem[] {
    const property = "name";
    if (!LABEL.test(spec.name)) {
        const rule = "lower-case letters, digits and '-', starts with a letter and doesn't end with '-'";
        return [
            { property, reason: `is "${spec.name}"; the name of a Kubernetes Service has ${rule}. Give such a name.` },
        ];
    }
    const { lead, services } = namesOf(spec.name);
    const names = [lead, ...(spec.services.length > 0 ? [services] : []), hostOf(spec.name, spec.maxSize - 1)];
    const [longest] = names.sort((a, b) => b.length - a.length);
    if (longest.length <= LONGEST_LABEL) {
        return [];
    }
    const excess = longest.length - LONGEST_LABEL;
    const reason = `makes the name "${longest}", which has ${longest.length} characters; Kubernetes allows ${LONGEST_LABEL}.`;
    return [{ property, reason: `${reason} Shorten it by ${excess}.` }];
}
