import type { Input } from "@pulumi/pulumi";

import type { ResultRanks } from "./ranks";

/** What a command leaves behind, and where it is kept. */
export interface ResultsArgs {
    /**
     * Patterns of files and folders, relative to the folder in which the command starts, or absolute: `out/`, `*.png`. A
     * folder stands for all files in it. `*` and `?` stand for characters of one name, `**` for any folders.
     */
    paths: Input<Input<string>[]>;
    /**
     * Name of one of `volumes`, to which the lead copies the results. Without it, `pulumi up` fetches them into the folder
     * `results/NAME` of this machine, or `npx flux-minicluster results` does, while the lead's pod waits.
     * @default none: this machine
     */
    volume?: Input<string>;
    /** Folder in the volume. A folder that exists is replaced. @default the name of the cluster */
    path?: Input<string>;
    /**
     * Whose files are kept: those of the lead, or of all ranks, each in a folder `rank-N` of the results.
     * @default ResultRanks.Lead
     */
    ranks?: Input<ResultRanks>;
    /** Keep the results of a command that has failed too. @default false */
    onFailure?: Input<boolean>;
    /** Seconds that the lead's pod waits until a client has fetched the results. Without `volume` only. @default 600 */
    keepFor?: Input<number>;
    /**
     * Size up to which `pulumi up` fetches the results by itself: a quantity. More is left to `npx flux-minicluster results`.
     * Without `volume` only.
     * @default 100Mi
     */
    limit?: Input<string>;
}

export interface ResultsArguments {
    /**
     * Files that are kept when the command has ended. The output `results` has their names, sizes and SHA-256. Only with
     * a command.
     * @default none
     */
    results?: Input<ResultsArgs>;
}
