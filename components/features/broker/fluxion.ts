import type { Problem } from "../../rules/problem";
import type { MiniClusterSpec } from "../../spec";
import { extraTable, isTable } from "./extraConfig";

/** Fluxion's own default: first come, first served. start.sh sets "easy" if the configuration has no policy. */
const REFUSING_POLICY = "fcfs";

/**
 * Warns of a policy by which Fluxion refuses the jobs for which a cluster that sizes itself would get more ranks. Other
 * policies let these jobs wait. Checked: flux-sched 0.54, resource/traversers/dfu.cpp (request_feasible).
 */
export function noticeRefusals(spec: MiniClusterSpec): Problem[] {
    const { broker, elastic } = spec;
    if (elastic === undefined || broker.scheduler !== "fluxion" || broker.config !== undefined) {
        return [];
    }
    const settings = extraTable(spec)?.["sched-fluxion-qmanager"];
    const { "queue-policy": policy } = isTable(settings) ? settings : {};
    if (policy !== REFUSING_POLICY) {
        return [];
    }
    const reason =
        `is "fluxion" with the policy "${REFUSING_POLICY}", by which Fluxion refuses a job that needs more ranks than are ` +
        'up, so that elastic can\'t add them. Set queue-policy = "easy" in [sched-fluxion-qmanager] of broker.extraConfig.';
    return [{ property: "broker.scheduler", reason }];
}
