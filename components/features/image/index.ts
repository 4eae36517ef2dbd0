import type { Input } from "@pulumi/pulumi";

import { validateImage, validateObjectName } from "../../rules/names";
import type { Decide } from "../../spec";
import type { Feature } from "../feature";

export interface ImageArguments {
    /**
     * Container image with bash 4.2 or later and, unless `view` is given, flux-core 0.72 or later. Flux is looked for
     * on PATH, which `hooks.init` may change.
     */
    image: Input<string>;
    /**
     * When the kubelets pull the image: `Always`, `IfNotPresent` or `Never`.
     * @default the Kubernetes default
     * @values Always, IfNotPresent, Never
     */
    imagePullPolicy?: Input<string>;
    /** Names of Secrets in the same namespace for pulling images. @default none */
    imagePullSecrets?: Input<Input<string>[]>;
}

export type Decided = Decide<ImageArguments, "imagePullSecrets">;

export const image: Feature<ImageArguments, Decided> = {
    decide: ({ image: given, imagePullPolicy, imagePullSecrets = [] }) => ({
        image: given,
        imagePullPolicy,
        imagePullSecrets,
    }),

    problems: (spec) => [
        ...validateImage("image", spec.image),
        ...spec.imagePullSecrets.flatMap((secret, index) => validateObjectName(`imagePullSecrets[${index}]`, secret)),
    ],

    container: (spec) => ({ image: spec.image, imagePullPolicy: spec.imagePullPolicy }),
};
