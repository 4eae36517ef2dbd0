import { clusterDown, clusterStatus, clusterUp } from "./local/cluster";
import { toolsDir } from "./local/cluster/tools";
import { bench, demo, demoDown } from "./demo";
import { runConformance, runE2e, runTests, runUnit } from "./tests";

/** The commands of the Makefile. A command returns false if it has failed and its own output gives the reason. */
const commands: Readonly<Record<string, () => Promise<boolean | void>>> = {
    up,
    status,
    down: clusterDown,
    demo,
    "demo-down": demoDown,
    bench,
    test: runTests,
    unit: runUnit,
    conformance: runConformance,
    e2e: () => runE2e("e2e"),
    "test-faults": () => runE2e("faults"),
};

async function up(): Promise<void> {
    const { kubeconfig } = await clusterUp();
    console.log(`KUBECONFIG=${kubeconfig}\nkubectl and ctr for this cluster: ${toolsDir}`);
}

async function status(): Promise<void> {
    const { made, servers } = clusterStatus();
    if (!made) {
        console.log("There is no cluster.");
    }
    for (const [server, pid] of Object.entries(servers)) {
        console.log(`${server}: ${pid === undefined ? "has ended" : `process ${pid}`}`);
    }
}

async function main(name = ""): Promise<boolean> {
    const command = commands[name];
    if (command === undefined) {
        throw new Error(`usage: cli.ts ${Object.keys(commands).join("|")}`);
    }
    return (await command()) !== false;
}

main(process.argv[2]).then(
    (succeeded) => {
        process.exitCode = succeeded ? 0 : 1;
    },
    (error: Error) => {
        console.error(process.env["DEBUG"] ? error : error.message);
        process.exitCode = 1;
    },
);
