import type { Input } from "@pulumi/pulumi";

import { FLUX_CONTAINER, namesOf } from "../../../provider/contract/names";
import type { Json, KubernetesObject } from "../../../provider/contract/object";
import { RUN_DIR } from "../../../provider/contract/paths";
import { FLUX_URI } from "../../parts/paths";
import { scriptsIn } from "../../parts/scripts";
import { secretKey, variables } from "../../parts/variables";
import { noticeEnvironment, validateEnvironment } from "../../rules/environment";
import { VARIABLE } from "../../rules/patterns";
import type { Decide } from "../../spec";
import type { Feature } from "../feature";

/** Folder of the commands of Flux that submit jobs, in a form that keeps a rank's own variables out of jobspecs. */
const COMMANDS_DIR = `${RUN_DIR}/commands`;

export interface EnvironmentArguments {
    /**
     * Environment variables of the brokers and of all jobs. A value that is a Pulumi secret goes through the Secret, and
     * into no jobspec: each task gets it from its own rank.
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
    notices: noticeEnvironment,

    files: () => scriptsIn(__dirname, "environment.sh", "submit.sh"),

    parameters: ({ podTemplate, secretNames }) => ({
        rankEnvironment: [...secretNames, ...namesOfReferences(podTemplate)].join(" "),
    }),

    variables: (spec) => [
        { name: "FLUX_URI", value: FLUX_URI },
        { name: "FLUX_EXEC_PATH_PREPEND", value: COMMANDS_DIR },
        ...variables(spec.environment),
        ...spec.secretNames.map((variable) => ({
            name: variable,
            valueFrom: { secretKeyRef: { name: namesOf(spec.name).secret, key: secretKey(variable) } },
        })),
    ],
};

/** Variables of the pod template that Kubernetes fills in each pod: from a Secret, or from the pod itself. */
function namesOfReferences(podTemplate: KubernetesObject): string[] {
    const container = listOf(podTemplate.spec?.containers).find((one) => one?.name === FLUX_CONTAINER);
    const references = listOf(container?.env).filter((variable) => variable?.valueFrom !== undefined);
    return references.map(({ name }) => name).filter((name) => VARIABLE.test(name));
}

/** Nothing checks the form of a pod template before Kubernetes does. */
function listOf(value: Json): KubernetesObject[] {
    return Array.isArray(value) ? value : [];
}
