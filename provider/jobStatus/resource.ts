import type * as pulumi from "@pulumi/pulumi";

import type { RunRecord } from "../contract/record/runRecord";
import type { KeptResults } from "../contract/results";
import { DynamicResource } from "../host/shim";
import { OUTPUTS, type JobStatusArgs } from "./properties";

/**
 * Waits until a Job is ready or complete, and records what it saw. It is a resource of its own, so that the Job is in
 * the state before the wait begins, and an interrupted wait leaves no Job that the state doesn't have.
 */
export class JobStatus extends DynamicResource {
    declare readonly phase: pulumi.Output<string>;
    declare readonly exitCode: pulumi.Output<number | null | undefined>;
    declare readonly output: pulumi.Output<string>;
    declare readonly nodes: pulumi.Output<Record<string, string>>;
    declare readonly timings: pulumi.Output<Record<string, number>>;
    declare readonly slowest: pulumi.Output<string>;
    declare readonly progress: pulumi.Output<string | undefined>;
    declare readonly results: pulumi.Output<KeptResults | null | undefined>;
    declare readonly record: pulumi.Output<RunRecord | null | undefined>;

    constructor(name: string, args: JobStatusArgs, opts?: pulumi.CustomResourceOptions) {
        super(
            "JobStatus",
            name,
            { ...args, ...OUTPUTS },
            { ...opts, additionalSecretOutputs: args.secretOutput ? ["output"] : [] },
        );
    }
}
