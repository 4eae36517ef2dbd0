import * as pulumi from "@pulumi/pulumi";

import { certificateProblem } from "../../provider/contract/certificateCheck";
import type { MiniClusterArgs } from "../args";
import { DNS_LABEL } from "../rules/patterns";
import type { Problem } from "../rules/problem";
import { ifKnown } from "./outputs";
import { unseen } from "./shape";
import { windowsProblems } from "./windows";

/** An argument that is not part of MiniClusterSpec, with its check. */
export interface Outside<T> {
    readonly value: pulumi.Output<T>;
    readonly judge: (value: T) => Problem[];
}

export interface OutsideSpec {
    readonly certificate?: Outside<string>;
    readonly environment: Outside<Record<string, string>>;
    readonly namespace?: Outside<string>;
}

/** Collects the arguments that MiniClusterSpec leaves out. They are checked when their values are known. */
export function outsideSpec(
    { certificate, namespace }: MiniClusterArgs,
    environment: pulumi.Output<Record<string, string>>,
): OutsideSpec {
    return {
        certificate:
            certificate === undefined ? undefined : { value: pulumi.secret(certificate), judge: judgeCertificate },
        environment: { value: environment, judge: judgeSecrets },
        namespace:
            namespace === undefined
                ? undefined
                : { value: pulumi.output(namespace), judge: (known) => judgeNamespace(known, known === namespace) },
    };
}

/** Problems of the certificate and the namespace if these are plain values. */
export function plainProblems({ certificate, namespace }: MiniClusterArgs): Problem[] {
    return [
        ...(typeof certificate === "string" ? judgeCertificate(certificate) : []),
        ...(typeof namespace === "string" ? judgeNamespace(namespace, true) : []),
    ];
}

/**
 * All problems of these arguments, so that one error names them before any resource is registered. A value that is
 * unknown has none yet.
 */
export async function allProblems({ certificate, environment, namespace }: OutsideSpec): Promise<Problem[]> {
    const given = [certificate, environment, namespace].filter((one) => one !== undefined) as Outside<unknown>[];
    return (await Promise.all(given.map(problemsOf))).flat();
}

/**
 * Returns a Promise, because an Output would make the children depend on the resources that the certificate comes from.
 */
async function problemsOf({ judge, value }: Outside<unknown>): Promise<Problem[]> {
    return (await ifKnown(value.apply(judge))) ?? [];
}

function judgeCertificate(text: unknown): Problem[] {
    const property = "certificate";
    if (typeof text !== "string") {
        return [unseen(property)];
    }
    const problem = certificateProblem(text);
    return problem === undefined
        ? []
        : [{ property, reason: `${problem}. Give the whole file that flux keygen writes.` }];
}

/** The problems of variables that are secrets. No value is shown. */
export function judgeSecrets(variables: unknown): Problem[] {
    if (typeof variables !== "object" || variables === null || Array.isArray(variables)) {
        return [unseen("environment", "an object")];
    }
    return Object.entries(variables).flatMap(([name, value]) =>
        typeof value === "string" ? windowsProblems(`environment.${name}`, value) : [unseen(`environment.${name}`)],
    );
}

/** An Output may be a secret, so only a plain value is shown. */
function judgeNamespace(namespace: unknown, isPlain: boolean): Problem[] {
    // An Output may be null, which leaves the namespace out.
    if (namespace === undefined || namespace === null) {
        return [];
    }
    const property = "namespace";
    if (typeof namespace !== "string") {
        return [unseen(property)];
    }
    const is = isPlain ? `is ${JSON.stringify(namespace)}, which is` : "is";
    const cure = "Use up to 63 lower-case letters, digits and '-', and start and end with a letter or a digit.";
    return DNS_LABEL.test(namespace) ? [] : [{ property, reason: `${is} not a namespace name. ${cure}` }];
}
