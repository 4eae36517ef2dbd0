import * as pulumi from "@pulumi/pulumi";

import type { MiniClusterArgs, PlainArgs } from "../args";
import { FEATURES } from "../features";
import { needsNamespace, placeSpec, validateHostNames } from "../features/network";
import { describeProblems, type Problem } from "../rules/problem";
import type { MiniClusterSpec } from "../spec";
import { allProblems, type Beside, type Besides, besides, plainProblems } from "./besides";
import { decideCluster, missing } from "./decide";
import { exposedSecrets } from "./exposedSecrets";
import { given } from "./given";
import { ifKnown, isPlain } from "./later";
import { neverLater } from "./neverLater";
import { splitEnvironment } from "./secretEnvironment";
import { checkArguments } from "./shape";
import { without } from "./without";

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
    refuse(resource, name, misshapenProblems(args));
    if (isPlain(args)) {
        const { problems } = decideCluster(name, args as unknown as PlainArgs, []);
        refuse(resource, name, [...problems, ...plainProblems(args)]);
    }
    const { beside, judged } = judge(name, args);
    const spec = judged.apply(({ problems, spec: decided }) => {
        refuse(resource, name, problems);
        warn(resource, name, decided as MiniClusterSpec);
        return decided as MiniClusterSpec;
    });
    const checked = <T>({ judge: judgeOne, value }: Beside<T>) =>
        value.apply((known) => {
            refuse(resource, name, judgeOne(known));
            return known;
        });
    return {
        spec,
        secretEnvironment: checked(beside.environment),
        certificate: beside.certificate && checked(beside.certificate),
        namespace: beside.namespace && checked(beside.namespace),
    };
}

/** The problems of a MiniCluster's arguments. None if a value is unknown. */
export async function problemsOfCluster(all: MiniClusterArgs, name: string): Promise<readonly Problem[]> {
    const args = given(all);
    const misshapen = misshapenProblems(args);
    if (misshapen.length > 0) {
        return misshapen;
    }
    const { beside, judged } = judge(name, args);
    const { problems, spec } = (await ifKnown(judged)) ?? { problems: [] };
    const namespace = beside.namespace && (await ifKnown(beside.namespace.value));
    const late = spec === undefined || namespace === undefined ? [] : validateHostNames(spec, namespace);
    return [...problems, ...late];
}

/** Problems that are seen without opening an Output. */
function misshapenProblems(args: MiniClusterArgs): Problem[] {
    const misshapen = [...neverLater(args), ...checkArguments(args)];
    return misshapen.length > 0 ? [...missing(args as unknown as PlainArgs), ...misshapen] : [];
}

interface Judged {
    /** Undefined if there are problems. */
    readonly spec?: MiniClusterSpec;
    readonly problems: readonly Problem[];
}

/** Opens the Outputs and judges all arguments. */
function judge(
    name: string,
    args: MiniClusterArgs,
): { readonly beside: Besides; readonly judged: pulumi.Output<Judged> } {
    const { plain, secret, secretNames } = splitEnvironment(args.environment);
    const beside = besides(args, secret);
    const all = pulumi.all([
        pulumi.output(without(args, NOT_DESCRIBED) as MiniClusterArgs),
        plain,
        secretNames,
        exposedSecrets(args),
        allProblems(beside),
    ]);
    const judged = all.apply(([open, environment, names, exposed, others]): Judged => {
        if (exposed.length > 0) {
            return { problems: exposed };
        }
        const opened = given({ ...open, environment, ...keyOf(args) });
        const { problems, spec } = decideCluster(name, opened, names);
        const late = spec === undefined ? [] : FEATURES.flatMap((feature) => feature.late?.(args as never, spec) ?? []);
        return { problems: [...problems, ...others, ...late], spec };
    });
    return { beside, judged };
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
