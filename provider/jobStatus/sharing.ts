import { formatIdset } from "../flux/idset";
import type { Pod } from "../observe/pods/pod";
import { isUp } from "./phase";
import type { Progress } from "./readiness";

/** Tells once of ranks that share a node, each of which counts all of its cores: a rank doesn't know the others. */
export class Sharing {
    private isTold = false;

    constructor(private readonly countsNode: boolean | undefined) {}

    /** The sentence, when the cluster is up or the wait is over. A rank with a quota counts no more than that. */
    take(ranks: readonly Pod[], { outcome, phase }: Progress, hasQuota: boolean): string | undefined {
        if (!this.countsNode || this.isTold || !(isUp(phase) || outcome !== undefined)) {
            return undefined;
        }
        this.isTold = true;
        return hasQuota ? undefined : shared(ranks);
    }
}

function shared(ranks: readonly Pod[]): string | undefined {
    const byNode = new Map<string, number[]>();
    for (const { node, rank } of ranks) {
        if (node !== undefined) {
            byNode.set(node, [...(byNode.get(node) ?? []), rank]);
        }
    }
    const [most] = [...byNode].sort(([, a], [, b]) => b.length - a.length);
    if (most === undefined || most[1].length < 2) {
        return undefined;
    }
    const [node, sharers] = most;
    const also = [...byNode.values()].filter(({ length }) => length > 1).length - 1;
    const others =
        also === 0 ? "" : also === 1 ? ", and those of another node too" : `, and those of ${also} other nodes too`;
    return (
        `ranks ${formatIdset(sharers)} share node ${node}, and each counts all CPUs that it may use${others}: ` +
        "together more than there are. Give resources.requests.cpu or cores (docs/cpus.md)"
    );
}
