import type { Input } from "@pulumi/pulumi";

import { namesOf } from "../../../provider/contract/names";
import { isObject, type KubernetesObject } from "../../../provider/contract/object";
import { RUN_DIR } from "../../../provider/contract/paths";
import { fluxPatch, listOf } from "../../parts/fluxContainer";
import { FLUX_URI } from "../../parts/paths";
import { scriptsIn } from "../../parts/scripts";
import { secretKey, variables } from "../../parts/variables";
import { noticeEnvironment, validateEnvironment } from "../../rules/environment";
import { VARIABLE } from "../../rules/patterns";
import type { Problem } from "../../rules/problem";
import type { Decide, MiniClusterSpec } from "../../spec";
import type { Feature } from "../feature";

/**
 * Folder of the commands of Flux that submit jobs, in a form that keeps a rank's own variables out of jobspecs, and of the
 * program with which Flux connects to other ranks.
 */
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

export const environment: Feature<EnvironmentArguments, Decided> = {
    decide: ({ environment: given = {} }) => ({ environment: given }),

    problems: validateEnvironment,
    notices: (spec) => [...noticeEnvironment(spec), ...noticePatch(spec.podTemplate)],

    files: ({ hooks }) => ({
        ...scriptsIn(__dirname, "bridge.py", "environment.sh", "exec.sh", "ssh.sh", "submit.sh"),
        ...(Object.keys(hooks).length > 0 ? scriptsIn(__dirname, "own.sh") : {}),
    }),

    parameters: ({ podTemplate, secretNames }) => ({
        rankEnvironment: [...secretNames, ...filledFrom(podTemplate, isShared, secretNames)].join(" "),
        rankFields: filledFrom(podTemplate, (source) => !isShared(source)).join(" "),
    }),

    variables: (spec) => [
        { name: "FLUX_URI", value: FLUX_URI },
        { name: "FLUX_EXEC_PATH_PREPEND", value: COMMANDS_DIR },
        ...(hasSsh(spec) ? [] : [{ name: "FLUX_SSH", value: `${COMMANDS_DIR}/ssh` }]),
        ...variables(spec.environment),
        ...spec.secretNames.map((variable) => ({
            name: variable,
            valueFrom: { secretKeyRef: { name: namesOf(spec.name).secret, key: secretKey(variable) } },
        })),
    ],
};

/** True if the user gives a program that Flux runs in place of ssh. */
function hasSsh({ environment, secretNames }: MiniClusterSpec): boolean {
    return environment["FLUX_SSH"] !== undefined || secretNames.includes("FLUX_SSH");
}

/**
 * Variables of the pod template that Kubernetes fills in each pod: from some kinds of sources, or with $(NAME) from such a
 * variable, or from a known one, that stands before.
 */
function filledFrom(
    podTemplate: KubernetesObject,
    isWanted: (source: KubernetesObject) => boolean,
    known: readonly string[] = [],
): string[] {
    const found = new Set<string>(known);
    for (const variable of listOf(fluxPatch(podTemplate)?.env).filter(isObject)) {
        const { name, value, valueFrom } = variable;
        const isFilled = isObject(valueFrom) ? isWanted(valueFrom) : namesIn(value).some((other) => found.has(other));
        found[isFilled ? "add" : "delete"](name);
    }
    return [...found].filter((name) => !known.includes(name) && VARIABLE.test(name));
}

/** Variables that Kubernetes expands in a value: `$(NAME)`, but not `$$(NAME)`. */
function namesIn(value: unknown): string[] {
    const matches = typeof value === "string" ? value.matchAll(/\$\$|\$\(([^)]*)\)/g) : [];
    return [...matches].flatMap(([, name]) => name ?? []);
}

/** True for a source with the same value on all ranks. Any other is a field or a file of the pod. */
function isShared({ configMapKeyRef, secretKeyRef }: KubernetesObject): boolean {
    return configMapKeyRef !== undefined || secretKeyRef !== undefined;
}

/** Variables of the pod template may be the cluster's own, unlike those of `environment`. */
function noticePatch(podTemplate: KubernetesObject): Problem[] {
    const given = listOf(fluxPatch(podTemplate)?.env).filter((variable) => typeof variable?.value === "string");
    const environment = Object.fromEntries(given.map(({ name, value }) => [name, value]));
    return noticeEnvironment({ environment }).map(({ property, reason }) => ({
        property: property.replace("environment", "podTemplate.spec.containers[flux].env"),
        reason,
    }));
}
