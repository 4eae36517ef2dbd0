import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { LocalWorkspace, PulumiCommand, type PulumiFn, type Stack } from "@pulumi/pulumi/automation";

/** A stack of its own, with its backend in a folder that is removed with it. */
export async function withStack<T>(name: string, program: PulumiFn, action: (stack: Stack) => Promise<T>): Promise<T> {
    const folder = mkdtempSync(join(tmpdir(), "flux-minicluster-bench-"));
    const backend = join(folder, "backend");
    mkdirSync(backend);
    const envVars = {
        PULUMI_AUTOMATION_API_SKIP_VERSION_CHECK: "true",
        PULUMI_BACKEND_URL: `file://${backend}`,
        PULUMI_CONFIG_PASSPHRASE: "",
    };
    const pulumiCommand = await PulumiCommand.get({ skipVersionCheck: true });
    const options = { workDir: folder, envVars, secretsProvider: "passphrase", pulumiCommand };
    try {
        const stack = await LocalWorkspace.createStack({ stackName: name, projectName: "bench", program }, options);
        try {
            return await action(stack);
        } finally {
            await stack.destroy();
        }
    } finally {
        rmSync(folder, { recursive: true, force: true });
    }
}

/** Seconds that an action takes. */
export async function seconds(action: () => Promise<unknown>): Promise<number> {
    const started = performance.now();
    await action();
    return (performance.now() - started) / 1000;
}
