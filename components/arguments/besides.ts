import * as pulumi from "@pulumi/pulumi";

import { certificateProblem } from "../../provider/contract/certificateCheck";
import type { MiniClusterArgs } from "../args";
import { DNS_LABEL } from "../rules/patterns";
import type { Problem } from "../rules/problem";
import { unseen } from "./shape";

/** An argument that is no part of the description, and what is wrong with it. */
export interface Beside<T> {
    readonly value: pulumi.Output<T>;
    readonly judge: (value: T) => Problem[];
}

export interface Besides {
    readonly certificate?: Beside<string>;
    readonly environment: Beside<Record<string, string>>;
    readonly namespace?: Beside<string>;
}

/** The arguments that the description leaves out, to be checked when they are known. */
export function besides(
    { certificate, namespace }: MiniClusterArgs,
    environment: pulumi.Output<Record<string, string>>,
): Besides {
    return {
        certificate:
            certificate === undefined ? undefined : { value: pulumi.secret(certificate), judge: judgeCertificate },
        environment: { value: environment, judge: judgeSecrets },
        namespace: namespace === undefined ? undefined : { value: pulumi.output(namespace), judge: judgeNamespace },
    };
}

/** What is wrong with those that are no Outputs. */
export function plainProblems({ certificate, namespace }: MiniClusterArgs): Problem[] {
    return [
        ...(typeof certificate === "string" ? judgeCertificate(certificate) : []),
        ...(typeof namespace === "string" ? judgeNamespace(namespace) : []),
    ];
}

/**
 * All that is wrong with them, so that one error comes before any object is registered. A preview can't wait for it: what
 * another resource will say is unknown there.
 */
export async function allProblems({ certificate, environment, namespace }: Besides): Promise<Problem[]> {
    if (pulumi.runtime.isDryRun()) {
        return [];
    }
    const given = [certificate, environment, namespace].filter((one) => one !== undefined) as Beside<unknown>[];
    return (await Promise.all(given.map(problemsOf))).flat();
}

/** A promise and no Output: the children then don't count as dependents of what the certificate is made from. */
function problemsOf({ judge, value }: Beside<unknown>): Promise<Problem[]> {
    return new Promise((resolve) => {
        value.apply((known) => resolve(judge(known)));
    });
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

function judgeSecrets(variables: unknown): Problem[] {
    if (typeof variables !== "object" || variables === null || Array.isArray(variables)) {
        return [unseen("environment", "an object")];
    }
    return Object.entries(variables).flatMap(([name, value]) =>
        typeof value === "string" ? [] : [unseen(`environment.${name}`)],
    );
}

function judgeNamespace(namespace: unknown): Problem[] {
    // An Output that is null leaves the namespace out.
    if (namespace === undefined || namespace === null) {
        return [];
    }
    const property = "namespace";
    if (typeof namespace !== "string") {
        return [unseen(property)];
    }
    const reason = "is no name of a namespace: up to 63 lower-case letters, digits and '-', at both ends no '-'.";
    return DNS_LABEL.test(namespace) ? [] : [{ property, reason }];
}
