import { mkdirSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";

import { connect } from "../provider/kube/client";
import { measure, type Phases } from "./measure";
import { renderTable } from "./table";
import { bareJob, miniCluster } from "./subject";

/*
 * MiniClusters beside bare Jobs of the same pods, in turns, so that both see the same machine. SIZE is the number of
 * pods, RUNS how often each is made. The results also go to local/state/bench.json.
 */
async function main(): Promise<void> {
    const image = process.env.FLUX_IMAGE;
    if (image === undefined || image === "") {
        throw new Error("FLUX_IMAGE names the image to measure; make bench sets it.");
    }
    const size = Number(process.env.SIZE || 4);
    const runs = Number(process.env.RUNS || 5);
    const kube = connect({});
    const namespace = `bench-${process.pid}`;
    await kube.core.createNamespace({ body: { metadata: { name: namespace } } });
    try {
        const subjects = [bareJob(size, image), miniCluster(size, image)];
        const series = subjects.map(({ name }) => ({ name, runs: [] as Phases[] }));
        for (let run = 1; run <= runs; run++) {
            for (const [index, subject] of subjects.entries()) {
                series[index].runs.push(await measure(kube, namespace, subject));
                console.error(`run ${run} of ${runs}: ${subject.name}`);
            }
        }
        console.log(`\n${size} pods of ${image}, ${runs} runs each, ${cpus().length} cores\n\n${renderTable(series)}`);
        save({ date: new Date().toISOString(), image, size, cores: cpus().length, series });
    } finally {
        await kube.core.deleteNamespace({ name: namespace });
    }
}

function save(results: object): void {
    const folder = join(__dirname, "..", "local", "state");
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "bench.json"), `${JSON.stringify(results, undefined, 2)}\n`);
}

main().catch((error: unknown) => {
    console.error((error as Error).message);
    process.exitCode = 1;
});
