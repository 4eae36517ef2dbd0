import type { Input } from "@pulumi/pulumi";

import type { Texts } from "../../spec";
import type { Feature } from "../feature";

/**
 * Bash scripts of one's own; a hook that fails ends its pod with its exit code. `init`, `pre`, `lead` and `worker` are
 * sourced, so what they export reaches the broker and the command.
 */
export interface HooksArgs {
    /** Every rank, before anything else. @default none */
    init?: Input<string>;
    /** Every rank, after the broker's configuration was written. @default none */
    pre?: Input<string>;
    /** The lead only, just before its broker starts. @default none */
    lead?: Input<string>;
    /** Every follower, just before its broker starts. @default none */
    worker?: Input<string>;
    /** Every rank, after its broker has ended. The exit code of this hook is ignored. @default none */
    post?: Input<string>;
}

export interface HooksArguments {
    /** Bash scripts that run in the pods around the brokers. @default none */
    hooks?: Input<HooksArgs>;
}

export interface Decided {
    readonly hooks: Texts;
}

declare module "../../spec" {
    interface MiniClusterSpec extends Decided {}
}

export const hooks: Feature<HooksArguments, Decided> = {
    decide: ({ hooks: given = {} }) => ({ hooks: present(given) }),
    // A hook that isn't given has no file.
    files: (spec) => Object.fromEntries(Object.entries(spec.hooks).map(([name, text]) => [`hook-${name}.sh`, text])),
};

function present(hooks: Readonly<Record<string, string | undefined>>): Texts {
    return Object.fromEntries(
        Object.entries(hooks).filter((entry): entry is [string, string] => typeof entry[1] === "string"),
    );
}
