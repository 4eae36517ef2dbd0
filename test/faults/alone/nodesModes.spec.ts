import assert from "node:assert/strict";

import { MiniCluster, type MiniClusterArgs, Network } from "flux-minicluster";

import { LiveCluster } from "../../e2e/support/liveCluster";
import { useNamespace } from "../../e2e/support/namespace";
import { SecondCluster } from "../../e2e/support/secondCluster";
import { startKubernetes } from "../../e2e/support/secondKubernetes";

const SIZE = 3;
/** The CPUs of a task, and the addresses of its pod. */
const SHOW =
    'while read -r a b; do [ "$a" != Cpus_allowed_list: ] || echo "$b $(hostname -I)"; done </proc/self/status';

type Args = Omit<MiniClusterArgs, "image">;

const NETWORKS: Readonly<Record<string, Args>> = {
    service: { network: Network.Service },
    dns: { network: Network.Dns },
    hosts: { network: Network.Hosts },
    "host-network": { hostNetwork: true, broker: { port: 18050 } },
};

interface Mode {
    readonly environment: NodeJS.ProcessEnv;
    readonly clusters: Readonly<Record<string, Args>>;
    /** What a task of each rank prints. */
    readonly prints: RegExp;
}

const WITH_IPV4 = /^\S+ \d+\.\d+\.\d+\.\d+/;

const MODES: Readonly<Record<string, Mode>> = {
    "with kube-proxy in nftables mode": { environment: {}, clusters: NETWORKS, prints: WITH_IPV4 },
    "with kube-proxy in iptables mode": {
        environment: { PROXY: "iptables" },
        clusters: NETWORKS,
        prints: WITH_IPV4,
    },
    "with IPv6": { environment: { IP_FAMILY: "ipv6" }, clusters: NETWORKS, prints: /^\S+ [\da-f]+:/ },
    "with a CPU of its own for each rank, without DNS": {
        environment: { CPU_MANAGER: "static", DNS: "off" },
        clusters: { hosts: { network: Network.Hosts, resources: { limits: { cpu: "1", memory: "512Mi" } } } },
        prints: /^\d+ /,
    },
};

for (const [name, { clusters, environment, prints }] of Object.entries(MODES)) {
    describe(`three nodes ${name}`, function () {
        this.timeout(600_000);
        const kubernetes = new SecondCluster();
        const namespace = useNamespace({ world: () => startKubernetes(kubernetes, { NODES: "3", ...environment }) });
        after(() => kubernetes.remove());

        before(async () => {
            const stack = namespace.stack("modes", async () => {
                for (const [own, args] of Object.entries(clusters)) {
                    const all = { size: SIZE, placement: "spread", restful: { enabled: false }, ...args } as const;
                    new MiniCluster(own, { image: namespace.image, ...all });
                }
            });
            await stack.up();
        });

        for (const own of Object.keys(clusters)) {
            it(`run a job on all ranks of a MiniCluster: ${own}`, async () => {
                const pods = await namespace.pods(own);
                assert.equal(new Set(pods.map(({ spec }) => spec?.nodeName)).size, SIZE);
                const cluster = new LiveCluster(namespace, own);
                const lines = (await cluster.flux("run", `-N${SIZE}`, "bash", "-c", SHOW)).split("\n");
                assert.equal(lines.length, SIZE);
                for (const { status } of pods) {
                    const words = lines.filter((line) => line.split(" ").includes(status?.podIP ?? ""));
                    assert.equal(words.length, 1, `${status?.podIP} in ${lines.join()}`);
                }
                for (const line of lines) {
                    assert.match(line, prints);
                }
            });
        }
    });
}
