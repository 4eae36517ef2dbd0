import type { Arguments } from "../definition/arguments";
import { shownResults } from "../../provider/contract/results";
import { summaryOf } from "../../provider/observe/summary";
import { jobsIn, noCluster, resultsIn } from "../target/clusters";
import { kubeOf, namespaceOf } from "../target/target";
import { age, printJson, say, table } from "../terminal/terminal";

/** Lists the MiniClusters of a namespace. */
export async function list({ options }: Arguments): Promise<number> {
    const kube = kubeOf(options);
    const namespace = namespaceOf(kube, options);
    const clusters = await Promise.all(
        (await jobsIn(kube, namespace)).map(async (job) => {
            const results = await resultsIn(kube, job);
            return { ...summaryOf(job), results: results && shownResults(results) };
        }),
    );
    if (options.json) {
        printJson(clusters, 2);
        return 0;
    }
    if (clusters.length === 0) {
        say(noCluster(kube, namespace));
        return 0;
    }
    const rows = clusters.map(({ createdAt, name, phase, ready, results, size }) => [
        name,
        results === undefined ? phase : `${phase}, results wait`,
        `${ready}/${size}`,
        age(Date.now() - new Date(createdAt).getTime()),
    ]);
    process.stdout.write(table(["NAME", "PHASE", "READY", "AGE"], rows));
    return 0;
}
