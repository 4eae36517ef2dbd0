import * as pulumi from "@pulumi/pulumi";

import type { ElementsStatus } from "../../provider/contract/array";
import { type RunOptions, runOptionsOf } from "../../provider/contract/runOptions";
import { FluxSubmission } from "../../provider/fluxSubmission/resource";
import { FluxTicket } from "../../provider/fluxTicket/resource";
import { requireNode } from "../../provider/contract/nodeVersion";
import { judgeSecrets } from "../arguments/outsideSpec";
import { exposedSecrets } from "../arguments/exposedSecrets";
import { dropNulls } from "../arguments/dropNulls";
import { ifKnown, isPlain } from "../arguments/outputs";
import { immediateOnly } from "../arguments/immediateOnly";
import { type SplitEnvironment, splitEnvironment } from "../arguments/secretEnvironment";
import { checkArguments } from "../arguments/shape";
import { omit } from "../arguments/omit";
import { jobAccess, specOf } from "../children/clusterAccess";
import { JOB_ARGUMENTS, JOB_ARGUMENTS_IMMEDIATE } from "../generated/shapes";
import { portWord } from "../features/rendezvous/rendezvous";
import { unixWords } from "../parts/unixText";
import { describeProblems, type Problem } from "../rules/problem";
import { dependenciesOf, type Place, plainAfterOf, rememberPlace } from "./after";
import type { ClusterReferenceArgs, FluxJobArgs } from "./args";
import { problemsOnCluster, warningsOnCluster } from "./onCluster";
import { decideJob, DEFAULTS, type FluxJobSpec, type PlainJob, withDefaultTimeouts } from "./spec";

/**
 * A job on a running MiniCluster. It is submitted once, even if an update is interrupted. An update waits for its end,
 * and a destroy cancels it. Jobs that depend on each other, by `dependsOn` or by outputs, form a workflow.
 */
export class FluxJob extends pulumi.ComponentResource {
    /** Flux's id of the job, as `flux jobs` prints it. The id of the first element if the job is an array. */
    public readonly jobId: pulumi.Output<string>;
    /** The ids of the elements of an array. Only that of the job without `array`; none of more than 100 elements. */
    public readonly jobIds: pulumi.Output<string[]>;
    /** Phase at the last update or refresh: `pending`, `running`, `succeeded`, `failed`, `lost` or `unknown`. */
    public readonly phase: pulumi.Output<string>;
    /** Highest exit code of the job's tasks. Undefined while the job runs, and if no task ran. */
    public readonly exitCode: pulumi.Output<number | undefined>;
    /**
     * The end of the job's log, which has both stdout and stderr. Of an array, the logs of its elements with the index
     * before each line; empty for more than 100 elements.
     */
    public readonly output: pulumi.Output<string>;
    /** The elements of an array, and the first failures. Undefined without `array`. */
    public readonly elements: pulumi.Output<ElementsStatus | undefined>;

    constructor(name: string, args: FluxJobArgs, opts?: pulumi.ComponentResourceOptions) {
        requireNode();
        super("flux-minicluster:index:FluxJob", name, {}, opts);
        // A program in JavaScript may leave the arguments out.
        args = dropNulls(args ?? {}, JOB_ARGUMENTS);
        const environment = splitEnvironment(args.environment);
        const cluster = clusterOf(args.cluster);
        rememberPlace(this, placeOf(cluster));
        const checked = resolveJob(this, name, { args, cluster, environment });

        const ticket = new FluxTicket(`${name}-ticket`, { jobName: name }, { parent: this });
        const submission = new FluxSubmission(
            `${name}-submission`,
            {
                ...jobAccess(args, args.cluster),
                cluster: cluster as pulumi.Input<{ name: string; namespace: string; uid?: string }>,
                nonce: ticket.nonce,
                key: pulumi.secret(ticket.key),
                // The first name of a FluxJob that was renamed.
                jobName: ticket.jobName.apply((first) => first ?? name),
                command: pulumi.output(args.command).apply((words) => words && unixWords(words)),
                // Pulumi opens the Outputs in them.
                ...(runOptionsOf(args) as RunOptions),
                array: args.array && pulumi.output(args.array),
                after: dependenciesOf(args.after),
                rendezvous: args.rendezvous && pulumi.output(args.rendezvous).apply((of) => of && portWord(of)),
                environment: environment.plain,
                secretEnvironment: environment.secret.apply((of) => {
                    refuse(this, name, judgeSecrets(of));
                    return of;
                }),
                workingDirectory: args.workingDir,
                triggers: args.triggers,
                wait: pulumi.output(args.wait).apply((wait) => wait ?? DEFAULTS.wait),
                rerunFailed: pulumi.output(args.rerunFailed).apply((rerun) => rerun ?? DEFAULTS.rerunFailed),
                interrupt: pulumi.output(args.interrupt).apply((interrupt) => interrupt ?? DEFAULTS.interrupt),
                timeouts: pulumi.output(args.timeouts).apply(withDefaultTimeouts),
                // Pulumi registers a resource when all its inputs are known. This one is known only if all arguments
                // are right.
                maxBytes: checked.apply((of) => of.maxBytes),
                secretOutput: args.output?.secret,
            },
            { parent: this, dependsOn: pulumi.Resource.isInstance(args.cluster) ? [args.cluster] : [] },
        );
        this.jobId = submission.jobId;
        const { elements: ofArray, jobIds: ids } = arrayOutputs(submission, args.array !== undefined);
        this.jobIds = ids;
        this.phase = submission.phase;
        this.exitCode = submission.exitCode.apply((code) => code ?? undefined);
        this.output = submission.output;
        this.elements = ofArray;
        const { elements, exitCode, jobId, jobIds, output, phase } = this;
        this.registerOutputs({ jobId, jobIds, phase, exitCode, output, elements });
    }
}

/** The outputs of which only an array has values: a preview takes an output without a value as unknown. */
function arrayOutputs(
    { elements, jobId, jobIds }: FluxSubmission,
    isArray: boolean,
): Pick<FluxJob, "elements" | "jobIds"> {
    if (!isArray) {
        return { elements: pulumi.output(undefined), jobIds: jobId.apply((id) => [id]) };
    }
    // A state of an earlier version has no list.
    return { elements, jobIds: pulumi.all([jobId, jobIds]).apply(([id, ids]) => ids ?? [id]) };
}

type Reference = pulumi.Input<Partial<ClusterReferenceArgs> | undefined>;

/**
 * The outputs of a cluster that a job needs. Pulumi doesn't open the outputs of a resource, so they are picked one by
 * one.
 */
function clusterOf(cluster: FluxJobArgs["cluster"]): Reference {
    const pick = (of: ClusterReferenceArgs) => ({ name: of.name, namespace: of.namespace, uid: of.uid });
    const isLater = pulumi.Output.isInstance(cluster) || cluster instanceof Promise;
    if (isObject(cluster) && !isLater) {
        return pick(cluster);
    }
    return pulumi.output(cluster).apply((of) => (isObject(of) ? pick(of as ClusterReferenceArgs) : undefined));
}

function isObject(value: unknown): boolean {
    return typeof value === "object" && value !== null;
}

interface Parts {
    readonly args: FluxJobArgs;
    readonly cluster: Reference;
    readonly environment: SplitEnvironment;
}

/**
 * Arguments that aren't opened together with the others: the environment, and those that say where and after which jobs
 * the job runs, and when it is submitted again.
 */
const NOT_DESCRIBED = ["after", "cluster", "context", "environment", "kubeconfig", "triggers"] as const;

/** Opens the Outputs and refuses arguments that can't work. If all arguments are plain, it refuses them at once. */
function resolveJob(resource: FluxJob, name: string, parts: Parts): pulumi.Output<FluxJobSpec> {
    const { args } = parts;
    const refuseAll = (problems: readonly Problem[]) => refuse(resource, name, problems);
    refuseAll(misshapenProblems(args));
    if (isPlain({ ...omit(args, NOT_DESCRIBED), cluster: args.cluster, environment: args.environment })) {
        refuseAll(decideJob({ ...args, after: undefined } as PlainJob, []).problems);
    }
    const decided = judge(parts).apply(({ problems, spec }) => {
        refuseAll(problems);
        return spec as FluxJobSpec;
    });
    const onCluster = specOf(args.cluster);
    if (onCluster === undefined) {
        return decided;
    }
    return pulumi.all([decided, onCluster]).apply(([spec, of]) => {
        refuseAll(problemsOnCluster(spec, of));
        warningsOnCluster(spec, of).forEach((text) => void pulumi.log.warn(`FluxJob "${name}": ${text}`, resource));
        return spec;
    });
}

function refuse(resource: FluxJob, name: string, problems: readonly Problem[]): void {
    if (problems.length > 0) {
        throw new pulumi.ResourceError(describeProblems(name, problems, "FluxJob"), resource, true);
    }
}

/** Name and namespace. An Output of the whole reference would be unknown with the UID of a new cluster. */
function placeOf(cluster: Reference): pulumi.Output<Place | undefined> {
    const place = (of: Partial<ClusterReferenceArgs> | undefined) =>
        of && pulumi.output({ name: of.name, namespace: of.namespace });
    const opened = pulumi.Output.isInstance(cluster)
        ? cluster.apply(place as (of: unknown) => ReturnType<typeof place>)
        : pulumi.output(place(cluster as Partial<ClusterReferenceArgs> | undefined));
    return opened as pulumi.Output<Place | undefined>;
}

/** The problems of a FluxJob's arguments. None if a value is unknown. */
export async function problemsOfJob(all: FluxJobArgs): Promise<readonly Problem[]> {
    const args = dropNulls(all, JOB_ARGUMENTS);
    const misshapen = misshapenProblems(args);
    if (misshapen.length > 0) {
        return misshapen;
    }
    const parts = { args, cluster: clusterOf(args.cluster), environment: splitEnvironment(args.environment) };
    return (await ifKnown(judge(parts)))?.problems ?? [];
}

/** Problems that are seen without opening an Output. */
function misshapenProblems(args: FluxJobArgs): Problem[] {
    return [...immediateOnly(args, JOB_ARGUMENTS_IMMEDIATE), ...checkArguments(args, JOB_ARGUMENTS)];
}

/** Opens the Outputs and judges all arguments. */
function judge({ args, cluster, environment }: Parts): pulumi.Output<ReturnType<typeof decideJob>> {
    // The UID of a new cluster is unknown at preview. It is left out here, because it would hide the other problems.
    const where = placeOf(cluster);
    const all = pulumi.all([
        pulumi.output(omit(args, NOT_DESCRIBED)),
        environment.plain,
        environment.secretNames,
        where,
        pulumi.output(plainAfterOf(args.after)),
        exposedSecrets(args),
    ]);
    return all.apply(([open, plain, secretNames, place, after, exposed]) =>
        exposed.length > 0
            ? { problems: exposed }
            : decideJob({ ...open, after, cluster: place, environment: plain }, secretNames),
    );
}
