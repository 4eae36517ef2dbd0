import * as pulumi from "@pulumi/pulumi";

import type { Problem } from "../rules/problem";
import { isPlain } from "./outputs";

/**
 * Arguments that may be Pulumi secrets: they go into the Secret, or only to Pulumi. The name of an image is not secret
 * in Kubernetes, even if Pulumi marks it as a secret, and neither are the ids of other jobs.
 */
const ALLOWED = [
    "after",
    "certificate",
    "cluster",
    "context",
    "environment",
    "image",
    "kubeconfig",
    "namespace",
    "triggers",
];

const VARIABLE = "Give it as a variable in environment";
/** Where to put the secret instead, for each argument. */
const CURES: Readonly<Record<string, string>> = {
    array: `${VARIABLE}, which each element can read`,
    command: `${VARIABLE}, which the command can read`,
    hooks: `${VARIABLE}, which the hooks can read`,
    podTemplate: "Put it into a Secret of your own, and refer to that Secret",
    restful: "Give the URL of a package index with a password as PIP_INDEX_URL in environment",
    rotate: "Give a text that is not secret, such as a date",
    services: "Run the program in a Deployment of your own",
};
const VOLUME = "Put it into a Secret of your own, and mount that with volumes";

/** Finds Pulumi secrets in arguments that go into a Job, a ConfigMap or a jobspec, where they would be readable. */
export async function exposedSecrets(args: object): Promise<Problem[]> {
    const exposed = Object.entries(args).filter(([name, value]) => !ALLOWED.includes(name) && !isPlain(value));
    const secret = await Promise.all(exposed.map(([, value]) => pulumi.isSecret(pulumi.output<unknown>(value))));
    return exposed
        .filter((_, index) => secret[index])
        .map(([property]) => {
            const cure = `${CURES[property] ?? VOLUME}. If it is not a secret, wrap it in pulumi.unsecret.`;
            return { property, reason: `has a secret, which would be readable in Kubernetes. ${cure}` };
        });
}
