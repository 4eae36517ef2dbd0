import { binaries } from "./local/binaries";
import { clusterDown, clusterStatus, clusterUp, importArchive } from "./local/cluster";
import { changeNodes, describeNodes } from "./local/cluster/nodes/command";
import { toolsDir } from "./local/cluster/tools";
import { kubectl } from "./local/pieces";
import { bench, demo, demoDown, printEnvironment } from "./demo";
import { dryRun } from "./release/dryRun";
import { docs } from "./site";
import { runConformance, runE2e, runTests, runUnit } from "./tests";
import { LOADABLE, runUnderLoads } from "./tests/load";

/** The commands of the Makefile. A command returns false if it has failed and its own output gives the reason. */
const commands: Readonly<Record<string, (words: readonly string[]) => Promise<boolean | void>>> = {
    up,
    status,
    import: ([archive = ""]) => importArchive(archive),
    nodes: changeNodes,
    "build-kubectl": async () => console.log(await binaries(kubectl)),
    down: clusterDown,
    demo,
    "demo-down": demoDown,
    env: printEnvironment,
    bench,
    docs,
    test: runTests,
    unit: runUnit,
    conformance: runConformance,
    e2e: () => runE2e("e2e"),
    "test-faults": () => runE2e("faults"),
    "release-dry-run": () => dryRun(process.env["RELEASE"] || undefined, console.log),
};

async function up(): Promise<void> {
    const { kubeconfig } = await clusterUp();
    console.log(`KUBECONFIG=${kubeconfig}\nkubectl and ctr for this cluster: ${toolsDir}`);
}

async function status(): Promise<void> {
    const { made, nodes, servers } = clusterStatus();
    if (!made) {
        console.log("There is no cluster.");
    }
    for (const [server, pid] of Object.entries(servers)) {
        console.log(`${server}: ${pid === undefined ? "has ended" : `process ${pid}`}`);
    }
    console.log(describeNodes(nodes));
}

async function main(name = "", ...words: readonly string[]): Promise<boolean> {
    const command = commands[name];
    if (command === undefined) {
        throw new Error(`usage: cli.ts ${Object.keys(commands).join("|")}`);
    }
    if (process.env["LOAD"] && LOADABLE.includes(name)) {
        return runUnderLoads(name, process.env);
    }
    return (await command(words)) !== false;
}

main(...process.argv.slice(2)).then(
    (succeeded) => {
        process.exitCode = succeeded ? 0 : 1;
    },
    (error: Error) => {
        console.error(process.env["DEBUG"] ? error : error.message);
        process.exitCode = 1;
    },
);
