import { mkdirSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";

import { connect, type Kube } from "../../provider/kubernetes/client";
import { stateDir } from "../../scripts/local/paths";
import { drawChart } from "./chart";
import { measureLanguages } from "./languages";
import { measure, PHASES, type Phases } from "./measure";
import { renderTable, type Series } from "./table";
import { bareJob, miniCluster } from "./subject";
import { recipe } from "./recipe";
import { drawWaterfall, waterfall } from "./waterfall";
import { DEEDS, type Deeds, measureUpdates } from "./updates";

/*
 * Measures bare Jobs, the recipe and MiniClusters with the same pods in turns, so that all run under the same load. Then
 * it measures updates of MiniClusters and of plain objects. SIZE is the number of pods, RUNS the number of runs. PART is
 * "start", "waterfall" (what each rank does when, in one start), "updates" or "languages" (updates by programs in Go,
 * Python and YAML); the default is all but the last. The results also go to scripts/local/state/bench.json, and a chart of the
 * starts to scripts/local/state/bench.svg.
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
        await measureParts(kube, namespace, plan);
    } finally {
        await kube.core.deleteNamespace({ name: namespace });
    }
}

async function measureParts(kube: Kube, namespace: string, plan: Plan): Promise<void> {
    const { image, runs, size } = plan;
    const parts = process.env.PART ? [process.env.PART] : ["start", "waterfall", "updates"];
    const part = async <T>(name: string, measurePart: () => Promise<T[]>) =>
        parts.includes(name) ? measurePart() : [];
    const logs = miniCluster(size, image, { logLevel: 6 });
    const start = await part("start", () => measureStart(kube, namespace, plan));
    const rows = await part("waterfall", () => waterfall(kube, namespace, logs));
    const updates = await part("updates", () => measureAllUpdates(kube, namespace, plan));
    const args = { image, size, command: ["hostname"] };
    const languages = await part("languages", () => measureLanguages(namespace, args, runs));
    console.log(`\n${size} pods of ${image}, ${runs} runs each, ${cpus().length} cores`);
    print(renderTable(start, PHASES));
    print(rows.length === 0 ? "" : drawWaterfall(rows));
    [updates, ...languages].forEach((series) => print(renderTable(series, DEEDS)));
    chart(start, plan);
    const date = new Date().toISOString();
    save({ date, ...plan, cores: cpus().length, start, waterfall: rows, updates, languages });
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
    const own = { name: "MiniCluster", runs: [] as Deeds[] };
    for (let run = 1; run <= runs; run++) {
        const updates = await measureUpdates(kube, namespace, image, size);
        plain.runs.push(updates.plain);
        floor.runs.push(updates.floor);
        own.runs.push(updates.own);
        console.error(`run ${run} of ${runs}: updates`);
    }
    return [plain, floor, own];
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
    mkdirSync(stateDir, { recursive: true });
    writeFileSync(join(stateDir, name), text);
}

main().catch((error: unknown) => {
    console.error((error as Error).message);
    process.exitCode = 1;
});
