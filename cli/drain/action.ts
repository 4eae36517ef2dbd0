import { foreignLine } from "../../provider/contract/foreignText";
import { type Maintenance, MaintenanceCalls } from "../../provider/flux/maintenance";
import type { Pod } from "../../provider/observe/pods/pod";
import type { Arguments } from "../definition/arguments";
import { askLead } from "../fluxJob/askQueue";
import { ranksOf } from "../../provider/observe/ranks";
import { leadOf, type Target, targetOf } from "../target/target";
import { printJson } from "../terminal/terminal";

/** Drains ranks, or those on nodes, and says what still runs there. */
export async function drain({ options, words }: Arguments): Promise<number> {
    const target = await targetOf(options);
    await leadOf(target);
    const ranks = chosenRanks(target, await ranksOf(target.kube, target), words);
    const verb = options.undo ? "undrain" : "drain";
    const found = await change(target, verb, ranks);
    if (options.json) {
        printJson({ ranks, ...found });
    } else {
        process.stdout.write(ranks.map((rank) => `rank ${rank} ${stateOf(rank, found)}\n`).join(""));
    }
    return 0;
}

/** The ranks that the words name, or that run on the nodes that they name. */
export function chosenRanks(
    target: Pick<Target, "name" | "namespace">,
    pods: readonly Pod[],
    words: readonly string[],
) {
    const chosen = words.flatMap((word) => {
        const found = pods.filter(({ node, rank }) => (/^\d+$/.test(word) ? rank === Number(word) : node === word));
        if (found.length === 0) {
            const places = pods.map(({ node, rank }) => `${rank} (${node ?? "no node"})`).join(", ");
            const what = /^\d+$/.test(word) ? `no rank ${word}` : `no rank on the node ${word}`;
            throw new Error(
                `MiniCluster ${target.namespace}/${target.name} has ${what}; it has ${places || "no pods"}.`,
            );
        }
        return found.map(({ rank }) => rank);
    });
    return [...new Set(chosen)].sort((a, b) => a - b);
}

function change(target: Target, verb: "drain" | "undrain", ranks: readonly number[]): Promise<Maintenance> {
    return askLead(target, (lead, signal) => new MaintenanceCalls(target.kube, lead, signal).change(verb, ranks));
}

/** What is known of a rank, behind its number. */
export function stateOf(rank: number, { accepts, busy, drained, jobs, starts }: Maintenance): string {
    if (rank === 0) {
        const queues = starts ? (accepts ? "start jobs" : "accept no jobs") : "start no jobs";
        return `is the lead: its queues ${queues}; ranks with jobs: ${busy.length}, jobs that have not ended: ${jobs}`;
    }
    const reason = drained[rank];
    const work = busy.includes(rank) ? "runs jobs" : "is idle";
    return `${reason === undefined ? "is not drained" : `is drained (${foreignLine(reason)})`}, and ${work}`;
}
