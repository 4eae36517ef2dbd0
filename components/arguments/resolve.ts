import * as pulumi from "@pulumi/pulumi";

import type { MiniClusterArgs, PlainArgs } from "../args";
import { type Access, clusterAccess } from "../children/clusterAccess";
import { laterSpec, type LaterSpec, type PlacedSpec } from "./laterSpec";
import { FEATURES } from "../features";
import { validateHostNames } from "../features/network";
import { validateAccount } from "../features/podAccount";
import type { Problem } from "../rules/problem";
import type { MiniClusterSpec } from "../spec";
import { allProblems, type Outside, type OutsideSpec, outsideSpec, plainProblems } from "./outsideSpec";
import { clusterDescription, decideCluster } from "./decide";
import { allOf, judge, type Judged, misshapenProblems, omit, type OpenArguments, refuse, specOf } from "./describe";
import { type Aliases, type DefaultName, defaultName, problemsOfName } from "./defaultName";
import { dropNulls } from "./dropNulls";
import { ifKnown, isLater, isPlain } from "./outputs";
import { ifAllKnown } from "./reading";
import { splitEnvironment } from "./secretEnvironment";

/** Arguments that aren't opened together with the others: the environment, and those that are not part of the spec. */
const NOT_DESCRIBED = ["certificate", "context", "environment", "kubeconfig", "namespace", "triggers"] as const;

type OpenCluster = OpenArguments<MiniClusterSpec>;

/** The arguments of a cluster, opened and checked. */
export interface Resolved {
    readonly spec: LaterSpec;
    /** The arguments without null. They decide which resources exist: Pulumi must know that before any Output. */
    readonly args: MiniClusterArgs;
    readonly access: Access;
    /** Secret variables, checked. */
    readonly environment: pulumi.Output<Record<string, string>>;
    /** The user's certificate, checked; undefined if none is given. */
    readonly certificate?: pulumi.Output<string>;
    /** The argument `namespace`, checked; undefined if none is given. */
    readonly namespace?: pulumi.Output<string>;
}

/**
 * Opens the Outputs, decides the defaults and refuses arguments that can't work. Problems of plain values are thrown at
 * once.
 */
export function resolve(resource: pulumi.Resource, name: string, all: MiniClusterArgs, aliases?: Aliases): Resolved {
    // A program in JavaScript may leave the arguments out.
    const args = dropNulls(all ?? {});
    refuse(resource, name, misshapenProblems(clusterDescription(name), args));
    const byDefault = defaultName(name, aliases);
    if (isPlain(args) && !isLater(byDefault)) {
        const plain = args as unknown as PlainArgs;
        const { problems } = decideCluster(byDefault.name, plain, []);
        refuse(resource, name, [...problemsOfName(plain, byDefault), ...problems, ...plainProblems(args)]);
    }
    const { outside, judged } = judgeCluster(byDefault, args);
    const right = async (): Promise<OpenCluster> => {
        const { open, problems } = await judged;
        refuse(resource, name, problems);
        warn(resource, name, specOf(open as OpenCluster));
        return open as OpenCluster;
    };
    const checked = <T>({ judge: judgeOne, value }: Outside<T>) =>
        value.apply((known) => {
            refuse(resource, name, judgeOne(known));
            return known;
        });
    return {
        spec: laterSpec(right()),
        args,
        access: clusterAccess(args, resource),
        environment: checked(outside.environment),
        certificate: outside.certificate && checked(outside.certificate),
        namespace: outside.namespace && checked(outside.namespace),
    };
}

/** The problems of a MiniCluster's arguments. Rules that need an unknown value are left out. */
export async function problemsOfCluster(
    all: MiniClusterArgs,
    name: string,
    { aliases }: pulumi.ComponentResourceOptions = {},
): Promise<readonly Problem[]> {
    const args = dropNulls(all);
    const misshapen = misshapenProblems(clusterDescription(name), args);
    if (misshapen.length > 0) {
        return misshapen;
    }
    const { outside, judged } = judgeCluster(defaultName(name, aliases), args);
    const { open, problems } = await judged;
    const namespace = outside.namespace && (await ifKnown(outside.namespace.value));
    const late = () =>
        open === undefined || namespace === undefined ? [] : validateHostNames(specOf(open), namespace);
    return [...problems, ...(ifAllKnown(late) ?? [])];
}

/** Opens the Outputs and judges all arguments. */
function judgeCluster(
    naming: DefaultName | Promise<DefaultName>,
    args: MiniClusterArgs,
): { readonly outside: OutsideSpec; readonly judged: Promise<Judged<MiniClusterSpec>> } {
    const environment = splitEnvironment(args.environment);
    const outside = outsideSpec(args, environment.secret);
    const judged = async (): Promise<Judged<MiniClusterSpec>> => {
        const [byDefault, others, { names, plain }] = await Promise.all([
            naming,
            allProblems(outside),
            environment.parts,
        ]);
        const described = { ...omit(args, NOT_DESCRIBED), environment: plain, ...keyOf(args) };
        const inSpec = { args: described, secretNames: names };
        const { open, problems: own } = await judge(clusterDescription(byDefault.name), args, inSpec);
        if (open === undefined) {
            return { problems: own };
        }
        const problems = [...problemsOfName(open.opened.args, byDefault), ...own];
        const spec = specOf(open);
        const rules = [...FEATURES.map(({ late }) => late), validateAccount];
        const late = problems.length > 0 ? [] : rules.map((rule) => () => rule?.(args as never, spec));
        return { open, problems: [...problems, ...others, ...allOf(late)] };
    };
    return { outside, judged: judged() };
}

/** The spec says whether there is a certificate, but doesn't contain it. */
function keyOf({ certificate }: MiniClusterArgs) {
    return certificate === undefined ? {} : { certificate: "" };
}

/** The spec in its namespace. */
export function place(
    resource: pulumi.Resource,
    name: string,
    spec: LaterSpec,
    namespace: pulumi.Output<string>,
): PlacedSpec {
    return spec.in(namespace, (of, known) => refuse(resource, name, validateHostNames(of, known)));
}

/** Shows the notices of all features, at preview and at the update. */
function warn(resource: pulumi.Resource, name: string, spec: MiniClusterSpec): void {
    const notices = FEATURES.flatMap((feature) => ifAllKnown(() => feature.notices?.(spec)) ?? []);
    for (const { property, reason } of notices) {
        void pulumi.log.warn(`MiniCluster "${name}": ${property} ${reason}`, resource);
    }
}
