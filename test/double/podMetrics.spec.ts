import assert from "node:assert/strict";

import { until } from "../e2e/support/until";
import { type PodCluster, provideImage, withPods } from "./support/pods/cluster";
import { isWhole, killBroker } from "./support/pods/tasks";

/** By bash alone, as the image may have no client. */
const SCRAPE = String.raw`exec 3<>/dev/tcp/127.0.0.1/8052 && printf 'GET /metrics HTTP/1.1\r\nHost: mc\r\n\r\n' >&3 && cat <&3`;

/** Ends the server's process as a job of the same user can. */
const KILL = `for process in /proc/[0-9]*; do
  { IFS= read -r -d '' _ && while IFS= read -r -d '' word; do
    [[ $word != */metrics.py ]] || kill -s KILL "\${process##*/}"
  done; } <"$process/cmdline"
done 2>/dev/null`;

before(provideImage);

describe("metrics of a MiniCluster", function () {
    this.timeout(120_000);
    const oneCore = { metrics: {}, resources: { limits: { cpu: "1" } } };

    it("tell missing ranks, that the lead's broker is down, and its return", () =>
        withPods({ ...oneCore, size: 2, securityContext: { readOnlyRootFilesystem: true } }, async (cluster) => {
            await cluster.start(0);
            await shows(cluster, { flux_up: 1, 'flux_ranks{state="down"}': 1, minicluster_requested_ranks: 2 });
            await cluster.start(1);
            await shows(cluster, { flux_up: 1, 'flux_ranks{state="up"}': 2, 'flux_cores{state="free"}': 2 });
            // No broker starts while the pod is leaving.
            await cluster.rank(0).exec("touch", "/run/flux/leaving").ended;
            killBroker(cluster, 0);
            const down = await shows(cluster, { flux_up: 0, 'flux_ranks{state="down"}': 2 });
            assert.equal(down['flux_jobs{state="run"}'], undefined);
            await cluster.rank(0).exec("rm", "/run/flux/leaving").ended;
            await shows(cluster, { flux_up: 1, 'flux_ranks{state="up"}': 2, minicluster_broker_restarts_total: 1 });
        }));

    it("go on after a job has killed their server, and tell the job's wait", () =>
        withPods({ ...oneCore, size: 1, user: { uid: 1234 } }, async (cluster) => {
            await cluster.up(1);
            await shows(cluster, { flux_up: 1 });
            await cluster.flux("run", "bash", "-c", KILL);
            await cluster.rank(0).container.says(/metrics: the server ended with 137 and is restarted in 1 s/);
            await shows(cluster, { flux_up: 1, 'flux_jobs{state="inactive"}': 1, flux_job_wait_seconds_count: 0 });
            await cluster.flux("run", "true");
            await shows(cluster, { flux_job_wait_seconds_count: 1, 'flux_job_wait_seconds_bucket{le="60.0"}': 1 });
            await isWhole(cluster, 1);
        }));

    it("have the attempt of a command", () =>
        withPods({ ...oneCore, size: 1, command: ["sleep", "1000"], checkpoint: {} }, async (cluster) => {
            await cluster.start(0);
            await shows(cluster, { minicluster_attempt: 1, 'flux_jobs{state="run"}': 1 });
        }));
});

type Series = Record<string, number | undefined>;

/** Scrapes until these series have these values. */
async function shows(cluster: PodCluster, expected: Series): Promise<Series> {
    return until(`the metrics are ${JSON.stringify(expected)}`, async () => {
        const { stdout } = await cluster.rank(0).exec("bash", "-c", SCRAPE).ended;
        const series = seriesIn(stdout);
        return Object.entries(expected).every(([name, value]) => series[name] === value) ? series : undefined;
    });
}

/** The values by series, without the label that all have. */
function seriesIn(answer: string): Series {
    const lines = answer.matchAll(/^(\w+)\{minicluster="mc",?([^}]*)\} (\S+)$/gm);
    return Object.fromEntries(
        [...lines].map(([, name, labels, value]) => [labels === "" ? name : `${name}{${labels}}`, Number(value)]),
    );
}
