import * as pulumi from "@pulumi/pulumi";

type Variables = Record<string, pulumi.Input<string>>;

/** The environment in two parts: plain variables, and variables whose values go into the Secret. */
export interface SplitEnvironment {
    readonly secret: pulumi.Output<Record<string, string>>;
    /** Both parts, in which each variable keeps its own Output. */
    readonly parts: Promise<EnvironmentParts>;
}

/** Separates variables that are Pulumi secrets from the plain ones. */
export function splitEnvironment(environment: pulumi.Input<Variables> | undefined): SplitEnvironment {
    const parts = split(environment ?? {});
    return {
        secret: pulumi.output(parts.then(({ secret }) => secret)),
        parts,
    };
}

export interface EnvironmentParts {
    readonly plain: pulumi.Input<Variables>;
    readonly secret: pulumi.Input<Variables>;
    /** Names of the secret variables. The names are not secret. */
    readonly names: pulumi.Input<string[]>;
}

async function split(environment: pulumi.Input<Variables>): Promise<EnvironmentParts> {
    const map = await environment;
    if (pulumi.Output.isInstance(map)) {
        // An Output may be null, which leaves the environment out.
        const all = pulumi.output(map).apply((variables) => (variables as Variables | null | undefined) ?? {});
        const names = pulumi.unsecret(all.apply((variables) => Object.keys(variables)));
        return (await pulumi.isSecret(all)) ? { plain: {}, secret: all, names } : { plain: all, secret: {}, names: [] };
    }
    return isObject(map) ? splitMap(map) : { plain: map, secret: {}, names: [] };
}

/** False for values that the check of shapes refuses. */
function isObject(value: unknown): boolean {
    return typeof value === "object" && value !== null && !Array.isArray(value);
}

async function splitMap(map: Variables): Promise<EnvironmentParts> {
    const entries = Object.entries(map);
    const secrets = await Promise.all(entries.map(([, value]) => isSecret(value)));
    const secret = entries.filter((_, index) => secrets[index]);
    const plain = entries.filter((_, index) => !secrets[index]);
    return {
        plain: Object.fromEntries(plain),
        secret: Object.fromEntries(secret),
        names: secret.map(([name]) => name),
    };
}

async function isSecret(value: pulumi.Input<string>): Promise<boolean> {
    return pulumi.Output.isInstance(value) && pulumi.isSecret(pulumi.output(value));
}
