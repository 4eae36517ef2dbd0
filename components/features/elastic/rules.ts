import { validateAtLeast } from "../../rules/atLeast";
import type { Problem } from "../../rules/problem";
import { refuseSharedProcesses } from "../../rules/sharedProcesses";
import type { MiniClusterSpec } from "../../spec";

/** Refuses a cluster that can't size itself. */
export function validateElastic(spec: MiniClusterSpec): Problem[] {
    const { elastic } = spec;
    if (elastic === undefined) {
        return [];
    }
    return [
        ...validateAtLeast([
            ["elastic.cooldown", elastic.cooldown, 1],
            ["elastic.sleepAfter", elastic.sleepAfter, 10],
        ]),
        ...contradictions(spec),
        ...validateSleep(spec),
        ...refuseSharedProcesses(spec, "the Job", "elastic"),
    ];
}

function contradictions({ broker, maxSize, minSize, mode, rank }: MiniClusterSpec): Problem[] {
    const property = "elastic";
    const problems: Problem[] = [];
    if (mode === "ephemeral") {
        const reason = "is given, but an ephemeral cluster has the size of its command. Remove elastic or command.";
        problems.push({ property, reason });
    }
    if (rank.cores === undefined && broker.config === undefined) {
        const reason =
            "is given, but the cores of a rank that doesn't run yet are unknown. Give cores or resources.requests.cpu.";
        problems.push({ property, reason });
    }
    if (maxSize <= minSize) {
        const reason =
            `is given, but maxSize ${maxSize} is not above minSize ${minSize}; without maxSize, both are size. ` +
            "Raise maxSize, or lower minSize.";
        problems.push({ property, reason });
    }
    return problems;
}

function validateSleep({ archive, elastic, suspend }: MiniClusterSpec): Problem[] {
    if (elastic?.sleepAfter === undefined) {
        return [];
    }
    const property = "elastic.sleepAfter";
    const problems: Problem[] = [];
    if (archive === undefined) {
        const reason = "is given, but the queue would be lost with the lead's pod. Add archive, or remove sleepAfter.";
        problems.push({ property, reason });
    }
    if (suspend) {
        const reason = "is given, but suspend is true, so the cluster never runs. Remove one of them.";
        problems.push({ property, reason });
    }
    return problems;
}
