import { sizingOf } from "../../provider/kube/sleep";
import { summaryOf } from "../../provider/kube/summary";
import type { Arguments } from "../arguments";
import { ranksOf, stateOf } from "../ranks";
import { jobOf, targetOf } from "../target";
import { age, table } from "../terminal";

/** Prints the state of the cluster and of its ranks. */
export async function status({ options }: Arguments): Promise<number> {
    const target = targetOf(options);
    const job = await jobOf(target);
    const cluster = summaryOf(job);
    const sizing = sizingOf(job);
    const pods = await ranksOf(target);
    const ranks = pods.map((pod) => ({
        rank: pod.rank,
        pod: pod.name,
        node: pod.node ?? "",
        state: stateOf(pod),
        createdAt: new Date(pod.createdAt).toISOString(),
    }));
    if (options.json) {
        process.stdout.write(`${JSON.stringify({ ...cluster, elastic: sizing, ranks }, undefined, 2)}\n`);
        return 0;
    }
    const { name, namespace, phase, ready, size } = cluster;
    process.stdout.write(`${namespace}/${name}: ${phase}, ${ready} of ${size} ranks are ready\n`);
    if (sizing !== undefined) {
        process.stdout.write(`sizes itself: needs ${sizing.want} of ${sizing.size} ranks (${sizing.why})\n`);
    }
    const rows = ranks.map((rank, index) => [
        String(rank.rank),
        rank.state,
        rank.node,
        rank.pod,
        age(Date.now() - pods[index].createdAt),
    ]);
    process.stdout.write(table(["RANK", "STATE", "NODE", "POD", "AGE"], rows));
    return 0;
}
