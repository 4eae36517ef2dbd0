import * as pulumi from "@pulumi/pulumi";

import type { ElementsStatus } from "../../provider/contract/elementsStatus";
import type { RunRecord } from "../../provider/contract/record/runRecord";
import type { KeptResults } from "../../provider/contract/results";
import type { FluxSubmissionArgs } from "../../provider/fluxSubmission/properties";
import { FluxSubmission } from "../../provider/fluxSubmission/resource";
import { FluxTicket } from "../../provider/fluxTicket/resource";
import { requireNode } from "../../provider/contract/versions";
import { judgeSecrets } from "../arguments/outsideSpec";
import { judge, type Judged, misshapenProblems, omit, type OpenArguments, refuse, specOf } from "../arguments/describe";
import { dropNulls } from "../arguments/dropNulls";
import { later, type Later } from "../arguments/laterSpec";
import { ifKnown, isPlain } from "../arguments/outputs";
import { ifAllKnown } from "../arguments/reading";
import { type SplitEnvironment, splitEnvironment } from "../arguments/secretEnvironment";
import { jobAccess, specOf as clusterSpecOf } from "../children/clusterAccess";
import { JOB_ARGUMENTS } from "../generated/shapes";
import type { Problem } from "../rules/problem";
import { DECIDED, decideJob, type FluxJobSpec, GIVEN, JOB, noticesOfJob, type PlainJob } from "./spec";
import { dependenciesOf, type Place, plainAfterOf, rememberPlace } from "./after";
import type { ClusterReferenceArgs, FluxJobArgs } from "./args";
import { resultsInput } from "./results";
import { problemsOnCluster, warningsOnCluster } from "./onCluster";

/**
 * A job on a running MiniCluster. It is submitted once, even if an update is interrupted. An update waits for its end,
 * and a destroy cancels it. Jobs that depend on each other, by `dependsOn` or by outputs, form a workflow.
 *
 * @example Two jobs on a persistent cluster, of which the second waits for the first:
 * ```ts
 * const cluster = new MiniCluster("flux", { image: "fluxrm/flux-core:bookworm-v0.88.0", size: 4 });
 * const mesh = new FluxJob("mesh", { cluster, command: ["./mesh"], nodes: 2 });
 * const solve = new FluxJob("solve", { cluster, command: ["./solve"], tasks: 64 }, { dependsOn: mesh });
 * export const result = solve.output;
 * ```
 */
export class FluxJob extends pulumi.ComponentResource {
    /** Flux's id of the job, as `flux jobs` prints it. The id of the first element if the job is an array. */
    public readonly jobId: pulumi.Output<string>;
    /** The ids of the elements of an array. Only that of the job without `array`; none of more than 100 elements. */
    public readonly jobIds: pulumi.Output<string[]>;
    /** Phase at the last update or refresh: `pending`, `running`, `succeeded`, `failed`, `lost` or `unknown`. */
    public readonly phase: pulumi.Output<string>;
    /**
     * Highest exit code of the job's tasks; 128 plus the signal if a task was killed. Undefined while the job runs, and if
     * no task ran.
     */
    public readonly exitCode: pulumi.Output<number | undefined>;
    /**
     * The end of the job's log, which has both stdout and stderr. Of an array, the logs of its elements with the index
     * before each line; empty for more than 100 elements. If Flux can't give it,
     * `(the output of job ID can't be read: WHY)`: the phase and the exit code stay those of the job.
     */
    public readonly output: pulumi.Output<string>;
    /** How far the job has said it is, such as `40 %, step 400 of 1,000`. Empty if it has said nothing, and of an array. */
    public readonly progress: pulumi.Output<string>;
    /** The elements of an array, and the first failures. Undefined without `array`. */
    public readonly elements: pulumi.Output<ElementsStatus | undefined>;
    /** The files that `results` has kept. Undefined without that argument, and before the job's end. */
    public readonly results: pulumi.Output<KeptResults | undefined>;
    /**
     * What ran, with what, when and how it ended, in at most 16 KiB. Undefined before the job's end, and of an array.
     * `output.secret` leaves the command and the environment out.
     */
    public readonly record: pulumi.Output<RunRecord | undefined>;

    constructor(name: string, args: FluxJobArgs, opts?: pulumi.ComponentResourceOptions) {
        requireNode();
        super("flux-minicluster:index:FluxJob", name, {}, opts);
        // A program in JavaScript may leave the arguments out.
        args = dropNulls(args ?? {}, JOB_ARGUMENTS);
        const parts = partsOf(args);
        const { cluster, environment, place } = parts;
        rememberPlace(this, place);
        const spec = resolveJob(this, name, parts);

        const decided = DECIDED.map((input) => [input, spec.apply((of) => of[input])]);
        // Pulumi must know at once whether there is a value.
        const given = Object.entries(GIVEN).map(([input, make]) => [
            input,
            args[input as keyof typeof GIVEN] && spec.apply<unknown>(make),
        ]);
        const options = {
            parent: this,
            dependsOn: pulumi.Resource.isInstance(args.cluster) ? [args.cluster] : [],
        };
        const access = jobAccess(args, args.cluster);
        const ticketPlace = pulumi.output(cluster).apply((of) => ({ name: of?.name, namespace: of?.namespace }));
        const ticket = new FluxTicket(
            `${name}-ticket`,
            { ...access, cluster: ticketPlace as pulumi.Output<{ name: string; namespace: string }>, jobName: name },
            options,
        );
        const submission = new FluxSubmission(
            `${name}-submission`,
            {
                ...access,
                cluster: cluster as pulumi.Input<{ name: string; namespace: string; uid?: string }>,
                nonce: ticket.nonce,
                key: pulumi.secret(ticket.key),
                // The first name of a FluxJob that was renamed.
                jobName: ticket.jobName,
                ...(Object.fromEntries(decided) as Pick<FluxJobSpec, (typeof DECIDED)[number]>),
                ...(Object.fromEntries(given) as Pick<FluxSubmissionArgs, keyof typeof GIVEN>),
                after: dependenciesOf(args.after),
                secretEnvironment: environment.secret.apply((of) => {
                    refuse(this, name, judgeSecrets(of), "FluxJob");
                    return of;
                }),
                keeps: args.results && spec.apply(resultsInput),
                workingDirectory: spec.apply((of) => of.workingDir),
                triggers: args.triggers,
                secretOutput: args.output?.secret,
                streamOutput: args.output?.stream || undefined,
            },
            options,
        );
        this.jobId = submission.jobId;
        const { elements: ofArray, jobIds: ids } = arrayOutputs(submission, args.array !== undefined);
        this.jobIds = ids;
        this.phase = submission.phase;
        this.exitCode = submission.exitCode.apply((code) => code ?? undefined);
        this.output = submission.output;
        this.progress = submission.progress.apply((said) => said ?? "");
        this.elements = ofArray;
        // Without the argument, no state has this output, and a preview would take it as unknown.
        this.results = args.results ? submission.results.apply((of) => of ?? undefined) : pulumi.output(undefined);
        // The state of an array has none.
        this.record = args.array ? pulumi.output(undefined) : submission.record.apply((of) => of ?? undefined);
        const { elements, exitCode, jobId, jobIds, output, phase, progress, record, results } = this;
        this.registerOutputs({ jobId, jobIds, phase, exitCode, output, progress, elements, results, record });
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
    return { elements, jobIds: jobIds as pulumi.Output<string[]> };
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
    readonly place: pulumi.Output<Place | undefined>;
    readonly environment: SplitEnvironment;
}

function partsOf(args: FluxJobArgs): Parts {
    const cluster = clusterOf(args.cluster);
    return { args, cluster, place: placeOf(cluster), environment: splitEnvironment(args.environment) };
}

/**
 * Arguments that aren't opened together with the others: the environment, and those that say where and after which jobs
 * the job runs, and when it is submitted again.
 */
const NOT_DESCRIBED = ["after", "cluster", "context", "environment", "kubeconfig", "triggers"] as const;

/** Opens the Outputs and refuses arguments that can't work. If all arguments are plain, it refuses them at once. */
function resolveJob(resource: FluxJob, name: string, parts: Parts): Later<FluxJobSpec> {
    const { args } = parts;
    const refuseAll = (problems: readonly Problem[]) => refuse(resource, name, problems, "FluxJob");
    refuseAll(misshapenProblems(JOB, args));
    if (isPlain({ ...omit(args, NOT_DESCRIBED), cluster: args.cluster, environment: args.environment })) {
        refuseAll(decideJob({ ...args, after: undefined } as PlainJob, []).problems);
    }
    const right = async () => {
        const { open, problems } = await judgeJob(parts);
        refuseAll(problems);
        const spec = specOf(open as OpenArguments<FluxJobSpec>);
        const warn = (text: string) => void pulumi.log.warn(`FluxJob "${name}": ${text}`, resource);
        ifAllKnown(() => noticesOfJob(spec).forEach(warn));
        const onCluster = await ifKnown(clusterSpecOf(args.cluster) ?? pulumi.output(undefined));
        if (onCluster !== undefined) {
            ifAllKnown(() => {
                refuseAll(problemsOnCluster(spec, onCluster));
                warningsOnCluster(spec, onCluster).forEach(warn);
            });
        }
        return open as OpenArguments<FluxJobSpec>;
    };
    return later(right());
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

/** The problems of a FluxJob's arguments. Rules that need an unknown value are left out. */
export async function problemsOfJob(all: FluxJobArgs): Promise<readonly Problem[]> {
    const args = dropNulls(all, JOB_ARGUMENTS);
    const misshapen = misshapenProblems(JOB, args);
    return misshapen.length > 0 ? misshapen : (await judgeJob(partsOf(args))).problems;
}

/**
 * Opens the Outputs and judges all arguments. The UID of a new cluster is unknown at preview, so only the place of the
 * cluster is judged.
 */
async function judgeJob({ args, environment, place }: Parts): Promise<Judged<FluxJobSpec>> {
    const { names, plain } = await environment.parts;
    const after = plainAfterOf(args.after);
    const described = { ...omit(args, NOT_DESCRIBED), after, cluster: place, environment: plain };
    return judge(JOB, args, { args: described, secretNames: names });
}
