import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { TestStack } from "./stack";

/** Not "nodejs": see PolicyPack. */
const RUNTIME = "nodejs-by-script";

/**
 * A policy pack in TypeScript. The engine starts a pack by its language host, and the latest nodejs language host that can
 * be built from a Go module can't do that. So this gives the engine a copy of the pack's settings with an unknown runtime,
 * for which it starts the plugin `pulumi-analyzer-policy-RUNTIME`. It runs the SDK's own program for packs, and the engine
 * speaks its analyzer protocol with it.
 */
export class PolicyPack {
    readonly folder = mkdtempSync(join(tmpdir(), "policy-"));

    constructor(pack: string, settings: object) {
        const script = require.resolve("@pulumi/pulumi/cmd/run-policy-pack");
        const plugin = join(this.folder, "plugin");
        mkdirSync(plugin);
        writeFileSync(join(this.folder, "PulumiPolicy.yaml"), `runtime: ${RUNTIME}\n`);
        writeFileSync(join(this.folder, "settings.json"), JSON.stringify(settings));
        writeFileSync(
            join(plugin, `pulumi-analyzer-policy-${RUNTIME}`),
            `#!/bin/sh\ncd "${pack}" && exec "${process.execPath}" "${script}" "$1" .\n`,
            { mode: 0o755 },
        );
    }

    /** Runs a preview of the stack with this pack. */
    preview(stack: TestStack) {
        return stack.run(async (opened, onEvent, onOutput) => {
            const { workspace } = opened;
            const settings = await workspace.projectSettings();
            const analyzers = [{ name: `policy-${RUNTIME}`, path: join(this.folder, "plugin") }];
            await workspace.saveProjectSettings(
                Object.assign(settings, { plugins: { ...(settings as { plugins?: object }).plugins, analyzers } }),
            );
            return opened.preview({
                policyPacks: [this.folder],
                policyPackConfigs: [join(this.folder, "settings.json")],
                onEvent,
                onOutput,
            });
        });
    }
}
