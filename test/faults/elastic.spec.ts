import assert from "node:assert/strict";

import { findSite, type Site } from "../../scripts/local/cluster/site";
import { ChangingCluster } from "../e2e/support/changing";
import { doTo } from "../e2e/support/podActions";
import { fakeResources } from "../e2e/support/fakeResources";
import { LossyNetwork } from "../e2e/support/lossyNetwork";
import { rankOf, type TestNamespace, useNamespace } from "../e2e/support/namespace";
import { until } from "../e2e/support/until";

const ONE_CORE = { limits: { cpu: "1" }, requests: { cpu: "10m" } };
const ELASTIC: ChangingCluster["args"] = { size: 1, maxSize: 6, elastic: { cooldown: 10 } };

/** The same work for one rank: 50 jobs of 3 s. */
const NARROW = "flux submit --quiet --cc=1-50 -n1 sleep 3";

/** 40 jobs of 3 s: 34 on one rank, 4 on two ranks and 2 on four ranks, which need 50 ranks for 3 s in all. */
const BURST = `
for number in $(seq 40); do
    case $number in
    10 | 30) nodes=4 ;;
    5 | 15 | 25 | 35) nodes=2 ;;
    *) nodes=1 ;;
    esac
    flux submit --quiet -N$nodes -n$nodes sleep 3
done
`;

/** How a cluster ran the burst. */
interface Run {
    readonly kind: string;
    readonly seconds: number;
    readonly rankSeconds: number;
    readonly sizes: readonly number[];
}

describe("MiniCluster that sizes itself, with a burst of 40 jobs", function () {
    this.timeout(900_000);
    const namespace = useNamespace();
    const runs: Run[] = [];

    const kinds: [string, ChangingCluster["args"], string, number][] = [
        ["elastic", ELASTIC, BURST, 40],
        ["fixed 6", { size: 6 }, BURST, 40],
        ["fixed 1", { size: 1 }, NARROW, 50],
    ];
    for (const [kind, args, script, jobs] of kinds) {
        it(`completes all of them: ${kind}`, async () => {
            const name = kind.replace(" ", "-");
            const cluster = new ChangingCluster(namespace, name, { resources: ONE_CORE, ...args });
            await cluster.stack.up();
            runs.push({ kind, ...(await burst(namespace, cluster, script, jobs)) });
            await cluster.stack.destroy();
        });
    }

    after(() => {
        const rows = runs.map(
            ({ kind, rankSeconds, seconds, sizes }) =>
                `| ${kind} | ${seconds.toFixed(1)} | ${rankSeconds.toFixed(0)} | ${sizes.join(" → ")} |`,
        );
        const head = ["| cluster | seconds | rank-seconds, 15 s of idleness included | sizes |", "|---|---|---|---|"];
        console.log([...head, ...rows].join("\n"));
    });
});

/** Submits the burst, and observes the size until all jobs have ended, and 15 s longer. */
async function burst(
    namespace: TestNamespace,
    cluster: ChangingCluster,
    script: string,
    jobs: number,
): Promise<Omit<Run, "kind">> {
    const { name } = cluster;
    const started = Date.now();
    let [last, rankSeconds, seconds, ended] = [started, 0, 0, 0];
    const sizes: number[] = [];
    let left = "pending";
    let submitted = false;
    const submitting = namespace.exec(name, ["bash", "-c", script]).then(() => (submitted = true));
    const counting = (async () => {
        while (left !== "") {
            left = await cluster.flux("jobs", "--no-header", "--format={id}").catch(() => "unknown");
            left = submitted ? left : "pending";
        }
        ended = Date.now();
        seconds = (ended - started) / 1000;
    })();
    await until(
        "the burst is over",
        async () => {
            const size = (await cluster.job()).spec?.parallelism ?? 0;
            const now = Date.now();
            rankSeconds += (size * (now - last)) / 1000;
            last = now;
            if (sizes.at(-1) !== size) {
                sizes.push(size);
            }
            return (ended > 0 && now - ended > 15_000) || undefined;
        },
        600,
    );
    await Promise.all([submitting, counting]);
    const results = (await cluster.flux("jobs", "-a", "--count=0", "--no-header", "--format={result}")).split("\n");
    assert.deepEqual([...new Set(results)], ["COMPLETED"]);
    assert.equal(results.length, jobs);
    return { seconds, rankSeconds, sizes };
}

describe("MiniCluster that sizes itself, in trouble", function () {
    this.timeout(600_000);
    const namespace = useNamespace();
    let cluster: ChangingCluster;

    before(async () => {
        cluster = new ChangingCluster(namespace, "tried", {
            resources: ONE_CORE,
            ...ELASTIC,
            elastic: { cooldown: 5 },
        });
        await cluster.stack.up();
    });

    const reaches = (wanted: number) =>
        until(`the size is ${wanted}`, async () => (await cluster.job()).spec?.parallelism === wanted || undefined);
    const submit = (nodes: number) => cluster.flux("submit", `-N${nodes}`, `-n${nodes}`, "sleep", "inf");
    const cancel = () => cluster.flux("cancel", "--all", "--quiet");
    // Under load, Kubernetes sometimes can't start a command in a container.
    const resultOf = (job: string) => cluster.flux("jobs", "--no-header", "--format={status}", job).catch(() => "");

    it("grows when it gets its right back", async () => {
        const { rbac } = namespace.kube;
        const place = { name: "tried-elastic", namespace: namespace.name };
        const role = await rbac.readNamespacedRole(place);
        await rbac.replaceNamespacedRole({ ...place, body: { ...role, rules: [] } });
        const job = await submit(3);
        await until("the refusal is in the log", async () => (await log()).includes("(403)") || undefined);
        assert.equal((await cluster.job()).spec?.parallelism, 1);
        const { metadata } = await rbac.readNamespacedRole(place);
        await rbac.replaceNamespacedRole({ ...place, body: { ...role, metadata } });
        await reaches(3);
        await until("the job runs", async () => ((await resultOf(job)) === "RUN" ? true : undefined));
        await cancel();
        await reaches(1);
    });

    it("runs jobs while the API server doesn't answer for two minutes, and grows afterwards", async () => {
        const network = new LossyNetwork(findSite() as Site);
        const lead = (await namespace.pods("tried")).find((pod) => rankOf(pod) === 0);
        await network.dropFrom(lead?.status?.podIP ?? "", 443);
        const over = Date.now() + 120_000;
        try {
            assert.equal(await cluster.flux("run", "echo", "runs"), "runs");
            const job = await submit(3);
            await until("two minutes are over", async () => Date.now() > over || undefined, 150);
            assert.match(await log(), /the Job can't be read or changed: .*timed out/);
            assert.deepEqual([(await cluster.job()).spec?.parallelism, await resultOf(job)], [1, "SCHED"]);
            await network.restore();
            // The pauses between two tries are up to 60 s by then.
            await until("the job runs", async () => ((await resultOf(job)) === "RUN" ? true : undefined), 120);
            await cancel();
            await reaches(1);
        } finally {
            await network.restore();
        }
    });

    it("goes on when the lead's broker is killed during a growth", async () => {
        await submit(2);
        await reaches(2);
        await doTo(namespace, "tried", 0, "broker is killed");
        await until("Flux answers", () =>
            cluster.flux("queue", "status").then(
                () => true,
                () => undefined,
            ),
        );
        const job = await submit(4);
        await reaches(4);
        await until("the job runs", async () => ((await resultOf(job)) === "RUN" ? true : undefined));
        await cancel();
        await reaches(1);
    });

    it("goes on from the size that another client sets, and undrains ranks that were left drained", async () => {
        await cluster.patchJob({ spec: { completions: 5, parallelism: 5 } });
        const job = await submit(4);
        await until("the job runs", async () => ((await resultOf(job)) === "RUN" ? true : undefined));
        await cancel();
        await reaches(1);
    });

    it("survives the loss of a rank on which a job runs", async () => {
        await submit(2);
        await reaches(2);
        await doTo(namespace, "tried", 1, "pod is deleted");
        const job = await submit(3);
        await until("the job runs", async () => ((await resultOf(job)) === "RUN" ? true : undefined), 120);
        await cancel();
        await reaches(1);
    });

    async function log(): Promise<string> {
        const [lead] = await namespace.pods("tried");
        const name = lead.metadata?.name ?? "";
        return namespace.kube.core.readNamespacedPodLog({ name, namespace: namespace.name, container: "flux-elastic" });
    }
});

describe("MiniCluster that sizes itself, with GPUs", function () {
    this.timeout(300_000);
    const namespace = useNamespace();
    let undo = () => {};
    let cluster: ChangingCluster;

    before(async () => {
        undo = await fakeResources(namespace.kube, { "example.com/gpu": 8 });
        const resources = { limits: { cpu: "4", "example.com/gpu": "2" }, requests: { cpu: "10m" } };
        cluster = new ChangingCluster(namespace, "gpus", { ...ELASTIC, maxSize: 3, resources });
        await cluster.stack.up();
    });

    after(() => undo());

    it("grows for jobs that need more GPUs, although it has enough cores", async () => {
        const submit = () => cluster.flux("submit", "-n1", "-c1", "-g1", "sleep", "inf");
        const jobs = [await submit(), await submit(), await submit()];
        await until("the size is 2", async () => (await cluster.job()).spec?.parallelism === 2 || undefined);
        await until("all jobs run", async () => {
            const states = await Promise.all(
                jobs.map((job) => cluster.flux("jobs", "--no-header", "--format={state}", job)),
            );
            return states.every((state) => state === "RUN") || undefined;
        });
        await cluster.flux("cancel", "--all", "--quiet");
        await until("the size is 1", async () => (await cluster.job()).spec?.parallelism === 1 || undefined);
    });
});

/** The shortest life of a token, in seconds. The kubelet renews a token after 80 % of its life. */
const TOKEN_SECONDS = 600;

describe("MiniCluster that sizes itself, for longer than the life of a token", function () {
    this.timeout(1_200_000);
    const namespace = useNamespace();

    it("uses the renewed token", async () => {
        const podTemplate = {
            spec: {
                volumes: [
                    {
                        name: "flux-elastic",
                        projected: {
                            sources: [
                                { serviceAccountToken: { path: "token", expirationSeconds: TOKEN_SECONDS } },
                                { configMap: { name: "kube-root-ca.crt", items: [{ key: "ca.crt", path: "ca.crt" }] } },
                                { downwardAPI: { items: [NAMESPACE, UID] } },
                            ],
                        },
                    },
                ],
            },
        };
        const cluster = new ChangingCluster(namespace, "renews", { ...ELASTIC, resources: ONE_CORE, podTemplate });
        await cluster.stack.up();
        const expires = await expiryOf(namespace);
        await until(
            "the first token has expired",
            async () => Date.now() / 1000 > expires || undefined,
            TOKEN_SECONDS + 60,
        );
        assert.ok((await expiryOf(namespace)) > expires);
        const job = await cluster.flux("submit", "-N2", "-n2", "sleep", "inf");
        await until("the job runs", async () =>
            (await cluster.flux("jobs", "--no-header", "--format={state}", job)) === "RUN" ? true : undefined,
        );
        await cluster.stack.destroy();
    });
});

const NAMESPACE = { path: "namespace", fieldRef: { fieldPath: "metadata.namespace" } };
const UID = {
    path: "uid",
    fieldRef: { fieldPath: "metadata.labels['batch.kubernetes.io/controller-uid']" },
};

/** When the present token expires, in seconds since 1970. */
async function expiryOf(namespace: TestNamespace): Promise<number> {
    const [lead] = await namespace.pods("renews");
    const read = ["cat", "/run/flux-minicluster/token/token"];
    const token = await namespace.kube.exec(namespace.name, lead.metadata?.name ?? "", read, "flux-elastic");
    const claims = JSON.parse(Buffer.from(token.split(".")[1], "base64url").toString()) as { exp: number };
    return claims.exp;
}
