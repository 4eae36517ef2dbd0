import type { Input } from "@pulumi/pulumi";

import type { Feature } from "../feature";

/** What an update does if the pods that it starts don't all fit into the Kubernetes cluster at once. */
export const Fit = {
    /** A warning says how many pods start at once, what the others wait for, and which size would start at once. */
    Warn: "warn",
    /**
     * Preview and update fail if fewer than `minSize` pods start at once, or not all pods by which a cluster grows. They
     * don't fail because of what can't be read or isn't counted.
     */
    Refuse: "refuse",
    /** Nothing is read. */
    Off: "off",
} as const;

export type Fit = (typeof Fit)[keyof typeof Fit];

export declare namespace Fit {
    export type Warn = "warn";
    export type Refuse = "refuse";
    export type Off = "off";
}

export interface FitArguments {
    /**
     * Whether a preview tells if the pods fit: it compares them with the nodes and their pods, and with the ResourceQuotas
     * and LimitRanges of the namespace. It also warns of a namespace or a claim that isn't there, and of pods that the API server
     * would refuse. Only an update that starts pods does so, with at most six lists and a dry run in 3 s. The rights to read
     * them are optional.
     * @default Fit.Warn
     */
    fit?: Input<Fit>;
}

export interface Decided {
    readonly fit: Fit;
}

export const fit: Feature<FitArguments, Decided> = {
    decide: ({ fit: mode }) => ({ fit: mode ?? Fit.Warn }),

    jobInputs: {
        fit: (spec) => spec.fit,
        minSize: (spec) => spec.minSize,
    },
};
