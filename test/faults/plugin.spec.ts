import assert from "node:assert/strict";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";

import { MiniCluster } from "flux-minicluster";

import { languageToolchain } from "../../scripts/local/languages";
import { plugin, root } from "../../scripts/local/paths";
import { pluginArchive } from "../../scripts/local/pluginArchive";
import { run } from "../../scripts/local/run";
import type { Toolchain } from "../../scripts/local/toolchain";
import { useLanguage } from "../e2e/support/languages";
import { useNamespace } from "../e2e/support/namespace";
import { operations, type Program } from "../e2e/support/stack";
import { version } from "../../plugin/schema";

describe("ways in which Pulumi finds the provider plugin", function () {
    this.timeout(1_200_000);
    const namespace = useNamespace();
    let folder: string;
    let tools: Toolchain;

    before(async () => {
        folder = mkdtempSync(join(tmpdir(), "flux-minicluster-e2e-"));
        tools = await languageToolchain();
    });
    after(() => rmSync(folder, { recursive: true, force: true }));

    const quickstart = (environment: Record<string, string>): Program => ({
        dir: join(root, "examples/yaml/quickstart"),
        host: { settings: { runtime: { name: "yaml" } }, environment: { ...tools.env, ...environment } },
    });

    async function preview(name: string, program: Program): Promise<void> {
        const { events } = await namespace.stack(name, program, { image: namespace.image }).preview();
        assert.equal(operations(events)["hello-job"], "create");
    }

    it("finds it on PATH", async () => {
        const PATH = [plugin.path, tools.env["PATH"]].join(delimiter);
        await preview("path", quickstart({ PATH }));
    });

    it("finds it after `pulumi plugin install --file`", async () => {
        const PULUMI_HOME = join(folder, "home");
        cpSync(tools.env["PULUMI_HOME"] ?? "", PULUMI_HOME, { recursive: true, verbatimSymlinks: true });
        const archive = await pluginArchive(join(folder, "archives"));
        const install = ["plugin", "install", "resource", plugin.name, version(), "--file", archive];
        await run(tools.pulumi, install, { env: { ...process.env, ...tools.env, PULUMI_HOME } });
        await preview("installed", quickstart({ PULUMI_HOME }));
    });

    it("finds it by the path of its program, for the commands that make an SDK", async () => {
        const program = join(plugin.path, "pulumi-resource-flux-minicluster");
        const text = await run(tools.pulumi, ["package", "get-schema", program], {
            env: { ...process.env, ...tools.env },
        });
        const { name, resources } = JSON.parse(text) as { name: string; resources: object };
        assert.equal(name, plugin.name);
        assert.deepEqual(Object.keys(resources).length, 2);
    });
});

describe("existing MiniCluster", () => {
    const namespace = useNamespace();
    const program = useLanguage("yaml", join(root, "test/faults/programs/yaml"));

    it("is read by a program that doesn't own it, which changes nothing", async () => {
        const owner = namespace.stack("owner", async () => ({
            uid: new MiniCluster("flux", { image: namespace.image, restful: { enabled: false } }).uid,
        }));
        const { uid } = (await owner.up()).outputs;
        const config = { name: "flux", namespace: namespace.name };
        const reader = namespace.stack("reader", program("existing"), config);
        const { outputs } = await reader.up();
        const { name } = namespace;
        assert.deepEqual(outputs["found"], { name: "flux", namespace: name, uid, size: 1, ready: 1, phase: "ready" });
        await reader.up(true);
        await reader.destroy();
        await owner.unchanged();
    });
});
