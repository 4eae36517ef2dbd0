import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";

import { MiniCluster } from "flux-minicluster";

import { ARCHIVES } from "../e2e/support/archives";
import { run } from "../../scripts/local/run";
import { forward, type Forwarded } from "../e2e/support/forward";
import { rankOf, useNamespace } from "../e2e/support/namespace";
import { until } from "../e2e/support/until";
import { definePodMonitors, forgetPodMonitors, podMonitorOf } from "./support/metrics/podMonitors";
import { METRICS_DOCS, Prometheus } from "./support/metrics/prometheus";

interface Panel {
    readonly title: string;
    readonly targets: readonly { readonly expr: string }[];
}

interface Monitor {
    readonly metadata: { readonly labels: Record<string, string> };
    readonly spec: {
        readonly podMetricsEndpoints: readonly object[];
        readonly selector: { readonly matchLabels: Record<string, string> };
    };
}

const ONE_CORE = { limits: { cpu: "1" }, requests: { cpu: "10m" } };

/** Scrapes in a second that may not cost more than this share of a core. */
const SCRAPES = 10;
const MOST_CPU = 0.1;

describe("metrics of MiniClusters in a Prometheus", function () {
    this.timeout(300_000);
    const namespace = useNamespace();
    const forwarded: Forwarded[] = [];
    let running: Prometheus | undefined;

    before(async () => {
        await definePodMonitors(namespace.kube);
        await namespace
            .stack("measured", async () => {
                const archive = { hostPath: ARCHIVES, folder: namespace.name, period: 1 };
                const shared = { image: namespace.image, metrics: {}, resources: ONE_CORE };
                new MiniCluster("queue", {
                    ...shared,
                    archive,
                    elastic: {},
                    maxSize: 3,
                    restful: { enabled: false },
                });
                new MiniCluster("command", {
                    ...shared,
                    checkpoint: {},
                    metrics: { podMonitor: { interval: "30s", labels: { release: "stack" } } },
                    command: ["sleep", "1000"],
                    size: 2,
                    waitFor: "ready",
                });
                return {};
            })
            .up();
        for (const cluster of ["queue", "command"]) {
            forwarded.push(await forward(namespace, cluster, 8052));
        }
        const targets = forwarded.map(({ port }) => ({ port, labels: { namespace: namespace.name } }));
        running = await Prometheus.start(targets, await freePort());
        await prometheus().has("count(up == 1) == 2");
        await namespace.exec("queue", ["flux", "run", "true"]);
        await namespace.exec("queue", ["flux", "submit", "--urgency=hold", "true"]);
    });

    after(async () => {
        running?.stop();
        forwarded.forEach((each) => each.close());
        await forgetPodMonitors(namespace.kube);
    });

    const prometheus = () => running!;

    const scrape = async (place: number) => {
        const answer = await fetch(`http://127.0.0.1:${forwarded[place].port}/metrics`);
        return answer.text();
    };

    it("have series for each query of the dashboard", async () => {
        const dashboard = JSON.parse(readFileSync(join(METRICS_DOCS, "dashboard.json"), "utf8")) as {
            readonly panels: readonly Panel[];
        };
        const queries = dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
        assert.ok(queries.length > 15);
        for (const query of queries) {
            await prometheus().has(
                query.replaceAll("$__rate_interval", "1m").replaceAll(/\$(namespace|minicluster)/g, ".*"),
            );
        }
    });

    it("have a PodMonitor that selects the lead's pod", async () => {
        const { metadata, spec } = (await podMonitorOf(namespace.kube, namespace.name, "command")) as Monitor;
        assert.equal(metadata.labels["release"], "stack");
        assert.deepEqual(spec.podMetricsEndpoints, [{ port: "metrics", path: "/metrics", interval: "30s" }]);
        const labelSelector = Object.entries(spec.selector.matchLabels)
            .map(([name, value]) => `${name}=${value}`)
            .join(",");
        const { items } = await namespace.kube.core.listNamespacedPod({ namespace: namespace.name, labelSelector });
        assert.deepEqual(items.map(rankOf), [0]);
    });

    it("have the series of the alerts, whose rules have no errors", async () => {
        const rules = readFileSync(join(METRICS_DOCS, "alerts.yaml"), "utf8");
        const names = new Set(rules.match(/\b(?:flux|minicluster)_[a-z_]+/g));
        assert.ok(names.size >= 6);
        for (const name of names) {
            await prometheus().has(name);
        }
        assert.match(await prometheus().check("check", "rules", "alerts.yaml"), /SUCCESS: 4 rules found/);
        assert.match(await prometheus().check("test", "rules", "alerts.test.yaml"), /SUCCESS/);
        assert.doesNotMatch(prometheus().log, /level=(warn|error)/);
    });

    it("have the names and texts that promtool wants", async () => {
        for (const place of [0, 1]) {
            assert.equal(await run("bash", ["-c", prometheus().checkMetrics(await scrape(place))]), "");
        }
    });

    it("tell what happens to the queue, to the size and to the broker", async () => {
        const one = (query: string) => prometheus().has(query.replaceAll("{", '{minicluster="queue",'));
        await one('flux_jobs{state="sched"} == 1');
        await one("minicluster_requested_ranks{} == 1");
        await namespace.exec("queue", ["flux", "submit", "-N2", "sleep", "inf"]);
        await one("minicluster_needed_ranks{} == 2");
        await one("minicluster_requested_ranks{} == 2");
        await one('flux_ranks{state="up"} == 2');
        await one('flux_cores{state="allocated"} == 2');
        await one("minicluster_archive_failed{} == 0 and time() - minicluster_archive_saved_timestamp_seconds{} < 60");
        await namespace.exec("queue", ["bash", "-c", "kill -s KILL $(flux getattr broker.pid)"]);
        await one("minicluster_broker_restarts_total{} == 1 and flux_up{} == 1");
        await one("min_over_time(minicluster_info{}[1m]) == 1");
    });

    it("cost little, however many scrapes there are", async () => {
        const used = async () => Number(/^process_cpu_seconds_total\S* (\S+)$/m.exec(await scrape(0))?.[1]);
        // The first collection after a restart of the broker opens a connection.
        await until("the broker answers", async () => (/^flux_up\S* 1$/m.test(await scrape(0)) ? true : undefined));
        const [before, began] = [await used(), Date.now()];
        let scrapes = 0;
        while (Date.now() - began < 20_000) {
            await scrape(0);
            scrapes += 1;
            await until("the next scrape is due", async () =>
                Date.now() - began >= (1000 * scrapes) / SCRAPES ? true : undefined,
            );
        }
        const seconds = (Date.now() - began) / 1000;
        const share = ((await used()) - before) / seconds;
        const each = ((1000 * share * seconds) / scrapes).toFixed(2);
        console.log(
            `${(scrapes / seconds).toFixed(1)} scrapes a second: ${(100 * share).toFixed(2)} % of a core, ${each} ms each`,
        );
        assert.ok(share < MOST_CPU, `${share} of a core`);
    });
});

async function freePort(): Promise<number> {
    const probe = createServer();
    await new Promise<void>((resolve) => probe.listen(0, "127.0.0.1", resolve));
    const { port } = probe.address() as AddressInfo;
    await new Promise((resolve) => probe.close(resolve));
    return port;
}
