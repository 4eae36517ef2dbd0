import { mkdirSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";

import { connect, type Kube } from "../provider/kube/client";
import { drawChart } from "./chart";
import { measure, PHASES, type Phases } from "./measure";
import { renderTable, type Series } from "./table";
import { bareJob, miniCluster } from "./subject";
import { recipe } from "./recipe";
import { drawWaterfall, waterfall } from "./waterfall";
import { DEEDS, type Deeds, measureUpdates } from "./updates";

/*
 * Measures bare Jobs, the recipe and MiniClusters with the same pods in turns, so that all run under the same load. Then
 * it measures updates of MiniClusters and of plain objects. SIZE is the number of pods, RUNS the number of runs. PART is
 * "start", "waterfall" (what each rank does when, in one start) or "updates"; the default is all. The results also go to
 * local/state/bench.json, and a chart of the starts to local/state/bench.svg.
 */
async function main(): Promise<void> {
    const image = process.env.FLUX_IMAGE;
    if (image === undefined || image === "") {
        throw new Error("FLUX_IMAGE is not set. Set it to the image to measure, or run make bench.");
    }
    const plan: Plan = { image, size: Number(process.env.SIZE || 4), runs: Number(process.env.RUNS || 5) };
    const kube = connect({});
    const namespace = `bench-${process.pid}`;
    await kube.core.createNamespace({ body: { metadata: { name: namespace } } });
    try {
        const parts = process.env.PART ? [process.env.PART] : ["start", "waterfall", "updates"];
        const start = parts.includes("start") ? await measureStart(kube, namespace, plan) : [];
        const logs = miniCluster(plan.size, image, { logLevel: 6 });
        const rows = parts.includes("waterfall") ? await waterfall(kube, namespace, logs) : [];
        const updates = parts.includes("updates") ? await measureAllUpdates(kube, namespace, plan) : [];
        console.log(`\n${plan.size} pods of ${image}, ${plan.runs} runs each, ${cpus().length} cores`);
        print(renderTable(start, PHASES));
        print(rows.length === 0 ? "" : drawWaterfall(rows));
        print(renderTable(updates, DEEDS));
        chart(start, plan);
        save({ date: new Date().toISOString(), ...plan, cores: cpus().length, start, waterfall: rows, updates });
    } finally {
        await kube.core.deleteNamespace({ name: namespace });
    }
}

interface Plan {
    readonly image: string;
    readonly size: number;
    readonly runs: number;
}

async function measureStart(kube: Kube, namespace: string, { image, runs, size }: Plan): Promise<Series[]> {
    const subjects = [bareJob(size, image), recipe(size, image), miniCluster(size, image)];
    const series = subjects.map(({ name }) => ({ name, runs: [] as Phases[] }));
    for (let run = 1; run <= runs; run++) {
        for (const [index, subject] of subjects.entries()) {
            series[index].runs.push(await measure(kube, namespace, subject));
            console.error(`run ${run} of ${runs}: ${subject.name}`);
        }
    }
    return series;
}

async function measureAllUpdates(kube: Kube, namespace: string, { image, runs, size }: Plan): Promise<Series[]> {
    const plain = { name: "plain objects", runs: [] as Deeds[] };
    const floor = { name: "floor", runs: [] as Deeds[] };
    const fast = { name: "MiniCluster, fast host", runs: [] as Deeds[] };
    const own = { name: "MiniCluster", runs: [] as Deeds[] };
    for (let run = 1; run <= runs; run++) {
        const updates = await measureUpdates(kube, namespace, image, size);
        plain.runs.push(updates.plain);
        floor.runs.push(updates.floor);
        fast.runs.push(updates.fast);
        own.runs.push(updates.own);
        console.error(`run ${run} of ${runs}: updates`);
    }
    return [plain, floor, own, fast];
}

function chart(start: readonly Series[], { runs, size }: Plan): void {
    if (start.length > 0) {
        const title = `Seconds from the Job's creation, ${size} pods, ${runs} runs: minimum, median, maximum`;
        saveFile("bench.svg", drawChart(title, start, ["ready", "quorum", "exited"]));
    }
}

function print(table: string): void {
    if (table !== "") {
        console.log(`\n${table}`);
    }
}

function save(results: object): void {
    saveFile("bench.json", `${JSON.stringify(results, undefined, 2)}\n`);
}

function saveFile(name: string, text: string): void {
    const folder = join(__dirname, "..", "local", "state");
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, name), text);
}

main().catch((error: unknown) => {
    console.error((error as Error).message);
    process.exitCode = 1;
});
