import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { type LocalWorkspace, Stack } from "@pulumi/pulumi/automation";

import { root } from "../../scripts/local/paths";
import { run } from "../../scripts/local/run";
import { ChangingCluster } from "../e2e/support/changing";
import { FaultProxy } from "../e2e/support/faultProxy";
import { useNamespace } from "../e2e/support/namespace";
import type { TestStack } from "../e2e/support/stack";
import { ShortTokens } from "./support/shortTokens";

describe("MiniCluster with expired credentials in its state", () => {
    const namespace = useNamespace();
    let cluster: ChangingCluster;

    before(async () => {
        const tokens = await ShortTokens.make(namespace);
        const kubeconfig = await tokens.kubeconfig("first");
        cluster = new ChangingCluster(namespace, "expired", { kubeconfig });
        await cluster.stack.up();
        await tokens.end("first");
    });

    it("completes a refresh", () => cluster.stack.refresh());

    it("completes a destroy and leaves nothing", async () => {
        await cluster.stack.destroy();
        await namespace.assertNothingLeft((object) => object.includes("expired"));
    });
});

describe("MiniCluster and FluxJob whose program gives new credentials in place of expired ones", () => {
    const namespace = useNamespace();
    let stack: TestStack;

    before(async () => {
        const tokens = await ShortTokens.make(namespace);
        const file = `${namespace.kubeconfig}.given`;
        writeFileSync(file, await tokens.kubeconfig("first"));
        // The environment has no credentials that could help.
        namespace.kubeconfig = `${namespace.kubeconfig}.none`;
        const dir = join(root, "test", "faults", "programs", "nodejs", "credentials");
        stack = namespace.stack("given", { dir }, { file, image: namespace.image });
        assert.equal((await stack.up()).outputs["output"], "done\n");
        await tokens.end("first");
        writeFileSync(file, await tokens.kubeconfig("second"));
    });

    it("complete a refresh with --run-program", () =>
        stack.run((of, onEvent, onOutput) => of.refresh({ onEvent, onOutput, runProgram: true })));

    it("complete a destroy with --run-program, and leave nothing", async () => {
        await stack.run((of, onEvent, onOutput) => of.destroy({ onEvent, onOutput, runProgram: true }));
        assert.deepEqual(stack.resources(), []);
        await namespace.assertNothingLeft((object) => object.includes("given"));
    });
});

describe("MiniCluster in an unreachable Kubernetes cluster", () => {
    const namespace = useNamespace();
    const name = "PULUMI_K8S_DELETE_UNREACHABLE";

    afterEach(() => {
        delete process.env[name];
    });

    it("can be destroyed only with PULUMI_K8S_DELETE_UNREACHABLE", async () => {
        const proxy = await FaultProxy.start(namespace.kubeconfig);
        namespace.kubeconfig = proxy.kubeconfig;
        const cluster = new ChangingCluster(namespace, "lost", {});
        await cluster.stack.up();
        await proxy.away();
        const { text } = await cluster.stack.fails("destroy");
        assert.match(text, /can't be (read|deleted).*ECONNREFUSED/);
        process.env[name] = "true";
        await cluster.stack.destroy();
        assert.deepEqual(cluster.stack.resources(), []);
        await proxy.close();
    });
});

describe("running MiniCluster", () => {
    const namespace = useNamespace();

    it("moves to another stack, and only its lead Service gets the name of that stack, as docs/troubleshooting.md says", async () => {
        const cluster = new ChangingCluster(namespace, "moved", {});
        await cluster.stack.up();
        const [uid, pods] = [await cluster.uid(), await cluster.podUids()];
        const { workspace } = await cluster.stack.open();
        const other = await Stack.createOrSelect("elsewhere", workspace);
        const { urn = "" } =
            cluster.stack.resources().find(({ type }) => type === "flux-minicluster:index:MiniCluster") ?? {};
        const move = ["state", "move", "--source", "moved", "--dest", "elsewhere", "--yes", urn];
        const { envVars } = workspace as LocalWorkspace;
        await run("pulumi", move, { cwd: workspace.workDir, env: { ...process.env, ...envVars } });
        const { summary } = await other.up();
        assert.deepEqual([summary.resourceChanges?.update, summary.resourceChanges?.replace], [1, undefined]);
        await other.up({ expectNoChanges: true });
        await other.refresh({ expectNoChanges: true });
        assert.equal(await cluster.uid(), uid);
        assert.deepEqual(await cluster.podUids(), pods);
        await other.destroy();
        await namespace.assertNothingLeft((object) => object.includes("/moved"));
    });
});
