import * as pulumi from "@pulumi/pulumi";

import type { MiniClusterArgs, PlainArgs } from "../args";
import { FEATURES } from "../features";
import { needsNamespace, placeSpec, validateHostNames } from "../features/network";
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

/** Arguments that aren't opened together with the others: the environment, and those that are not part of the spec. */
const NOT_DESCRIBED = ["certificate", "context", "environment", "kubeconfig", "namespace", "triggers"] as const;

/** The arguments of a cluster, opened and checked. */
export interface Resolved {
    readonly spec: pulumi.Output<MiniClusterSpec>;
    readonly secretEnvironment: pulumi.Output<Record<string, string>>;
    /** The user's certificate, checked; undefined if none is given. */
    readonly certificate?: pulumi.Output<string>;
    /** The argument `namespace`, checked; undefined if none is given. */
    readonly namespace?: pulumi.Output<string>;
}

/**
 * Opens the Outputs, decides the defaults and refuses arguments that can't work. Problems of plain values are thrown at
 * once.
 */
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
        refuse(
            resource,
            name,
            FEATURES.flatMap(({ late }) => late?.(args as never, decided) ?? []),
        );
        warn(resource, name, decided);
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

/** The spec says whether there is a certificate, but doesn't contain it. */
function keyOf({ certificate }: MiniClusterArgs) {
    return certificate === undefined ? {} : { certificate: "" };
}

/** The spec for its namespace; unchanged if nothing in it depends on the namespace. */
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
    /** Problems of arguments that are not part of the spec. */
    readonly others: readonly Problem[];
}

/** Returns the spec, or throws one error with all problems. */
function decide(resource: pulumi.Resource, name: string, { args, others, secretNames }: Opened): MiniClusterSpec {
    const { problems, spec } = decideCluster(name, args, secretNames);
    refuse(resource, name, [...problems, ...others]);
    return spec as MiniClusterSpec;
}

/** Shows the notices of all features, at preview and at the update. */
function warn(resource: pulumi.Resource, name: string, spec: MiniClusterSpec): void {
    const notices = FEATURES.flatMap((feature) => feature.notices?.(spec) ?? []);
    for (const { property, reason } of notices) {
        void pulumi.log.warn(`MiniCluster "${name}": ${property} ${reason}`, resource);
    }
}

function refuse(resource: pulumi.Resource, name: string, problems: readonly Problem[]): void {
    if (problems.length > 0) {
        throw new pulumi.ResourceError(describeProblems(name, problems), resource, true);
    }
}
