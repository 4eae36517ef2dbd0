import type { Input } from "@pulumi/pulumi";

import { SCRIPTS_DIR } from "../../parts/paths";
import { scriptsIn } from "../../parts/scripts";
import { unixTextOf } from "../../parts/unixText";
import type { MiniClusterSpec } from "../../spec";
import { type Feature, when } from "../feature";
import { validatePreflight } from "./rules";

/** A check that each rank runs before it joins, for example of its GPUs, its clock or a mount. */
export interface PreflightArgs {
    /** Name of the check in messages: a DNS label. No two checks have the same name. */
    name: Input<string>;
    /**
     * Bash script, which bash runs in a process of its own. It passes if it ends with 0. Its output goes to the pod's
     * log. If it fails, the last line that it has printed is the reason. It has the variables of the container and those
     * that the `init` hook exports, among them the number of the rank, JOB_COMPLETION_INDEX. Processes that it leaves
     * running in its process group are ended with it.
     * @script
     */
    script: Input<string>;
    /** Seconds after which the check is ended together with its children, and has failed; 1 or more. @default 60 */
    timeout?: Input<number>;
}

export interface PreflightArguments {
    /**
     * Checks that each rank runs in this order before its broker starts, after the `init` hook and again in a restarted
     * container. The first check that fails ends its pod with exit code 78, and the cluster fails with the name of the
     * check and its last line. If the cluster can start without a follower (`minSize` below `size`), the follower's pod
     * stays without joining in place of that.
     * @default none
     */
    preflight?: Input<Input<PreflightArgs>[]>;
}

export interface Decided {
    readonly preflight: readonly { readonly name: string; readonly script: string; readonly timeout: number }[];
}

export const preflight: Feature<PreflightArguments, Decided> = {
    decide: ({ preflight: given = [] }) => ({
        preflight: given.map(({ name, script, timeout }) => ({
            name: name ?? "",
            script: unixTextOf(script) ?? "",
            timeout: timeout ?? 60,
        })),
    }),

    problems: validatePreflight,

    ...when(({ preflight: checks }) => checks.length > 0 && checks, {
        files: (checks, spec) => ({
            ...scriptsIn(__dirname, "start-0-preflight.sh", ...(mayStayOut(spec) ? ["joined.sh"] : [])),
            preflight: checks.map(({ name, timeout }) => `${name} ${timeout}\n`).join(""),
            ...Object.fromEntries(checks.map(({ name, script }) => [`preflight-${name}.sh`, script])),
        }),
        container: (_, spec) => (mayStayOut(spec) ? { readinessProbe: READINESS_PROBE } : undefined),
    }),
};

/** The pod template must not depend on `size`. JobStatus knows `size`, and fails if too few ranks are left. */
function mayStayOut({ maxSize, minSize }: MiniClusterSpec): boolean {
    return minSize < maxSize;
}

/** The script waits itself, so that few processes start. Once a pod is ready, no failure of a probe changes that. */
const READINESS_PROBE = {
    exec: { command: ["/bin/sh", `${SCRIPTS_DIR}/joined.sh`] },
    periodSeconds: 1,
    timeoutSeconds: 120,
    failureThreshold: 2147483647,
} as const;
