import http from "node:http";
import https from "node:https";
import { availableParallelism } from "node:os";
import { createInterface } from "node:readline/promises";

import { unbuilt } from "./local/binaries";
import type { Piece } from "./local/pieces";
import { findProgram } from "./local/program";
import { allPieces } from "./local/programs";
import { readContexts, type UserContext } from "./local/target";
import { installedPulumi, toolchainPieces } from "./local/toolchain";

/** Seconds within which an API server must answer; otherwise its cluster is not offered. */
const PATIENCE = 2;

/** The steps of a demo. */
export interface Plan {
    /** Programs that are built first; empty if all of them exist. */
    readonly builds: readonly Piece[];
    readonly cluster: string;
    /** Path of an installed Pulumi. */
    readonly pulumi: string | undefined;
}

/** Prints the steps of the demo and their duration. Before a long build, it offers clusters that already exist. */
export async function announceDemo(environment: NodeJS.ProcessEnv = process.env): Promise<void> {
    const plan = await makePlan(environment);
    console.log(describePlan(plan, availableParallelism()));
    const offers = plan.builds.length === 0 || !isOwn(environment) ? [] : await findOffers();
    if (offers.length > 0) {
        console.log(["Without building Kubernetes:", ...offers.map((offer) => `  ${offer}`)].join("\n"));
        await confirm("Press Enter to build, or Ctrl-C to choose one of these. ");
    }
}

/** True if the demo uses the local cluster. */
export function isOwn({ CLUSTER }: NodeJS.ProcessEnv): boolean {
    return !CLUSTER || CLUSTER === "own";
}

async function makePlan(environment: NodeJS.ProcessEnv): Promise<Plan> {
    const { CLUSTER, CONTEXT } = environment;
    const names = { kind: "the kind cluster flux-minicluster", current: `your cluster, context ${CONTEXT}` };
    return {
        builds: await unbuilt(isOwn(environment) ? allPieces() : toolchainPieces()),
        cluster: isOwn(environment)
            ? "this folder's local Kubernetes"
            : (names[CLUSTER as keyof typeof names] ?? `CLUSTER=${CLUSTER}`),
        pulumi: installedPulumi(),
    };
}

/** Describes a plan in one line. */
export function describePlan({ builds, cluster, pulumi }: Plan, cores: number): string {
    const engine = pulumi === undefined ? "a Pulumi that is built here" : `the Pulumi at ${pulumi}`;
    const run = `it runs a MiniCluster on ${cluster} with ${engine}: about a minute.`;
    if (builds.length === 0) {
        return `make demo: no program has to be built; ${run}`;
    }
    const seconds = builds.reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0);
    const minutes = Math.max(1, Math.round(seconds / cores / 60));
    const names = builds.map(({ name }) => name).join(", ");
    const cost = `about ${minutes} min on ${cores} cores, once for this machine, and needs 7 GB of disk`;
    return `make demo: builds ${names} from Go modules, ${cost}; then ${run}`;
}

/** Existing clusters on which the demo can run, with the command for each. */
async function findOffers(): Promise<string[]> {
    const kind = findProgram("kind") === undefined ? [] : ["CLUSTER=kind make demo (kind is installed)"];
    const contexts = await readContexts();
    const answers = await Promise.all(contexts.map(isReachable));
    const reachable = contexts.filter((_, index) => answers[index]);
    return [
        ...kind,
        ...reachable.map(({ name, server }) => `CLUSTER=current CONTEXT=${name} make demo (${server} answers)`),
    ];
}

/** True if a server gives any answer. No credentials are sent, so its certificate doesn't matter. */
export function isReachable({ server }: UserContext): Promise<boolean> {
    const { request } = server.startsWith("https:") ? https : http;
    return new Promise((resolve) => {
        const asked = request(new URL("/version", server), {
            rejectUnauthorized: false,
            signal: AbortSignal.timeout(PATIENCE * 1000),
        });
        asked.once("response", (response) => {
            response.destroy();
            resolve(true);
        });
        asked.once("error", () => resolve(false));
        asked.end();
    });
}

/** Waits for Enter if standard input and output are a terminal. */
async function confirm(question: string): Promise<void> {
    if (!process.stdin.isTTY || !process.stdout.isTTY) {
        return;
    }
    const lines = createInterface({ input: process.stdin, output: process.stdout });
    await lines.question(question);
    lines.close();
}
