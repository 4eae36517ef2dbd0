import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { loadavg } from "node:os";
import { join } from "node:path";

import { MiniCluster, type MiniClusterArgs, Network } from "flux-minicluster";

import { stateDir } from "../../../scripts/local/paths";
import { useNamespace } from "../../e2e/support/namespace";
import { until } from "../../e2e/support/until";

/** A size, a network and a topology, with the number of connections that the lead's broker must have. */
interface Case {
    readonly size: number;
    readonly network: Network;
    readonly topology: string;
    readonly connections: number;
}

/** The results of a case: numbers, and seconds of time or of CPU. The times of a cluster count from its creation. */
interface Printed {
    /** Minor version of Flux. */
    readonly flux: number;
    readonly hosts: number;
    readonly tasks: number;
    readonly connections: number;
    /** Duration of a job with a task on each rank. */
    readonly run: number;
    readonly jobsPerSecond: number;
    /** CPU time of the lead's broker until the quorum, for the job on all ranks and for the jobs on one rank. */
    readonly joinCpu: number;
    readonly runCpu: number;
    readonly jobsCpu: number;
    readonly megabytes: number;
}

/** Number of jobs on one rank. */
const JOBS = 100;

/** The first version with the topology mincrit. */
const HAS_MINCRIT = 75;

/** The script of a case, which the lead runs at quorum. 1F72 is the brokers' port, 01 an established connection. */
const MEASURE = `
set -euo pipefail
pid=$(flux getattr broker.pid)
minor=$(flux version | sed -n 's/^libflux-core:[[:space:]]*0\\.\\([0-9]*\\).*/\\1/p')
cpu() { awk -v hz="$(getconf CLK_TCK)" '{ printf "%.2f", ($14 + $15) / hz }' "/proc/$pid/stat"; }
between() { awk -v from="$1" -v to="$2" 'BEGIN { printf "%.2f", to - from }'; }

connections=$(cat /proc/net/tcp /proc/net/tcp6 2>/dev/null | awk '$2 ~ /:1F72$/ && $4 == "01"' | wc -l)
cpu0=$(cpu) time0=$EPOCHREALTIME
names=$(flux run -N"$1" hostname)
cpu1=$(cpu) time1=$EPOCHREALTIME
flux submit --quiet --cc=1-${JOBS} --wait -n1 true
cpu2=$(cpu) time2=$EPOCHREALTIME

printf '{"flux":%d,"hosts":%d,"tasks":%d,"connections":%d' \\
  "$minor" "$(sort -u <<<"$names" | wc -l)" "$(wc -l <<<"$names")" "$connections"
printf ',"run":%s,"jobsPerSecond":%s' "$(between "$time0" "$time1")" \\
  "$(awk -v jobs=${JOBS} -v seconds="$(between "$time1" "$time2")" 'BEGIN { printf "%.1f", jobs / seconds }')"
printf ',"joinCpu":%s,"runCpu":%s,"jobsCpu":%s,"megabytes":%s}\\n' "$cpu0" "$(between "$cpu0" "$cpu1")" \\
  "$(between "$cpu1" "$cpu2")" "$(awk '/^VmRSS/ { printf "%.1f", $2 / 1024 }' "/proc/$pid/status")"
`;

/** One topology in each network. `MATRIX=whole` has each topology in each network that it works in. */
function cases(size: number): Case[] {
    const flat = { size, topology: "custom", connections: size - 1 };
    const tree = { size, topology: "kary:16", connections: 16 };
    const routers = { size, topology: "mincrit:4", connections: 4 };
    const some = [
        { ...flat, network: Network.Service },
        { ...tree, network: Network.Dns },
        { ...routers, network: Network.Hosts },
    ];
    const others = [
        { ...flat, network: Network.Dns },
        { ...routers, network: Network.Dns },
        { ...flat, network: Network.Hosts },
        { ...tree, network: Network.Hosts },
    ];
    return process.env["MATRIX"] === "whole" ? [...some, ...others] : some;
}

describe("MiniCluster of many brokers", function () {
    this.timeout(900_000);
    const namespace = useNamespace();
    const measured: ({ readonly flux: number } & Record<string, unknown>)[] = [];

    /** Runs a cluster to the end of its command, and returns its outputs. */
    async function run(name: string, args: Omit<MiniClusterArgs, "image">) {
        const stack = namespace.stack(name, async () => {
            const { output, timings } = new MiniCluster(name, { image: namespace.image, launcher: true, ...args });
            return { output, timings };
        });
        // The cluster must not share the node with the end of the one before.
        const pods = async () => (await namespace.kube.core.listNamespacedPod({ namespace: namespace.name })).items;
        await until("no pods are left", async () => (await pods()).length === 0 || undefined, 300);
        const { outputs, seconds } = await stack.up();
        return { lines: (outputs.output as string).split("\n"), timings: outputs.timings, seconds };
    }

    for (const { connections, network, size, topology } of [64, 128].flatMap(cases)) {
        it(`runs on ${size} ranks with network ${network} and topology ${topology}`, async function () {
            if (topology.startsWith("mincrit") && measured.some(({ flux }) => flux < HAS_MINCRIT)) {
                this.skip();
            }
            const load = Math.round(loadavg()[0]);
            // DNS servers may still have the addresses of an earlier cluster of the same name.
            const { lines, seconds, timings } = await run(`${network}-${topology.replace(":", "-")}-${size}`, {
                size,
                network,
                broker: { topology },
                command: ["bash", "-c", MEASURE, "measure", String(size)],
            });
            const printed: Printed = JSON.parse(lines.find((line) => line.startsWith("{")) ?? "{}");
            const { ended, quorum, started } = timings;
            measured.push({ size, network, topology, started, quorum, ended, ...printed, up: seconds, load });
            writeFileSync(join(stateDir, "brokers.json"), JSON.stringify(measured, undefined, 4));
            assert.deepEqual(
                { connections: printed.connections, hosts: printed.hosts, tasks: printed.tasks },
                { connections, hosts: size, tasks: size },
            );
        });
    }

    it("forms a tree by default if it can have more than 256 ranks and these have names", async () => {
        const command = ["flux", "getattr", "tbon.topo"];
        const { lines } = await run("default-tree", {
            size: 2,
            minSize: 2,
            maxSize: 257,
            network: Network.Hosts,
            command,
        });
        assert(lines.includes("kary:128"), lines.join("\n"));
    });

    it("warns at preview if it is flat and can have more than 256 ranks", async () => {
        const stack = namespace.stack("large", async () => {
            new MiniCluster("large", { image: namespace.image, size: 2, maxSize: 257 });
        });
        const { events } = await stack.preview();
        const warnings = events.flatMap(({ diagnosticEvent: event }) =>
            event?.severity === "warning" ? [event.message] : [],
        );
        assert.match(warnings.join("\n"), /MiniCluster "large": network is "service", so up to 256 followers connect/);
    });

    after(() => console.table(measured));
});
