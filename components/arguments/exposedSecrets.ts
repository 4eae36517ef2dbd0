import * as pulumi from "@pulumi/pulumi";

import type { Problem } from "../rules/problem";
import { isPlain } from "./later";

/** Arguments that may be secret: they go into the Secret or only to Pulumi. An image's name is no secret in Kubernetes. */
const ALLOWED = ["certificate", "cluster", "context", "environment", "image", "kubeconfig", "namespace", "triggers"];

const VARIABLE = "Give it as a variable in environment";
/** Where the secret can go instead. */
const CURES: Readonly<Record<string, string>> = {
    command: `${VARIABLE}, which the command can read`,
    hooks: `${VARIABLE}, which the hooks can read`,
    podTemplate: "Put it into a Secret of your own, and refer to that",
    restful: "Give the password of an index as PIP_INDEX_URL in environment",
    services: "Make a Deployment of your own for it",
};
const VOLUME = "Put it into a Secret of your own, and that into volumes";

/** Finds Pulumi secrets in arguments that end in a Job, a ConfigMap or a jobspec, where they are readable. */
export async function exposedSecrets(args: object): Promise<Problem[]> {
    const exposed = Object.entries(args).filter(([name, value]) => !ALLOWED.includes(name) && !isPlain(value));
    const secret = await Promise.all(exposed.map(([, value]) => pulumi.isSecret(pulumi.output<unknown>(value))));
    return exposed
        .filter((_, index) => secret[index])
        .map(([property]) => {
            const cure = `${CURES[property] ?? VOLUME}. If it is no secret, wrap it in pulumi.unsecret.`;
            return { property, reason: `has a secret, which everybody could read in Kubernetes. ${cure}` };
        });
}
