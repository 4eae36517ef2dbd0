import type * as pulumi from "@pulumi/pulumi";

import type { ElementsStatus } from "../contract/elementsStatus";
import type { RunRecord } from "../contract/record/runRecord";
import type { KeptResults } from "../contract/results";
import { DynamicResource } from "../host/shim";
import { OUTPUTS, type FluxSubmissionArgs } from "./properties";

/** A job in the queue of a MiniCluster: submitted once, awaited, cancelled. Its id is `namespace/cluster/job`. */
export class FluxSubmission extends DynamicResource {
    declare readonly jobId: pulumi.Output<string>;
    declare readonly jobIds: pulumi.Output<string[] | undefined>;
    declare readonly phase: pulumi.Output<string>;
    declare readonly exitCode: pulumi.Output<number | null | undefined>;
    declare readonly output: pulumi.Output<string>;
    declare readonly progress: pulumi.Output<string | undefined>;
    declare readonly elements: pulumi.Output<ElementsStatus | undefined>;
    declare readonly results: pulumi.Output<KeptResults | null | undefined>;
    declare readonly record: pulumi.Output<RunRecord | null | undefined>;

    constructor(name: string, args: FluxSubmissionArgs, opts?: pulumi.CustomResourceOptions) {
        super(
            "FluxSubmission",
            name,
            { ...args, ...OUTPUTS },
            {
                ...opts,
                additionalSecretOutputs: args.secretOutput ? [...(args.array ? ["elements"] : []), "output"] : [],
                // `diff` returns this too, but Pulumi doesn't call it if the user replaces the job by --replace or taint.
                deleteBeforeReplace: true,
            },
        );
    }
}
