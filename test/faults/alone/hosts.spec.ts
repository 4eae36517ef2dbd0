import assert from "node:assert/strict";

import { Keygen, type MiniClusterArgs, Network } from "flux-minicluster";

import { ChangingCluster } from "../../e2e/support/changing";
import { walkCorePath } from "../../e2e/support/corePath";
import { isReady } from "../../e2e/support/kube";
import { rankOf, useNamespace } from "../../e2e/support/namespace";
import { SecondCluster } from "../../e2e/support/secondCluster";
import { startKubernetes } from "../../e2e/support/secondKubernetes";
import { until } from "../../e2e/support/until";

/** Rank 3 starts only when the file `go` exists. */
const late = `
if [[ $JOB_COMPLETION_INDEX == 3 ]]; then
    until [[ -e $MINICLUSTER_RUN/go ]]; do sleep 0.05; done
fi
`;

describe("MiniCluster in a cluster without DNS", () => {
    const kubernetes = new SecondCluster();
    const namespace = useNamespace({ world: () => startKubernetes(kubernetes, { DNS: "off" }) });
    after(() => kubernetes.remove());
    let cluster: ChangingCluster;

    const log = async (rank: number) => {
        const pod = (await namespace.pods("named")).find((one) => rankOf(one) === rank);
        return namespace.kube.core
            .readNamespacedPodLog({ name: pod?.metadata?.name ?? "", namespace: namespace.name })
            .catch(() => "");
    };
    const shell = async (rank: number, script: string) =>
        (await namespace.exec("named", ["bash", "-c", script], rank)).trim();

    before(async () => {
        const args: Omit<MiniClusterArgs, "image"> = {
            network: Network.Hosts,
            size: 4,
            broker: { topology: "kary:2" },
            hooks: { init: late },
        };
        cluster = new ChangingCluster(namespace, "named", args);
        const update = cluster.stack.up();
        const waits = until("rank 1 waits for the address of rank 3", async () =>
            /waits for the addresses of 1 more ranks/.test(await log(1)) ? true : undefined,
        );
        await Promise.race([waits, update]);
        await shell(3, ": >/run/flux/go");
        await update;
    });

    it("continues all ranks after the last address in /etc/hosts", async () => {
        const known = Number(await shell(0, "stat -c %.Y /etc/hosts"));
        for (const rank of [0, 1, 2, 3]) {
            const wentOn = Number(await shell(rank, "stat -c %.Y /run/flux/config/pod.toml"));
            assert(wentOn > known, `rank ${rank} continued ${known - wentOn} s before the last address`);
        }
    });

    it("connects a tree of brokers", async () => {
        assert.match(
            await cluster.flux("overlay", "status"),
            /├─ 1 named-1: full[^]*\n│ +└─ 3 named-3: full[^]*\n└─ 2 named-2: full/,
        );
    });

    for (const rank of [2, 0]) {
        it(`updates all ranks when rank ${rank} is recreated with another address`, async () => {
            const before = (await namespace.pods("named")).find((pod) => rankOf(pod) === rank);
            await namespace.kube.core.deleteNamespacedPod({
                name: before?.metadata?.name ?? "",
                namespace: namespace.name,
            });
            const address = await until(
                "the recreated rank is ready",
                async () => {
                    const pods = (await namespace.pods("named")).filter(
                        (pod) => rankOf(pod) === rank && pod.metadata?.uid !== before?.metadata?.uid,
                    );
                    return isReady(pods[0]) ? pods[0].status?.podIP : undefined;
                },
                120,
            );
            assert.notEqual(address, before?.status?.podIP);
            for (const other of [0, 1, 2, 3]) {
                await until(
                    `rank ${other} has the new address`,
                    async () =>
                        (await shell(other, `getent hosts named-${rank}`)).startsWith(`${address} `) ? true : undefined,
                    5,
                );
            }
        });
    }

    it("completes the core path with a key that the lead makes", () =>
        walkCorePath(namespace, { core: { network: Network.Hosts, keygen: Keygen.InitContainer } }));
});
