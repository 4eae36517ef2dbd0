import { join } from "node:path";

import { runVisibly } from "./local/child";
import { compile } from "./compile";
import { fluxImage, giveImage } from "./local/fluxImage";
import { nodeBinDir, root } from "./local/paths";
import { announceDemo, isOwn } from "./plan";
import { buildPrograms } from "./local/programs";
import { chooseTarget, type Target } from "./local/target";
import { toolchain } from "./local/toolchain";

const stack = "demo";

type Pulumi = (...args: string[]) => Promise<void>;

/** Runs the program that Pulumi.yaml at the root names, on a cluster. */
export async function demo(): Promise<void> {
    await announceDemo();
    const { target, image } = await provide();
    const pulumi = await pulumiOn(target);
    await pulumi("stack", "select", "--create", stack);
    await pulumi("up", "--yes", "--skip-preview", "--stack", stack, "--config", `image=${image}`);
    await pulumi("stack", "output", "--stack", stack);
}

export async function demoDown(): Promise<void> {
    const pulumi = await pulumiOn(await chooseTarget());
    await pulumi("stack", "select", "--create", stack);
    await pulumi("destroy", "--yes", "--skip-preview", "--stack", stack);
    await pulumi("stack", "rm", "--yes", stack);
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
        if (!(await runVisibly(pulumi, ["--non-interactive", ...args], environment))) {
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
