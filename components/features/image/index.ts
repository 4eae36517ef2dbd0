import type { Input } from "@pulumi/pulumi";

import { validateImage, validateObjectName } from "../../rules/names";
import type { Feature } from "../feature";

export interface ImageArguments {
    /** Container image; it has flux-core 0.72 or later (but see `view`) and bash. */
    image: Input<string>;
    /** `Always`, `IfNotPresent` or `Never`. @default Kubernetes' */
    imagePullPolicy?: Input<string>;
    /** Names of Secrets in the same namespace. */
    imagePullSecrets?: Input<Input<string>[]>;
}

export interface Decided {
    readonly image: string;
    readonly imagePullPolicy?: string;
    readonly imagePullSecrets: readonly string[];
}

declare module "../../spec" {
    interface MiniClusterSpec extends Decided {}
}

export const image: Feature<ImageArguments, Decided> = {
    decide: ({ image: given, imagePullPolicy, imagePullSecrets = [] }) => ({ image: given, imagePullPolicy, imagePullSecrets }),

    problems: (spec) => [
        ...validateImage("image", spec.image),
        ...spec.imagePullSecrets.flatMap((secret, index) => validateObjectName(`imagePullSecrets[${index}]`, secret)),
    ],

    container: (spec) => ({ image: spec.image, imagePullPolicy: spec.imagePullPolicy }),
};
