import type { Input } from "@pulumi/pulumi";

import { namesOf } from "../../../provider/contract/names";
import { FLUX_URI } from "../../../provider/contract/paths";
import { secretKey, variables } from "../../parts/variables";
import { validateEnvironment } from "../../rules/environment";
import type { Decide } from "../../spec";
import type { Feature } from "../feature";

export interface EnvironmentArguments {
    /**
     * Environment variables of the brokers and of all jobs. A value that is a Pulumi secret goes through the Secret,
     * and not into the jobspec of `command` (see `launcher` for a command that submits jobs itself).
     * @default none
     */
    environment?: Input<{ [name: string]: Input<string> }>;
}

export type Decided = Decide<EnvironmentArguments, "environment">;

declare module "../../spec" {
    interface MiniClusterSpec extends Decided {}
}

export const environment: Feature<EnvironmentArguments, Decided> = {
    decide: ({ environment: given = {} }) => ({ environment: given }),

    problems: validateEnvironment,

    parameters: ({ secretNames }) => ({
        rankEnvironment: ["HOSTNAME", "JOB_COMPLETION_INDEX", ...secretNames].join(" "),
    }),

    variables: (spec) => [
        { name: "FLUX_URI", value: FLUX_URI },
        ...variables(spec.environment),
        ...spec.secretNames.map((variable) => ({
            name: variable,
            valueFrom: { secretKeyRef: { name: namesOf(spec.name).secret, key: secretKey(variable) } },
        })),
    ],
};
