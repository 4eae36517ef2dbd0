import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import type { V1Pod } from "@kubernetes/client-node";

import { ARCHIVES, NOTICED } from "../../e2e/support/archives";
import { GuardedCluster } from "../../e2e/support/guardedCluster";
import { isReady } from "../../e2e/support/kube";
import { rankOf, useNamespace } from "../../e2e/support/namespace";
import { SecondCluster } from "../../e2e/support/secondCluster";
import { startKubernetes } from "../../e2e/support/secondKubernetes";
import { until } from "../../e2e/support/until";
import { LostNode } from "../support/lostNode";

/** Jobs that wait for the lead's own cores, one after the other. Most of them have not begun at the claim. */
const JOBS = 24;
/** Seconds that a job takes. */
const JOB = 6;
/** Seconds by which a dump, which the next lead restores, can be older than the claim. */
const DUMPED = 3;

/** One start of a job: its id, the address of its pod, and the second. */
interface Start {
    readonly job: string;
    readonly pod: string;
    readonly at: number;
}

/** Flux' commands print an id with the letter ƒ, and a job has its own id with f if its locale knows ASCII only. */
const plain = (id: string): string => id.replace(/^ƒ/, "f");

describe("nodes that can't reach each other", function () {
    this.timeout(900_000);
    const kubernetes = new SecondCluster();
    const namespace = useNamespace({ world: () => startKubernetes(kubernetes, { NODES: "3", NODE_LOST: "10" }) });
    after(() => kubernetes.remove());
    afterEach(() => kubernetes.nodes("heal"));

    async function apart(name: string): Promise<GuardedCluster> {
        const archive = { hostPath: ARCHIVES, folder: `${namespace.name}-${name}`, period: 1 };
        const cluster = new GuardedCluster(namespace, name, { size: 3, placement: "spread", archive });
        await cluster.stack.up();
        return cluster;
    }

    /** The pods of a cluster that are not being deleted. */
    async function present(cluster: string): Promise<V1Pod[]> {
        return (await namespace.pods(cluster)).filter(({ metadata }) => metadata?.deletionTimestamp === undefined);
    }

    const untilReady = (cluster: string) =>
        until(
            "all ranks are ready",
            async () => {
                const pods = await present(cluster);
                return (pods.length === 3 && pods.every(isReady)) || undefined;
            },
            180,
        );

    /** The folder of the archive, which the jobs' starts are noted in too. */
    const folderOf = (cluster: string) => `/var/lib/flux-archive/${namespace.name}-${cluster}`;
    const startsIn = (cluster: string) => `${folderOf(cluster)}/starts`;

    /** Submits jobs for the lead's cores that note their starts beside the archive. */
    async function submitNoted(cluster: GuardedCluster): Promise<string[]> {
        const note = `echo "$FLUX_JOB_ID $(hostname -i) $(date +%s)" >>${startsIn(cluster.name)}; sleep ${JOB}`;
        const options = ["--requires=rank:0", "-N1", "--exclusive"];
        const ids = await cluster.flux("submit", `--cc=1-${JOBS}`, ...options, "sh", "-c", note);
        return ids.split("\n").map(plain);
    }

    async function startsOf(cluster: string, rank: number): Promise<Start[]> {
        const text = await namespace.exec(cluster, ["sh", "-c", `cat ${startsIn(cluster)} || true`], rank);
        return text
            .trim()
            .split("\n")
            .filter(Boolean)
            .map((line) => {
                const [job = "", pod = "", at] = line.split(" ");
                return { job: plain(job), pod, at: Number(at) };
            });
    }

    /** The second of the last claim, with which each claim begins. */
    async function claimedAt(cluster: string): Promise<number> {
        const [second] = (await namespace.exec(cluster, ["cat", `${folderOf(cluster)}/owner`], 1)).split(".");
        return Number(second);
    }

    /** The log of a container on a node's disk, because the API server can't reach the node. */
    function logOnDisk(node: string, pod: V1Pod | undefined): string {
        const { name, uid } = pod?.metadata ?? {};
        const folder = `${namespace.name}_${name}_${uid}`;
        const logs = join(kubernetes.state, "cluster", "nodes", node, "pod-logs", folder, "flux");
        return readdirSync(logs)
            .map((file) => readFileSync(join(logs, file), "utf8"))
            .join("");
    }

    it("has two leads until the one that is cut off sees the claim of the next: it starts no more jobs", async () => {
        const cluster = await apart("halves");
        const ids = await submitNoted(cluster);
        await until("two jobs have started", async () => (await startsOf("halves", 0)).length >= 2 || undefined);
        const [before] = await present("halves");
        const address = before?.status?.podIP;
        const node = new LostNode(kubernetes, namespace.kube, before?.spec?.nodeName ?? "");
        const first = await claimedAt("halves");
        await kubernetes.nodes("cut", node.name);
        const cut = Date.now() / 1000;
        await node.untilReady(false);
        await node.giveUp();
        const another = async () => ((await claimedAt("halves")) > first ? claimedAt("halves") : undefined);
        const claimed = await until("another lead has claimed the archive", another, 180);
        const next = await until("another lead is ready", () => readyLead(before), 180);
        const said = `another pod has claimed ${folderOf("halves")}: this one saves its queue no more`;
        await until("the lead says so", async () => logOnDisk(node.name, before).includes(said) || undefined, 30);
        await untilEnded(cluster);

        const starts = await startsOf("halves", 1);
        const ofOld = starts.filter(({ pod }) => pod === address);
        const afterwards = ofOld.filter(({ at }) => at >= claimed);
        const twice = starts.filter(
            ({ job, pod }) => pod === address && starts.some((o) => o.job === job && o.pod !== pod),
        );
        console.log(
            `      claimed ${Math.round(claimed - cut)} s after the cut; of ${JOBS} jobs, the old lead has started ${ofOld.length}, ` +
                `${afterwards.length} of them after the claim, ${twice.length} of them twice`,
        );
        const results = await cluster.flux("jobs", "-a", "--count=0", "--no-header", "--format={id} {result}");
        console.log(results.replaceAll(/^/gm, "      "));
        assert(
            ofOld.some(({ at }) => at > cut),
            "the lead that is cut off starts jobs before the claim",
        );
        const late = ofOld.filter(({ at }) => at > claimed + NOTICED);
        assert.deepEqual(late, [], "the lead that is cut off starts jobs after the next one has claimed the archive");
        const left = ids.length - ofOld.length;
        assert(left >= 3, `it had ${left} jobs left, so it could have started some`);
        const old = twice.filter(({ at }) => at < claimed - DUMPED);
        assert.deepEqual(old, [], "only a job that starts after the last dump is started again");
        const missing = ids.filter((id) => !starts.some(({ job }) => job === id));
        assert.deepEqual(missing, [], "each job has started");

        await kubernetes.nodes("heal");
        await node.untilReady(true);
        await node.takeBack();
        await untilReady("halves");
        assert.equal((await present("halves"))[0]?.metadata?.uid, next.metadata?.uid, "the next lead stays the lead");
        await assertRestores(cluster);
        await cluster.stack.destroy();
    });

    it("replaces no pod if only the brokers can't reach each other, and goes on when they can", async () => {
        const cluster = await apart("brokers");
        const [lead, ...followers] = await present("brokers");
        const waiting = await cluster.flux("submit", "-N3", "--urgency=hold", "hostname");
        const uids = await cluster.podUids();
        for (const { spec } of followers) {
            await kubernetes.nodes("cut", lead?.spec?.nodeName ?? "", spec?.nodeName ?? "");
        }
        const begun = Date.now();
        const lost = async () => (await cluster.flux("resource", "list", "-no", "{state} {nnodes}")).includes("down 2");
        await until("Flux has lost both followers", async () => (await lost()) || undefined, 120);
        console.log(`      Flux has lost both followers after ${Math.round((Date.now() - begun) / 1000)} s`);
        const said = await cluster.command("doctor").catch(({ stdout }: { stdout: string }) => stdout);
        assert.match(said, /fail .*(have not joined|Flux says of rank \d)/);
        await kubernetes.nodes("heal");
        await untilReady("brokers");
        await cluster.flux("job", "urgency", waiting, "16");
        const result = async () => cluster.flux("jobs", "--no-header", "--format={result}", waiting);
        await until("the job has run", async () => (await result()) === "COMPLETED" || undefined, 120);
        assert.deepEqual(await cluster.podUids(), uids);
        await cluster.stack.destroy();
    });

    async function readyLead(before: V1Pod | undefined): Promise<V1Pod | undefined> {
        const lead = (await present("halves")).find((pod) => rankOf(pod) === 0);
        return lead?.metadata?.uid !== before?.metadata?.uid && isReady(lead) ? lead : undefined;
    }

    const untilEnded = (cluster: GuardedCluster) =>
        until(
            "all jobs have ended",
            async () => (await cluster.flux("jobs", "--no-header", "--format={id}")) === "" || undefined,
            300,
        );

    /** The archive has not been torn: the next lead has the same jobs. */
    async function assertRestores(cluster: GuardedCluster): Promise<void> {
        const jobs = () => cluster.flux("jobs", "-a", "--count=0", "--no-header", "--format={id}");
        const known = await jobs();
        const lead = (await present(cluster.name))[0]?.metadata?.uid;
        await cluster.evict(0);
        await until("the lead's pod is replaced", async () => {
            const pods = await present(cluster.name);
            return (pods.length === 3 && pods[0]?.metadata?.uid !== lead) || undefined;
        });
        await untilReady(cluster.name);
        assert.equal(await jobs(), known);
    }
});
