import * as pulumi from "@pulumi/pulumi";

import { FluxSubmission } from "../../provider/fluxSubmission/resource";
import { FluxTicket } from "../../provider/fluxTicket/resource";
import { exposedSecrets } from "../arguments/exposedSecrets";
import { given } from "../arguments/given";
import { isPlain } from "../arguments/later";
import { neverLater } from "../arguments/neverLater";
import { type SplitEnvironment, splitEnvironment } from "../arguments/secretEnvironment";
import { checkArguments } from "../arguments/shape";
import { accessOf, clusterAccess } from "../children/clusterAccess";
import { JOB_ARGUMENTS, JOB_ARGUMENTS_IMMEDIATE } from "../generated/shapes";
import { describeProblems, type Problem } from "../rules/problem";
import type { ClusterReferenceArgs, FluxJobArgs } from "./args";
import { decideJob, DEFAULTS, type FluxJobSpec, type PlainJob } from "./spec";

/**
 * A job on a running MiniCluster: submitted once, whatever interrupts the update, awaited, cancelled when it is
 * destroyed. Jobs that depend on each other, by `dependsOn` or by outputs, make a workflow.
 */
export class FluxJob extends pulumi.ComponentResource {
    /** Flux' id of the job, as `flux jobs` knows it. */
    public readonly jobId: pulumi.Output<string>;
    /** `pending`, `running`, `succeeded`, `failed`, `lost` or `unknown`, when it was last waited for or refreshed. */
    public readonly phase: pulumi.Output<string>;
    /** Highest exit code of its tasks, once they have ended. */
    public readonly exitCode: pulumi.Output<number | undefined>;
    /** The end of what the job printed, both streams. */
    public readonly output: pulumi.Output<string>;

    constructor(name: string, args: FluxJobArgs, opts?: pulumi.ComponentResourceOptions) {
        super("flux-minicluster:index:FluxJob", name, {}, opts);
        // Programs in JavaScript may leave them out.
        args = given(args ?? {}, JOB_ARGUMENTS);
        const environment = splitEnvironment(args.environment);
        const cluster = clusterOf(args.cluster);
        const checked = resolveJob(this, name, { args, cluster, environment });
        const access =
            args.kubeconfig === undefined && args.context === undefined ? accessOf(args.cluster ?? {}) : args;

        const ticket = new FluxTicket(`${name}-ticket`, { parent: this });
        const submission = new FluxSubmission(
            `${name}-submission`,
            {
                ...clusterAccess(access),
                cluster: cluster as pulumi.Input<{ name: string; namespace: string; uid?: string }>,
                nonce: ticket.nonce,
                jobName: name,
                command: pulumi.output(args.command),
                nodes: args.nodes,
                tasks: args.tasks,
                cores: args.coresPerTask,
                gpus: args.gpusPerTask,
                environment: environment.plain,
                secretEnvironment: environment.secret,
                workingDirectory: args.workingDir,
                timeLimit: args.timeLimit,
                triggers: args.triggers,
                wait: pulumi.output(args.wait).apply((wait) => wait ?? DEFAULTS.wait),
                rerunFailed: pulumi.output(args.rerunFailed).apply((rerun) => rerun ?? DEFAULTS.rerunFailed),
                timeouts: pulumi
                    .output(args.timeouts)
                    .apply((of) => ({ ready: of?.ready ?? DEFAULTS.ready, completed: of?.completed ?? undefined })),
                // Nothing is registered before all inputs are there: this one comes only if all of them are right.
                maxBytes: checked.apply((of) => of.maxBytes),
                secretOutput: args.output?.secret,
            },
            { parent: this, dependsOn: pulumi.Resource.isInstance(args.cluster) ? [args.cluster] : [] },
        );
        this.jobId = submission.jobId;
        this.phase = submission.phase;
        this.exitCode = submission.exitCode;
        this.output = submission.output;
        this.registerOutputs({ jobId: this.jobId, phase: this.phase, exitCode: this.exitCode, output: this.output });
    }
}

type Reference = pulumi.Input<Partial<ClusterReferenceArgs> | undefined>;

/** What of a cluster a job needs. Pulumi doesn't look into a resource, so its outputs are taken one by one. */
function clusterOf(cluster: FluxJobArgs["cluster"]): Reference {
    const pick = (of: ClusterReferenceArgs) => ({ name: of.name, namespace: of.namespace, uid: of.uid });
    if (pulumi.Resource.isInstance(cluster)) {
        return pick(cluster as unknown as ClusterReferenceArgs);
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

/** Arguments that are no part of the description: where, and when again. */
const NOT_DESCRIBED = ["cluster", "context", "environment", "kubeconfig", "triggers"] as const;

/** Opens the Outputs and refuses what can't work; at once where all arguments are plain. */
function resolveJob(
    resource: FluxJob,
    name: string,
    { args, cluster, environment }: Parts,
): pulumi.Output<FluxJobSpec> {
    const described = Object.fromEntries(
        Object.entries(args).filter(([key]) => !(NOT_DESCRIBED as readonly string[]).includes(key)),
    );
    const refuse = (problems: readonly Problem[]): void => {
        if (problems.length > 0) {
            throw new pulumi.ResourceError(describeProblems(name, problems, "FluxJob"), resource, true);
        }
    };
    const decide = (plain: PlainJob, secretNames: readonly string[]): FluxJobSpec => {
        const { problems, spec } = decideJob(plain, secretNames);
        refuse(problems);
        return spec as FluxJobSpec;
    };
    refuse([...neverLater(args, JOB_ARGUMENTS_IMMEDIATE), ...checkArguments(args, JOB_ARGUMENTS)]);
    if (isPlain({ ...described, cluster: args.cluster, environment: args.environment })) {
        decide(args as PlainJob, []);
    }
    // The UID of a cluster that is still to be made isn't known at preview, and must not hide the rest.
    const where = pulumi.output(cluster).apply((of) => of && pulumi.output({ name: of.name, namespace: of.namespace }));
    const all = pulumi.all([
        pulumi.output(described),
        environment.plain,
        environment.secretNames,
        where,
        exposedSecrets(args),
    ]);
    return all.apply(([open, plain, secretNames, place, exposed]) => {
        refuse(exposed);
        return decide({ ...open, cluster: place, environment: plain }, secretNames);
    });
}
