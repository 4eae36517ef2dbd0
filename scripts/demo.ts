import { join } from "node:path";
import { createInterface } from "node:readline";

import { exitCode, runVisibly, start } from "./local/child";
import { compile } from "./compile";
import { toolsDir } from "./local/cluster/tools";
import { fluxImage, giveImage } from "./local/fluxImage";
import { standinImage } from "./local/images";
import { nodeBinDir, root } from "./local/paths";
import { buildPrograms } from "./local/programs";
import { chooseTarget, type Target } from "./local/target";
import { toolchain } from "./local/toolchain";
import { describeEnd, readWishes } from "./nextSteps";
import { announceDemo, isOwn } from "./plan";

/** The stack of each kind of demo. A persistent cluster has its own, so that a demo with a command doesn't remove it. */
const STACKS = { ephemeral: "demo", persistent: "demo-persistent" };

/** The Kubernetes plugin says this in the row of each Service, for which the package doesn't want it to wait. */
const NOISE = /Skipping await logic/;

type Pulumi = (...args: string[]) => Promise<void>;

/** Runs the program that Pulumi.yaml at the root names, on a cluster. */
export async function demo(): Promise<void> {
    const wishes = readWishes(process.env);
    await announceDemo();
    const { target, image } = await provide();
    const pulumi = await pulumiOn(target);
    const stack = wishes.command === undefined ? STACKS.persistent : STACKS.ephemeral;
    const config = {
        image,
        size: String(wishes.size),
        ...(wishes.command && { command: JSON.stringify(wishes.command) }),
    };
    await pulumi("stack", "select", "--create", stack);
    const values = Object.entries(config).flatMap(([key, value]) => ["--config", `${key}=${value}`]);
    await pulumi("up", "--yes", "--skip-preview", "--stack", stack, ...values);
    console.log(describeEnd(wishes, { isOwn: isOwn(process.env), isStandin: image === standinImage }));
}

export async function demoDown(): Promise<void> {
    const pulumi = await pulumiOn(await chooseTarget());
    for (const stack of Object.values(STACKS)) {
        await pulumi("stack", "select", "--create", stack);
        await pulumi("destroy", "--yes", "--skip-preview", "--stack", stack);
        await pulumi("stack", "rm", "--yes", stack);
    }
}

/** Prints the variables with which a shell finds the demo's Pulumi, state and cluster, for `eval "$(make env)"`. */
export async function printEnvironment(): Promise<void> {
    const target = await chooseTarget();
    const { env } = await toolchain();
    const { PATH, ...others } = { ...env, ...pulumiEnvironment(target) };
    const added = [...(isOwn(process.env) ? [toolsDir] : []), ...(PATH ?? "").split(":")];
    const known = new Set(process.env["PATH"]?.split(":"));
    const path = [...added.filter((folder) => !known.has(folder) || folder === nodeBinDir), "$PATH"].join(":");
    const lines = Object.entries(others).map(([name, value]) => `export ${name}='${value?.replaceAll("'", "'\\''")}'`);
    console.log([`export PATH="${path}"`, ...lines].join("\n"));
}

/** Runs the measurements, on the same kinds of cluster as the demo. */
export async function bench(): Promise<boolean> {
    const { target, image } = await provide();
    const { env } = await toolchain();
    const environment = { ...env, ...pulumiEnvironment(target), FLUX_IMAGE: image };
    return runVisibly(join(nodeBinDir, "tsx"), [join(root, "test", "bench", "main.ts")], environment);
}

/** Provides the cluster, the name of its image with Flux, and the compiled package. */
async function provide(): Promise<{ readonly target: Target; readonly image: string }> {
    // The build waits for downloads and links with one core, so there is time beside it.
    const beside = Promise.all([fluxImage(), compile()]);
    beside.catch(() => undefined);
    if (isOwn(process.env)) {
        await buildPrograms();
    }
    const target = await chooseTarget();
    const [image] = await beside;
    await giveImage(image, target);
    return { target, image: image.name };
}

async function pulumiOn(target: Target): Promise<Pulumi> {
    const { pulumi, env } = await toolchain();
    const environment = { ...env, ...pulumiEnvironment(target) };
    return async (...args) => {
        if (!(await runWithoutNoise(pulumi, ["--non-interactive", ...args], environment))) {
            throw new Error(`pulumi ${args.join(" ")} failed.`);
        }
    };
}

/** The state is in a local folder without a passphrase, so Pulumi needs no login and no input. */
const pulumiEnvironment = (target: Target): NodeJS.ProcessEnv => ({
    KUBECONFIG: target.kubeconfig,
    PULUMI_BACKEND_URL: `file://${target.backend}`,
    PULUMI_CONFIG_PASSPHRASE: "",
});

/** Runs a program that prints to the terminal, without the lines that tell nothing; true if it succeeded. */
async function runWithoutNoise(
    command: string,
    args: readonly string[],
    environment: NodeJS.ProcessEnv,
): Promise<boolean> {
    const color = process.stdout.isTTY ? ["--color", "always"] : [];
    const child = start(command, [...color, ...args], environment, { stdio: ["ignore", "pipe", "inherit"] });
    const lines = createInterface({ input: child.stdout! });
    lines.on("line", (line) => NOISE.test(line) || console.log(line));
    return (await exitCode(child)) === 0;
}
