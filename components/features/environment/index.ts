import type { Input } from "@pulumi/pulumi";

import { namesOf } from "../../../provider/contract/names";
import { FLUX_URI } from "../../../provider/contract/paths";
import { secretKey, variables } from "../../parts/variables";
import { validateEnvironment } from "../../rules/environment";
import type { Texts } from "../../spec";
import type { Feature } from "../feature";

export interface EnvironmentArguments {
    /** Environment variables. Values that are Pulumi secrets go through the Secret and never into a jobspec. */
    environment?: Input<{ [name: string]: Input<string> }>;
}

export interface Decided {
    /** Those whose values are no secret. */
    readonly environment: Texts;
}

declare module "../../spec" {
    interface MiniClusterSpec extends Decided {}
}

export const environment: Feature<EnvironmentArguments, Decided> = {
    decide: ({ environment: given = {} }) => ({ environment: given }),

    problems: validateEnvironment,

    parameters: ({ secretNames }) => ({ rankEnvironment: ["HOSTNAME", "JOB_COMPLETION_INDEX", ...secretNames].join(" ") }),

    variables: (spec) => [
        { name: "FLUX_URI", value: FLUX_URI },
        ...variables(spec.environment),
        ...spec.secretNames.map((variable) => ({
            name: variable,
            valueFrom: { secretKeyRef: { name: namesOf(spec.name).secret, key: secretKey(variable) } },
        })),
    ],
};
