import * as pulumi from "@pulumi/pulumi";

import type { MiniClusterArgs } from "./args";
import { certificateProblem } from "./flux/certificateCheck";
import { describeProblems, type Problem } from "./problem";
import { splitEnvironment } from "./secretEnvironment";
import { checkArguments } from "./shape";
import { type MiniClusterSpec, needsNamespace, placeSpec, type PlainArgs, resolveSpec } from "./spec";
import { validate } from "./validate";
import { validateHostNames } from "./validateNetwork";

/** Arguments that are no part of the description: where, and when again. */
const NOT_DESCRIBED = ["certificate", "context", "environment", "kubeconfig", "namespace", "triggers"] as const;

/** The arguments of a cluster, opened and checked. */
export interface Resolved {
    readonly spec: pulumi.Output<MiniClusterSpec>;
    readonly secretEnvironment: pulumi.Output<Record<string, string>>;
    /** The user's own, checked; undefined where none is given. */
    readonly certificate?: pulumi.Output<string>;
}

/** Opens the Outputs, decides the defaults and refuses what can't work. Throws at once where all arguments are plain. */
export function resolve(resource: pulumi.Resource, name: string, args: MiniClusterArgs): Resolved {
    const described = Object.fromEntries(
        Object.entries(args).filter(([key]) => !(NOT_DESCRIBED as readonly string[]).includes(key)),
    ) as unknown as MiniClusterArgs;
    const { plain, secret, secretNames } = splitEnvironment(args.environment);
    if (isPlain(args)) {
        decide(resource, name, args as unknown as PlainArgs, []);
    }
    const all = pulumi.all([pulumi.output(described), plain, secretNames, exposedSecrets(args)]);
    const spec = all.apply(([open, environment, names, exposed]) => {
        refuse(resource, name, exposed);
        const decided = decide(resource, name, { ...open, environment, ...keyOf(args) }, names);
        refuse(resource, name, lateEmptiness(args, decided));
        return decided;
    });
    const certificate = args.certificate === undefined ? undefined : pulumi.secret(args.certificate);
    return { spec, secretEnvironment: secret, certificate: certificate?.apply((text) => checked(resource, name, text)) };
}

/** Secrets of containers that have no Secret of ours to take them from. */
async function exposedSecrets(args: MiniClusterArgs): Promise<Problem[]> {
    const cures = {
        services: "Make a Deployment of your own for it",
        sidecars: "Put it into a Secret of your own, and that into volumes",
    } as const;
    const names = Object.keys(cures) as (keyof typeof cures)[];
    const problems = names.map(async (property) => {
        const isSecret = args[property] !== undefined && (await pulumi.isSecret(pulumi.output<unknown>(args[property])));
        return isSecret ? [{ property, reason: `has a secret, which everybody could read in Kubernetes. ${cures[property]}.` }] : [];
    });
    return (await Promise.all(problems)).flat();
}

/** The Deployment is or isn't in the program; no value that comes later can take it away. */
function lateEmptiness({ services }: MiniClusterArgs, spec: MiniClusterSpec): Problem[] {
    const late = services && !Array.isArray(services) && spec.services.length === 0;
    const reason = "turns out to be empty, which is too late. Give a list, empty or not, whose items may be Outputs.";
    return late ? [{ property: "services", reason }] : [];
}

/** Whether there is a certificate is part of the description, what is in it isn't. */
function keyOf({ certificate }: MiniClusterArgs) {
    return certificate === undefined ? {} : { certificate: "" };
}

function checked(resource: pulumi.Resource, name: string, certificate: string): string {
    const problem = certificateProblem(certificate);
    const reason = `${problem}. Give the whole file that flux keygen writes.`;
    refuse(resource, name, problem === undefined ? [] : [{ property: "certificate", reason }]);
    return certificate;
}

/** The spec for its namespace; as it is where nothing depends on that. */
export function place(
    resource: pulumi.Resource,
    name: string,
    spec: pulumi.Output<MiniClusterSpec>,
    namespace: pulumi.Output<string>,
): pulumi.Output<MiniClusterSpec> {
    const placed = (of: MiniClusterSpec) =>
        namespace.apply((known) => {
            refuse(resource, name, validateHostNames(of, known));
            return placeSpec(of, known);
        });
    return spec.apply((of) => (needsNamespace(of) ? placed(of) : pulumi.output(of) as pulumi.Output<MiniClusterSpec>));
}

/** The spec, or one error that names everything that is wrong. */
function decide(
    resource: pulumi.Resource,
    name: string,
    given: PlainArgs,
    secretNames: readonly string[],
): MiniClusterSpec {
    // In JavaScript and in other languages' SDKs, null is how an argument is left out.
    const args = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null)) as unknown as PlainArgs;
    const misshapen = checkArguments(args);
    // The rules can only judge what has its shape.
    refuse(resource, name, misshapen.length > 0 ? [...missing(args), ...misshapen] : []);
    const spec = resolveSpec(name, args, secretNames);
    refuse(resource, name, [...missing(args), ...validate(spec)]);
    return spec;
}

function missing(args: PlainArgs): Problem[] {
    return args.image ? [] : [{ property: "image", reason: "is missing; give an image that has Flux and bash." }];
}

function refuse(resource: pulumi.Resource, name: string, problems: readonly Problem[]): void {
    if (problems.length > 0) {
        throw new pulumi.ResourceError(describeProblems(name, problems), resource, true);
    }
}

/** True where no value has to be waited for. */
export function isPlain(value: unknown): boolean {
    if (pulumi.Output.isInstance(value) || value instanceof Promise) {
        return false;
    }
    return typeof value !== "object" || value === null || Object.values(value).every(isPlain);
}
