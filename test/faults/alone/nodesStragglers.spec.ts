import assert from "node:assert/strict";

import { FIND_BROKER } from "../../e2e/support/broker";
import { doctor, type Health } from "../../e2e/support/doctor";
import { GuardedCluster } from "../../e2e/support/guardedCluster";
import { useNamespace } from "../../e2e/support/namespace";
import { SecondCluster } from "../../e2e/support/secondCluster";
import { startKubernetes } from "../../e2e/support/secondKubernetes";
import { until } from "../../e2e/support/until";

const TYPE = "node.kubernetes.io/instance-type";

describe("a rank that hangs or lags, on one of three nodes", function () {
    this.timeout(600_000);
    const kubernetes = new SecondCluster();
    let admin = "";
    const namespace = useNamespace({
        world: async () => {
            const started = await startKubernetes(kubernetes, { NODES: "3" });
            admin = started.cluster.kubeconfig;
            return started;
        },
    });
    after(() => kubernetes.remove());
    let cluster: GuardedCluster;
    let node = "";

    const examine = (): Promise<Health> => doctor(admin, "-n", namespace.name, "-c", "lags");
    const signal = async (name: string): Promise<void> => {
        const script = `broker=$(${FIND_BROKER}); [ -z "$broker" ] || kill -s ${name} $broker; echo "$broker"`;
        const found = await namespace.exec("lags", ["sh", "-c", script], 1);
        assert.notEqual(found.trim(), "", "no process is the broker");
    };

    before(async () => {
        const resources = { limits: { cpu: "500m" }, requests: { cpu: "100m" } };
        cluster = new GuardedCluster(namespace, "lags", { size: 3, placement: "exclusive", resources });
        await cluster.stack.up();
        const pods = await namespace.pods("lags");
        node = pods[1]?.spec?.nodeName ?? "";
        for (const { spec } of pods) {
            const type = spec?.nodeName === node ? "old.small" : "new.large";
            await kubernetes.kubectl("label", "node", spec?.nodeName ?? "", `${TYPE}=${type}`);
        }
    });

    it("is well before", async () => {
        const { checks } = await examine();
        const said = checks.filter(({ group }) => group === "ranks");
        assert.deepEqual(
            said.map(({ level, text }) => `${level} ${text}`),
            ["ok 3 ranks answer, and none lags"],
        );
    });

    it("is named with its node, and with what only this node has", async () => {
        await signal("STOP");
        const begun = Date.now();
        const { lines } = await examine();
        console.log(`      doctor took ${Math.round((Date.now() - begun) / 1000)} s`);
        assert.match(
            lines,
            new RegExp(
                `^fail ranks: rank 1 on node ${node} has joined, and does not answer .*` +
                    `it has instance type old\\.small \\(the others have new\\.large\\)`,
                "m",
            ),
        );
    });

    it("is well when it goes on", async () => {
        await signal("CONT");
        await untilWell();
    });

    it("is named as slow if it gets less CPU than the others", async () => {
        await limitCpu("20m");
        const lags = async () => {
            const { checks } = await examine();
            return checks.find(({ group, level }) => group === "ranks" && level === "warn");
        };
        const { text } = await until("a rank lags", lags, 120);
        console.log(`      ${text}`);
        assert.match(
            text,
            new RegExp(
                `^rank 1 on node ${node} needs \\S+ s for what the other ranks do in .* it has instance type old`,
            ),
        );
        await limitCpu("500m");
        await untilWell();
        await cluster.stack.destroy();
    });

    async function untilWell(): Promise<void> {
        const well = async () => {
            const { checks } = await examine();
            return checks.find(({ group, level }) => group === "ranks" && level === "ok");
        };
        assert.equal((await until("no rank lags", well, 120)).text, "3 ranks answer, and none lags");
    }

    /** Changes the limit of the rank's container while it runs. */
    async function limitCpu(cpu: string): Promise<void> {
        const pod = (await namespace.pods("lags"))[1]?.metadata?.name ?? "";
        const requests = { cpu: cpu === "500m" ? "100m" : cpu };
        const patch = { spec: { containers: [{ name: "flux", resources: { limits: { cpu }, requests } }] } };
        const options = ["-n", namespace.name, "--subresource", "resize", "--patch", JSON.stringify(patch)];
        await kubernetes.kubectl("patch", "pod", pod, ...options);
    }
});
