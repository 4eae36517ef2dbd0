import assert from "node:assert/strict";
import { basename } from "node:path";

import { until } from "../e2e/support/until";
import { type PodCluster, provideImage, withPods } from "./support/pods/cluster";
import { childrenOf, type Process } from "./support/pods/processes";
import { brokerOf, isWhole, submitTo } from "./support/pods/tasks";
import { isStandin } from "./support/root";
import { fluxMinor, onlySince, SCHEDULER_HAS_PROCESS } from "./support/version";
import { soon } from "../e2e/support/until";

/* The rows of test/double/README.md, "What a job can end", in one cluster after the other row. */

const SIZE = 2;
const oneCore = { resources: { limits: { cpu: "1" } } };

/** The processes of the lead's pod, by the script or the program that they run. */
const find = (cluster: PodCluster, ...words: string[]): Process[] =>
    cluster
        .rank(0)
        .container.processes.filter(
            (process) =>
                process.words.length > 0 &&
                words.some((word) => process.words.slice(0, 4).some((each) => basename(each) === word)),
        );

function kill(processes: readonly Process[], signal: NodeJS.Signals): void {
    assert.notEqual(processes.length, 0, "there is no such process");
    processes.forEach(({ pid }) => process.kill(pid, signal));
}

function leadBroker(cluster: PodCluster): Process {
    const broker = brokerOf(cluster, 0);
    assert.ok(broker, "the pod has no broker");
    return broker;
}

/** A deed after which the lead's broker is restarted in its pod. */
const restarts: readonly (readonly [string, (cluster: PodCluster) => unknown])[] = [
    ...(["SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT", "SIGKILL"] as const).map(
        (signal) =>
            [`its broker gets ${signal}`, (cluster: PodCluster) => kill([leadBroker(cluster)], signal)] as const,
    ),
    ["its initial program gets SIGHUP", (cluster) => kill(find(cluster, "stay.sh"), "SIGHUP")],
    ["its initial program gets SIGKILL", (cluster) => kill(find(cluster, "stay.sh"), "SIGKILL")],
];

/** The same for the process of the scheduler. */
const schedulerRestarts: typeof restarts = [
    ...(["SIGTERM", "SIGHUP", "SIGKILL"] as const).map(
        (signal) =>
            [
                `its scheduler gets ${signal}`,
                (cluster: PodCluster) => kill(find(cluster, "flux-module-python-exec.py"), signal),
            ] as const,
    ),
    [
        "all its processes of Flux and of bash get SIGHUP",
        (cluster) => {
            kill([...find(cluster, "flux-module-python-exec.py", "stay.sh"), leadBroker(cluster)], "SIGHUP");
        },
    ],
];

/** Deeds that nothing notices. */
const harmless: typeof restarts = [
    ["the child of its initial program is killed", (cluster) => kill(find(cluster, "sleep"), "SIGKILL")],
    ["its initial program gets SIGTERM", (cluster) => kill(find(cluster, "stay.sh"), "SIGTERM")],
    ["its initial program gets SIGINT", (cluster) => kill(find(cluster, "stay.sh"), "SIGINT")],
    ["its supervisor gets SIGTERM", (cluster) => kill(find(cluster, "supervise.sh"), "SIGTERM")],
];

/** Starts a process in the background that no parent, session or variable leads to. */
const daemon = (seconds: string) => `env -i setsid sh -c 'sleep ${seconds} >/dev/null 2>&1 &'`;

before(provideImage);

describe("lead of a persistent cluster", function () {
    this.timeout(300_000);

    it("lives on in its pod whatever a job ends, and ends with 0 only after flux shutdown", () =>
        withPods({ size: SIZE, ...oneCore }, async (cluster) => {
            await cluster.up(SIZE);
            const ownProcess = (await fluxMinor()) >= SCHEDULER_HAS_PROCESS;
            // Three failures of a module in a row would end the pod.
            const rows = restarts.flatMap((row, index) => [
                row,
                ...(ownProcess ? schedulerRestarts.slice(index, index + 1) : []),
            ]);
            for (const [what, deed] of rows) {
                await isRestarted(cluster, what, () => deed(cluster));
            }
            assert.equal((await cluster.tryFlux("shutdown", "--quiet")).code, 0);
            assert.equal((await cluster.rank(0).ended()).code, 0);
        }));

    it("keeps its running jobs when a job kills processes that the pod replaces", () =>
        withPods({ size: SIZE, ...oneCore }, async (cluster) => {
            await cluster.up(SIZE);
            const broker = leadBroker(cluster);
            const { id, tasks } = await submitTo(cluster, SIZE, ["tail", "--follow", "/dev/null"]);
            for (const [what, deed] of harmless) {
                const [child] = find(cluster, "sleep");
                deed(cluster);
                if (what.includes("child")) {
                    await soon(what, () => find(cluster, "sleep").some(({ pid }) => pid !== child?.pid) || undefined);
                }
                assert.equal(await cluster.flux("jobs", "--no-header", "--format={status}", id), "RUN", what);
                assert.equal(leadBroker(cluster).pid, broker.pid, what);
            }
            assert.equal(tasks.alive.length > 0, true);
            await cluster.flux("shutdown", "--background");
            assert.equal((await cluster.rank(0).ended()).code, 0);
        }));

    it("ends a daemon that a job has left without any variable, when its broker is killed, and no other process", () =>
        withPods({ size: 1, ...oneCore, hooks: { pre: daemon("601") } }, async (cluster) => {
            await cluster.up(1);
            const sleeps = () =>
                find(cluster, "sleep")
                    .map(({ words }) => Number(words.at(-1)))
                    .filter((seconds) => seconds > 600 && seconds < 610)
                    .sort((one, other) => one - other);
            await cluster.flux("submit", "sh", "-c", daemon("602"));
            await cluster.rank(0).exec("sh", "-c", "sleep 603 >/dev/null 2>&1 &").ended;
            await until("all have started", async () => sleeps().length === 3 || undefined);
            const broker = leadBroker(cluster);
            kill([broker], "SIGKILL");
            await until("another broker has started", async () => {
                const next = brokerOf(cluster, 0);
                return (next !== undefined && next.pid !== broker.pid) || undefined;
            });
            assert.deepEqual(sleeps(), [601, 603]);
        }));

    it("keeps the records of finished jobs when its broker is restarted", () =>
        withPods({ size: 1, ...oneCore }, async (cluster) => {
            await cluster.up(1);
            await cluster.flux("run", "echo", "kept");
            const broker = leadBroker(cluster);
            kill([broker], "SIGTERM");
            await isNew(cluster, broker);
            await isWhole(cluster, 1);
            assert.equal(await cluster.flux("jobs", "-a", "--no-header", "--format={name} {status}"), "echo COMPLETED");
        }));

    it("restarts a RESTful server that a job kills, and ends its workers", () =>
        withPods({ size: 1, ...oneCore, restful: { workers: 2 } }, async (cluster) => {
            await cluster.up(1);
            for (let times = 1; times <= 2; times++) {
                const [server] = servers(cluster);
                assert.ok(server);
                const workers = childrenOf(server.pid);
                process.kill(server.pid, "SIGKILL");
                await cluster.rank(0).container.says(new RegExp(`(answers on port 5000[^]*){${times + 1}}`));
                assert.deepEqual(
                    cluster.rank(0).container.processes.filter(({ pid }) => workers.includes(pid)),
                    [],
                );
            }
            await cluster.flux("shutdown", "--background");
            assert.equal((await cluster.rank(0).ended()).code, 0);
        }));

    describe("with a scheduler that is a process", () => {
        onlySince(SCHEDULER_HAS_PROCESS);

        it("fails with the module's name if a job in its queue ends the scheduler again and again", () =>
            withPods({ size: 1, ...oneCore }, async (cluster) => {
                await cluster.up(1);
                for (let times = 1; times <= 3; times++) {
                    const broker = leadBroker(cluster);
                    kill(find(cluster, "flux-module-python-exec.py"), "SIGKILL");
                    if (times < 3) {
                        await isNew(cluster, broker);
                        await isWhole(cluster, 1);
                    }
                }
                const { code, message } = await cluster.rank(0).ended();
                assert.equal(code, 1);
                assert.match(
                    message,
                    /^minicluster\.error=the lead's broker has ended 3 times in a row: sched-simple module runtime failure; /m,
                );
            }));

        // No jobspec ends the scheduler of the stand-in.
        if (!isStandin) {
            it("fails with a hint to the queue if it has a jobspec that ends the scheduler each time", () =>
                withPods({ size: 1, ...oneCore }, async (cluster) => {
                    await cluster.up(1);
                    const submit = `flux run --dry-run --requires=hosts:x true | sed 's/"x"/"a[0-2"/' | flux job submit --flags=novalidate`;
                    await cluster.rank(0).exec("bash", "-c", submit).ended;
                    const { code, message } = await cluster.rank(0).ended();
                    assert.equal(code, 1);
                    assert.match(
                        message,
                        /^minicluster\.error=the lead's broker has ended 3 times in a row without its quorum; its log has the reason/m,
                    );
                }));
        }
    });
});

const servers = (cluster: PodCluster): Process[] =>
    cluster.rank(0).container.processes.filter(({ words }) => words.includes("flux_restful.main:app"));

function isNew(cluster: PodCluster, former: Process): Promise<Process> {
    return soon("the broker is restarted", () => {
        const broker = cluster.rank(0).container.alive ? brokerOf(cluster, 0) : former;
        if (!cluster.rank(0).container.alive) {
            throw new Error("the pod has ended");
        }
        return broker !== undefined && broker.pid !== former.pid ? broker : undefined;
    });
}

async function isRestarted(cluster: PodCluster, what: string, deed: () => unknown): Promise<void> {
    try {
        const former = leadBroker(cluster);
        deed();
        await isNew(cluster, former);
        await until(`${SIZE} ranks run a job`, async () => {
            const { code, stdout } = await cluster.tryFlux("run", `-N${SIZE}`, "echo", "again");
            return code === 0 && stdout === "again\nagain\n" ? true : undefined;
        });
        await isWhole(cluster, SIZE);
    } catch (error) {
        throw new Error(`after ${what}: ${String(error)}`, { cause: error });
    }
}
