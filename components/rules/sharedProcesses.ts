import type { MiniClusterSpec } from "../spec";
import type { Problem } from "./problem";

/** Fields of the pod template by which processes see those of other containers. */
const SHARED = ["hostPID", "shareProcessNamespace"];

/** Refuses a pod whose jobs could reach a token: /proc shows the files of every process of the same user. */
export function refuseSharedProcesses({ podTemplate }: MiniClusterSpec, right: string, argument: string): Problem[] {
    const field = SHARED.find((name) => podTemplate.spec?.[name] === true);
    if (field === undefined) {
        return [];
    }
    const reason = `has spec.${field} true, so that jobs could read the token with the right to ${right}.`;
    return [{ property: "podTemplate", reason: `${reason} Remove it, or remove ${argument}.` }];
}
