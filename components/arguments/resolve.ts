import * as pulumi from "@pulumi/pulumi";

import type { MiniClusterArgs, PlainArgs } from "../args";
import { needsNamespace, placeSpec, validateHostNames } from "../features/network";
import { Keygen } from "../parts/keygen";
import { describeProblems, type Problem } from "../rules/problem";
import type { MiniClusterSpec } from "../spec";
import { allProblems, type Beside, besides, plainProblems } from "./besides";
import { decideCluster, missing } from "./decide";
import { exposedSecrets } from "./exposedSecrets";
import { given } from "./given";
import { isPlain } from "./later";
import { neverLater } from "./neverLater";
import { splitEnvironment } from "./secretEnvironment";
import { checkArguments } from "./shape";

/** Arguments that are no part of the description: where, and when again. */
const NOT_DESCRIBED = ["certificate", "context", "environment", "kubeconfig", "namespace", "triggers"] as const;

/** The arguments of a cluster, opened and checked. */
export interface Resolved {
    readonly spec: pulumi.Output<MiniClusterSpec>;
    readonly secretEnvironment: pulumi.Output<Record<string, string>>;
    /** The user's own, checked; undefined where none is given. */
    readonly certificate?: pulumi.Output<string>;
    /** As asked for, checked; undefined where none is given. */
    readonly namespace?: pulumi.Output<string>;
}

/** Opens the Outputs, decides the defaults and refuses what can't work. Throws at once as far as arguments are plain. */
export function resolve(resource: pulumi.Resource, name: string, args: MiniClusterArgs): Resolved {
    const plainArgs = args as unknown as PlainArgs;
    const misshapen = [...neverLater(args), ...checkArguments(args)];
    refuse(resource, name, misshapen.length > 0 ? [...missing(plainArgs), ...misshapen] : []);
    if (isPlain(args)) {
        decide(resource, name, { args: plainArgs, others: plainProblems(args), secretNames: [] });
    }
    const { plain, secret, secretNames } = splitEnvironment(args.environment);
    const beside = besides(args, secret);
    const all = pulumi.all([
        pulumi.output(describedBy(args)),
        plain,
        secretNames,
        exposedSecrets(args),
        allProblems(beside),
    ]);
    const spec = all.apply(([open, environment, names, exposed, others]) => {
        refuse(resource, name, exposed);
        const opened = given({ ...open, environment, ...keyOf(args) });
        const decided = decide(resource, name, { args: opened, others, secretNames: names });
        refuse(resource, name, lateEmptiness(args, decided));
        return decided;
    });
    const checked = <T>({ judge, value }: Beside<T>) =>
        value.apply((known) => {
            refuse(resource, name, judge(known));
            return known;
        });
    return {
        spec,
        secretEnvironment: checked(beside.environment),
        certificate: beside.certificate && checked(beside.certificate),
        namespace: beside.namespace && checked(beside.namespace),
    };
}

function describedBy(args: MiniClusterArgs): MiniClusterArgs {
    const entries = Object.entries(args).filter(([key]) => !(NOT_DESCRIBED as readonly string[]).includes(key));
    return Object.fromEntries(entries) as unknown as MiniClusterArgs;
}

/** The Deployment or the service account is or isn't in the program; no value that comes later can change that. */
function lateEmptiness({ serviceAccountName, services }: MiniClusterArgs, spec: MiniClusterSpec): Problem[] {
    const problems: Problem[] = [];
    if (services && !Array.isArray(services) && spec.services.length === 0) {
        const reason =
            "turns out to be empty, which is too late. Give a list, empty or not, whose items may be Outputs.";
        problems.push({ property: "services", reason });
    }
    if (
        spec.key === Keygen.InitContainer &&
        serviceAccountName !== undefined &&
        spec.serviceAccountName === undefined
    ) {
        const reason =
            "turns out to be null, which is too late to make a service account. Give a name, or leave it out.";
        problems.push({ property: "serviceAccountName", reason });
    }
    return problems;
}

/** Whether there is a certificate is part of the description, what is in it isn't. */
function keyOf({ certificate }: MiniClusterArgs) {
    return certificate === undefined ? {} : { certificate: "" };
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
    return spec.apply((of) =>
        needsNamespace(of) ? placed(of) : (pulumi.output(of) as pulumi.Output<MiniClusterSpec>),
    );
}

interface Opened {
    readonly args: PlainArgs;
    readonly secretNames: readonly string[];
    /** What is wrong with arguments that are no part of the description. */
    readonly others: readonly Problem[];
}

/** The spec, or one error that names everything that is wrong. */
function decide(resource: pulumi.Resource, name: string, { args, others, secretNames }: Opened): MiniClusterSpec {
    const { problems, spec } = decideCluster(name, args, secretNames);
    refuse(resource, name, [...problems, ...others]);
    return spec as MiniClusterSpec;
}

function refuse(resource: pulumi.Resource, name: string, problems: readonly Problem[]): void {
    if (problems.length > 0) {
        throw new pulumi.ResourceError(describeProblems(name, problems), resource, true);
    }
}
