import assert from "node:assert/strict";

import { MiniCluster } from "flux-minicluster";

import { ARCHIVES } from "../../e2e/support/archives";
import { Random } from "../../double/support/random";
import { isReady } from "../../e2e/support/kube";
import { rankOf, type TestNamespace } from "../../e2e/support/namespace";
import type { SecondCluster } from "../../e2e/support/secondCluster";
import type { TestStack } from "../../e2e/support/stack";
import { until } from "../../e2e/support/until";
import { LostNode } from "./lostNode";
import { NotedJobs, type Tally } from "./notedJobs";

const SIZE = 3;
const NODES = ["node-0", "node-1", "node-2"];
/** Seconds for the pods' back-off, which doubles with each loss of a rank. */
const READY = 300;

/** Random faults of three nodes, under clusters with jobs. Each fault ends with nodes that are ready. */
export class NodeHistory {
    private readonly clusters: NotedJobs[];
    private readonly stack: TestStack;
    /** The moments at which faults began. */
    private readonly began: number[] = [];
    private readonly begun = Date.now();
    private off: string | undefined;

    constructor(
        private readonly kubernetes: SecondCluster,
        private readonly namespace: TestNamespace,
        private readonly random: Random,
        { name, clusters }: { readonly name: string; readonly clusters: number },
    ) {
        const names = Array.from({ length: clusters }, (_, index) => `${name}-${index}`);
        // Their own numbers, because they submit jobs at the same time.
        this.clusters = names.map((each) => new NotedJobs(namespace, each, new Random(random.below(1 << 30))));
        const budgets = names.map(() => random.below(2) === 0);
        this.stack = namespace.stack(name, async () => {
            for (const [index, each] of names.entries()) {
                new MiniCluster(each, {
                    image: namespace.image,
                    size: SIZE,
                    placement: "spread",
                    archive: { hostPath: ARCHIVES, folder: `${namespace.name}-${each}`, period: 1 },
                    disruptionBudget: budgets[index],
                    restful: { enabled: false },
                });
            }
        });
    }

    private readonly faults: Readonly<Record<string, (node: LostNode) => Promise<void>>> = {
        /** The power, for long enough that an administrator gives the node up. */
        power: async (node) => {
            const gone = await this.podsOn(node);
            this.off = node.name;
            await node.stop();
            await node.giveUp();
            await this.untilGone(gone);
            await node.start();
            this.off = undefined;
        },
        /** The power, for so short that nobody else notices it. */
        reboot: async ({ name }) => {
            this.off = name;
            await this.kubernetes.nodes("stop", name);
            await this.kubernetes.nodes("start", name);
            this.off = undefined;
        },
        /** The packets between a node and another one, until a lead has lost a rank, if there is such a lead. */
        "cut from a node": async ({ name }) => {
            const other = this.random.of(NODES.filter((each) => each !== name));
            const split = await this.split(name, other);
            await this.kubernetes.nodes("cut", name, other);
            if (split !== undefined) {
                await until(
                    "Flux has lost a rank",
                    async () => ((await split.nodes())["down"] ? true : undefined),
                    120,
                );
            }
            await this.kubernetes.nodes("heal");
        },
        /** The packets between a node and another one, so short that no lead notices it. */
        "blink of a link": async ({ name }) => {
            await this.kubernetes.nodes("cut", name, this.random.of(NODES.filter((each) => each !== name)));
            await this.kubernetes.nodes("heal");
        },
        /** The packets between a node and the API server. */
        "cut from api": async (node) => {
            await this.kubernetes.nodes("cut", node.name, "api");
            await node.untilReady(false);
            await this.kubernetes.nodes("heal");
            await node.untilReady(true);
        },
        /** All packets of a node that an administrator gives up, although it lives on. */
        "cut off and given up": async (node) => {
            const gone = await this.podsOn(node);
            await this.kubernetes.nodes("cut", node.name);
            await node.untilReady(false);
            await node.giveUp();
            await this.untilGone(gone);
            await this.kubernetes.nodes("heal");
            await node.untilReady(true);
            await node.takeBack();
        },
        drain: async ({ name }) => {
            const options = ["--ignore-daemonsets", "--delete-emptydir-data", "--timeout=300s"];
            await this.kubernetes.kubectl("drain", name, ...options);
            await this.kubernetes.kubectl("uncordon", name);
        },
        /** A pod's object without its processes. */
        "pod by force": async () => {
            const { name } = this.random.of(this.clusters);
            const pod = this.random.of(await this.present(name));
            await this.namespace.kube.core.deleteNamespacedPod({
                name: pod.metadata?.name ?? "",
                namespace: this.namespace.name,
                gracePeriodSeconds: 0,
            });
        },
        /** The node with its object, as by an autoscaler, and a new one. */
        "node replaced": async ({ name }) => {
            await this.kubernetes.nodes("remove", name);
            assert.equal(await this.kubernetes.nodes("add"), name);
        },
    };

    /** Makes the clusters, and as many faults under jobs. */
    async run(faults: number): Promise<void> {
        await this.stack.up();
        for (let step = 1; step <= faults; step++) {
            await Promise.all(this.clusters.map((cluster) => cluster.submit()));
            const kind = this.random.of(Object.keys(this.faults));
            const name = this.random.of(NODES);
            this.say(`${kind} ${name}`);
            this.began.push(Date.now());
            await this.faults[kind]?.(new LostNode(this.kubernetes, this.namespace.kube, name));
            if (this.random.below(2) === 0) {
                await this.settle();
            }
        }
        await Promise.all(this.clusters.map((cluster) => cluster.submit()));
    }

    /** Requires what must be so after each history. Returns what has become of the jobs of each cluster. */
    async conclude(): Promise<Tally[]> {
        await this.settle();
        await Promise.all(this.clusters.map((cluster) => this.requireAllRanks(cluster)));
        for (const cluster of this.clusters) {
            const look = async () => ![...(await cluster.results()).values()].includes("") || undefined;
            await until(`the jobs of ${cluster.name} have ended`, look, 120);
        }
        const tallies = await Promise.all(this.clusters.map((cluster) => cluster.tally(this.began)));
        await this.stack.unchanged();
        await this.stack.destroy();
        for (const { name } of this.clusters) {
            await this.namespace.assertNothingLeft((object) => object.includes(`/${name}`));
        }
        this.say("the end");
        return tallies;
    }

    /** Gives the next history three nodes that are ready, whatever has happened. */
    async leave(): Promise<void> {
        await this.kubernetes.nodes("heal");
        const { items } = await this.namespace.kube.core.listNode();
        for (const name of NODES) {
            const object = items.find(({ metadata }) => metadata?.name === name);
            const node = new LostNode(this.kubernetes, this.namespace.kube, name);
            if (object === undefined) {
                await this.kubernetes.nodes("add");
            } else if (this.off === name) {
                // The fault may have ended half-way.
                await this.kubernetes.nodes("stop", name);
                await this.kubernetes.nodes("start", name);
            }
            await node.untilReady(true);
            await node.takeBack();
            await this.kubernetes.kubectl("uncordon", name);
        }
        for (const cluster of this.clusters) {
            cluster.remove();
        }
    }

    private say(what: string): void {
        console.log(`        ${Math.round((Date.now() - this.begun) / 1000)} s: ${what}`);
    }

    /** Waits until all ranks of all clusters have a pod that is ready. */
    private async settle(): Promise<void> {
        this.say("all ranks become ready");
        for (const { name } of this.clusters) {
            const look = async () => {
                const pods = await this.present(name);
                return (pods.length === SIZE && pods.every(isReady)) || undefined;
            };
            await until(`all ranks of ${name} are ready`, look, READY);
        }
    }

    /** Requires that Flux runs a job on all ranks. A rank that has just become ready may still join. */
    private async requireAllRanks(cluster: NotedJobs): Promise<void> {
        const id = await cluster.flux("submit", `-N${SIZE}`, "--exclusive", "hostname");
        const result = () => cluster.flux("jobs", "--no-header", "--format={result}", id);
        const look = async () => ((await result()) === "" ? undefined : await result());
        assert.equal(await until(`a job runs on all ranks of ${cluster.name}`, look, 180), "COMPLETED");
        const hosts = await cluster.flux("job", "attach", id);
        assert.equal(new Set(hosts.split("\n")).size, SIZE);
    }

    /** The pods of a cluster that have not ended and are not being deleted. */
    private async present(cluster: string) {
        const pods = await this.namespace.pods(cluster);
        return pods.filter(({ metadata, status }) => !metadata?.deletionTimestamp && status?.phase !== "Failed");
    }

    private async podsOn({ name }: LostNode): Promise<Set<string | undefined>> {
        const pods = await this.allPods();
        return new Set(pods.filter(({ spec }) => spec?.nodeName === name).map(({ metadata }) => metadata?.uid));
    }

    private async untilGone(uids: ReadonlySet<string | undefined>): Promise<void> {
        const look = async () =>
            (await this.allPods()).some(({ metadata }) => uids.has(metadata?.uid)) ? undefined : true;
        await until("the node's pods are gone", look, 120);
    }

    /** The pods of all clusters. Kubernetes keeps those that have failed. */
    private async allPods() {
        const pods = (await Promise.all(this.clusters.map(({ name }) => this.namespace.pods(name)))).flat();
        return pods.filter(({ status }) => status?.phase !== "Failed");
    }

    /** A cluster whose lead is on one of these nodes and which has a rank on the other. */
    private async split(...nodes: readonly string[]): Promise<NotedJobs | undefined> {
        for (const cluster of this.clusters) {
            const pods = (await this.present(cluster.name)).filter(isReady);
            const lead = pods.find((pod) => rankOf(pod) === 0)?.spec?.nodeName ?? "";
            const hasOther = pods.some(({ spec }) => spec?.nodeName !== lead && nodes.includes(spec?.nodeName ?? ""));
            if (nodes.includes(lead) && hasOther) {
                return cluster;
            }
        }
        return undefined;
    }
}
