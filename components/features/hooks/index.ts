import type { Input } from "@pulumi/pulumi";

import { unixText } from "../../parts/unixText";
import type { Texts } from "../../spec";
import type { Feature } from "../feature";

/**
 * The user's bash scripts. If a hook other than `post` fails, its pod ends with the hook's exit code. `init`, `pre`,
 * `lead` and `worker` are sourced, so variables that they export reach the broker and the command. Each task gets the values
 * of its own rank's `init`, `pre` and `worker`.
 */
export interface HooksArgs {
    /** Runs on every rank, before anything else. @default none @script */
    init?: Input<string>;
    /** Runs on every rank, after the broker's configuration was written. @default none @script */
    pre?: Input<string>;
    /** Runs on the lead only, just before its broker starts. @default none @script */
    lead?: Input<string>;
    /** Runs on every follower, just before its broker starts. @default none @script */
    worker?: Input<string>;
    /** Runs on every rank, after its broker has ended. The exit code of this hook is ignored. @default none @script */
    post?: Input<string>;
}

export interface HooksArguments {
    /** Bash scripts that run in the pods around the brokers. @default none */
    hooks?: Input<HooksArgs>;
}

export interface Decided {
    readonly hooks: Texts;
}

export const hooks: Feature<HooksArguments, Decided> = {
    decide: ({ hooks: given = {} }) => ({ hooks: present(given) }),
    // A hook that isn't given has no file.
    files: (spec) => Object.fromEntries(Object.entries(spec.hooks).map(([name, text]) => [`hook-${name}.sh`, text])),
};

function present(hooks: Readonly<Record<string, string | undefined>>): Texts {
    return Object.fromEntries(
        Object.entries(hooks).flatMap(([name, text]) => (typeof text === "string" ? [[name, unixText(text)]] : [])),
    );
}
