import assert from "node:assert/strict";
import { basename } from "node:path";

import { limit } from "../../../../scripts/tests/limits";
import { until } from "../../../e2e/support/until";
import { type PodCluster, provideImage, withPods } from "./cluster";
import type { Pod } from "./pod";
import type { Process } from "./processes";
import { Random } from "../random";
import { fluxMinor, HAS_SYNC } from "../version";

const SEED = Number(process.env["KILL_SEED"] ?? 1);
/** A history in so many is that of an ephemeral cluster. */
const EPHEMERAL = 4;
/** Histories of one persistent cluster, which `flux shutdown` then ends. */
const LIFE = 10;
const SIZE = 2;
const oneCore = { resources: { limits: { cpu: "1" } } };
const SIGNALS = ["SIGTERM", "SIGKILL", "SIGHUP", "SIGINT", "SIGQUIT", "SIGABRT", "SIGSEGV", "SIGUSR1"] as const;
/** Signals that a process of the container can send to PID 1 with an effect: it has handlers for them. */
const SIGNALS_OF_INIT = ["SIGTERM", "SIGHUP", "SIGINT", "SIGQUIT"] as const;
const SIGKILL_OF_ALL = "out of memory";

interface Deed {
    readonly rank: number;
    readonly what: string;
}

/**
 * Declares the histories in which a job sends signals to any processes of the pods, PID 1 included. KILL_HISTORIES=200
 * runs another number of them than `usual`, KILL_SEED=7 others, and KILL_REPORT=1 prints each.
 */
export function describeKills(usual: number): void {
    before(provideImage);

    describe("cluster whose processes get random signals from a job", function () {
        const histories = Number(process.env["KILL_HISTORIES"] ?? usual);
        this.timeout(histories * 180_000);
        const random = new Random(SEED);
        const count = Math.ceil(histories / EPHEMERAL);

        it(`lives on or fails, and keeps its records, if it is persistent (${histories - count} histories)`, async () => {
            for (let left = histories - count; left > 0; left -= LIFE) {
                await withPods({ size: SIZE, ...oneCore }, (cluster) => live(cluster, random, Math.min(left, LIFE)));
            }
        });

        it(`ends with 0 only if the command has ended, if it is ephemeral (${count} histories)`, async () => {
            for (let left = count; left > 0; left--) {
                report(await runCommand(random));
            }
        });
    });
}

/** Runs some histories of a persistent cluster, and shuts it down. */
async function live(cluster: PodCluster, random: Random, histories: number): Promise<void> {
    await cluster.up(SIZE);
    let records: string[] = [];
    for (let left = histories; left > 0; left--) {
        records.push(await addRecord(cluster));
        const deeds = await signalSome(cluster, random);
        const said = deeds.map(({ rank, what }) => `rank ${rank}: ${what}`).join(", ");
        report(said);
        try {
            const ended = await heal(cluster);
            report(`  ${ended.length === 0 ? "same pods" : ended.join(", ")}`);
            if (ended.some((each) => each.startsWith("rank 0"))) {
                records = [];
            }
            const known = (await cluster.flux("jobs", "-a", "--no-header", "--count=0", "--format={id}")).split("\n");
            assert.deepEqual(
                records.filter((id) => !known.includes(id)),
                [],
                "records are lost",
            );
        } catch (error) {
            throw new Error(`${said}: ${String(error)}`, { cause: error });
        }
    }
    await cluster.flux("shutdown", "--background");
    assert.equal((await cluster.rank(0).ended()).code, 0, "flux shutdown is no success");
}

/** Runs a job to its end, and writes its record to the disk, because a killed broker loses the last seconds. */
async function addRecord(cluster: PodCluster): Promise<string> {
    const id = await cluster.flux("submit", "--wait", "true");
    if ((await fluxMinor()) >= HAS_SYNC) {
        await cluster.flux("kvs", "sync");
    } else {
        await new Promise((resolve) => setTimeout(resolve, PERIOD));
    }
    return id;
}

/** Milliseconds between two checkpoints of the queue (kvs.checkpoint-period), and one more. */
const PERIOD = 6000;

/** Sends up to three signals at random moments, while a job runs on all ranks. */
async function signalSome(cluster: PodCluster, random: Random): Promise<Deed[]> {
    await cluster.flux("submit", `-N${SIZE}`, "sleep", "1000");
    const deeds: Deed[] = [];
    for (let left = random.below(3); left >= 0; left--) {
        const rank = random.below(3) === 0 ? 1 : 0;
        const what = signalOne(cluster.rank(rank), random);
        deeds.push({ rank, what });
        await new Promise((resolve) => setTimeout(resolve, random.below(4) * random.below(400)));
    }
    return deeds;
}

function signalOne({ container }: Pod, random: Random): string {
    const processes = container.processes.filter(({ words }) => words.length > 0).sort((a, b) => a.pid - b.pid);
    const target = processes[random.below(processes.length)];
    if (target === undefined) {
        return "nothing, as it has ended";
    }
    const isInit = target === processes[0];
    const signal = isInit ? random.of([...SIGNALS_OF_INIT, SIGKILL_OF_ALL]) : random.of(SIGNALS);
    try {
        if (signal === SIGKILL_OF_ALL) {
            container.kill("KILL");
        } else {
            process.kill(target.pid, signal);
        }
    } catch (error) {
        assert.equal((error as NodeJS.ErrnoException).code, "ESRCH");
    }
    return `${signal} to ${nameOf(target)}`;
}

const nameOf = ({ words }: Process): string =>
    words
        .slice(0, 4)
        .map((word) => basename(word))
        .join(" ");

/** Replaces pods that have ended, as the Job controller does, until all ranks run jobs. Tells how the pods ended. */
async function heal(cluster: PodCluster): Promise<string[]> {
    const ended: string[] = [];
    await cluster.tryFlux("cancel", "--all");
    await until(
        "all ranks run a job",
        async () => {
            for (let rank = 0; rank < SIZE; rank++) {
                if (!cluster.rank(rank).container.alive) {
                    const { code } = await cluster.rank(rank).ended();
                    assert.notEqual(code, 0, `the pod of rank ${rank} reports success`);
                    ended.push(`rank ${rank} ended with ${code}`);
                    await cluster.start(rank);
                }
            }
            if (await isStopped(cluster)) {
                return undefined;
            }
            // A job waits for a pod that ends meanwhile, which only this loop replaces. flux run passes SIGTERM on.
            const words = ["timeout", "--signal=KILL", String(limit(20)), "flux", "run", `-N${SIZE}`, "echo", "again"];
            const { code, stdout } = await cluster.rank(0).exec(...words).ended;
            if (code === 0 && stdout === "again\nagain\n") {
                return true;
            }
            await cluster.tryFlux("cancel", "--all");
            return undefined;
        },
        150,
    );
    return ended;
}

/** Whether a pod was told to stop: wait.sh has written the file, and the pod will end. */
async function isStopped(cluster: PodCluster): Promise<boolean> {
    const looks = cluster.pods.map((pod) => pod.exec("sh", "-c", '[ ! -e "$MINICLUSTER_RUN/stopped" ]').ended);
    return (await Promise.all(looks)).some(({ code }) => code !== 0);
}

/** Runs a command and sends signals meanwhile. The command's output shows whether it has ended. */
async function runCommand(random: Random): Promise<string> {
    const done = "the task has ended";
    const command = ["sh", "-c", `sleep ${1 + random.below(2)}; echo "${done}"`];
    return withPods({ size: SIZE, ...oneCore, command }, async (cluster) => {
        await cluster.start(0, 1);
        const lead = cluster.rank(0);
        const deeds: string[] = [];
        for (let left = random.below(2); left >= 0; left--) {
            await new Promise((resolve) => setTimeout(resolve, random.below(3000)));
            const rank = random.below(3) === 0 ? 1 : 0;
            deeds.push(`rank ${rank}: ${signalOne(cluster.rank(rank), random)}`);
        }
        // A follower that has ended fails the Job, and the Job controller deletes the lead.
        const ended = await Promise.race([
            lead.ended(),
            cluster
                .rank(1)
                .ended()
                .then(() => undefined),
        ]);
        const code = ended?.code ?? (await cluster.rank(0).delete()).code;
        const said = `${deeds.join(", ")}: ended with ${code}${ended === undefined ? " when it was deleted" : ""}`;
        const times = lead.container.output.split(done).length - 1;
        assert.ok(code !== 0 || times === SIZE, `${said}, but ${times} tasks have ended`);
        return said;
    });
}

function report(line: string): void {
    if (process.env["KILL_REPORT"] !== undefined) {
        console.log(line);
    }
}
