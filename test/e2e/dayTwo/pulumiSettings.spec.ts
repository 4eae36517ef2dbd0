import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { promisify } from "node:util";

import { changes, ChangingCluster } from "../support/changing";
import { useNamespace } from "../support/namespace";

/** How Pulumi's settings reach a cluster that runs: the rows of docs/pulumi-limits.md. */
describe("MiniCluster under Pulumi's settings", () => {
    const namespace = useNamespace();
    let cluster: ChangingCluster;
    let job: string | undefined;
    let revision = 0;
    const opts = { protect: false };

    const urnOf = (end: string) => String(cluster.stack.resources().find(({ urn }) => urn.endsWith(end))?.urn);
    const whole = () => urnOf("MiniCluster::settings");
    const note = async () => (await cluster.job()).metadata?.annotations?.["note"];
    /** Changes an annotation of the Job. Returns its value. */
    const change = () => {
        const value = String(++revision);
        cluster.set({ annotations: { note: value } });
        return value;
    };
    type Options = Parameters<Awaited<ReturnType<typeof cluster.stack.open>>["up"]>[0];
    const up = (options: Options) =>
        cluster.stack.run((stack, onEvent, onOutput) => stack.up({ onEvent, onOutput, ...options }));

    /** Runs a command of Pulumi that the Automation API doesn't have. */
    async function pulumi(...words: readonly string[]): Promise<void> {
        const { name, workspace } = await cluster.stack.open();
        const { envVars, pulumiCommand, workDir } = workspace;
        const options = { cwd: workDir, env: { ...process.env, ...envVars } };
        try {
            await promisify(execFile)(pulumiCommand.command, [...words, "--stack", name], options);
        } catch (error) {
            const { stderr, stdout } = error as { readonly stderr: string; readonly stdout: string };
            throw new Error(`${stdout}\n${stderr}`, { cause: error });
        }
    }

    before(async () => {
        cluster = new ChangingCluster(namespace, "settings", { size: 1 }, opts);
        await cluster.stack.up();
        job = cluster.knownUid();
    });

    afterEach(() => assert.equal(cluster.knownUid(), job, "the Job has been replaced"));

    it("changes nothing of the cluster by --target without --target-dependents", async () => {
        const before = await note();
        change();
        const { events } = await up({ target: [whole()] });
        assert.deepEqual(changes(events), {});
        assert.equal(await note(), before);
    });

    it("is changed as a whole by --target with --target-dependents", async () => {
        const value = change();
        const { events } = await up({ target: [whole()], targetDependents: true });
        assert.equal(changes(events)["settings-job"], "update");
        assert.equal(await note(), value);
        await cluster.assertSettled();
    });

    it("isn't deleted by destroy with --target and without --target-dependents", async () => {
        const destroy = () =>
            cluster.stack.run((stack, onEvent, onOutput) => stack.destroy({ onEvent, onOutput, target: [whole()] }));
        assert.match((await cluster.stack.fails(destroy)).text, /pass --target-dependents to proceed/);
        await cluster.assertSettled();
    });

    it("keeps the Job in an update with --exclude of the Job", async () => {
        const before = await note();
        change();
        await up({ exclude: [urnOf("::settings-job")] });
        assert.equal(await note(), before);
    });

    it("keeps the whole cluster in an update with --exclude and --exclude-dependents", async () => {
        const before = await note();
        change();
        const { events } = await up({ exclude: [whole()], excludeDependents: true });
        assert.deepEqual(changes(events), {});
        assert.equal(await note(), before);
    });

    it("is refreshed before each update with the option refresh of Pulumi.yaml", async () => {
        const { workspace } = await cluster.stack.open();
        const settings = await workspace.projectSettings();
        const always = { ...settings, options: { refresh: "always" } };
        await workspace.saveProjectSettings(always);
        const value = change();
        await cluster.stack.up();
        assert.equal(await note(), value);
        await cluster.stack.preview(true);
        await workspace.saveProjectSettings(settings);
    });

    it("is refused in the preview without the default provider of dynamic resources", async () => {
        const stack = await cluster.stack.open();
        const key = "pulumi:disable-default-providers";
        for (const packages of ["*", "pulumi-nodejs"]) {
            await stack.setConfig(key, { value: JSON.stringify([packages]) });
            const { text } = await cluster.stack.fails("preview");
            assert.match(text, /Default provider for '(kubernetes|pulumi-nodejs)' disabled/);
        }
        await stack.removeConfig(key);
    });

    it("can't be imported", async () => {
        const { id = "", type } = cluster.child("job") ?? {};
        await assert.rejects(
            pulumi("import", String(type), "imported", id, "--yes"),
            /Preview failed: code must be a string, not undefined/,
        );
        await cluster.assertSettled();
    });

    it("stays as it is if another provider encrypts the state", async () => {
        const { workspace } = await cluster.stack.open();
        workspace.envVars["PULUMI_CONFIG_PASSPHRASE"] = "another";
        await pulumi("stack", "change-secrets-provider", "passphrase");
        await cluster.stack.unchanged();
        const value = change();
        await cluster.stack.up();
        assert.equal(await note(), value);
        await cluster.assertSettled();
    });

    it("isn't deleted while protect keeps it, nor are its children", async () => {
        opts.protect = true;
        await cluster.stack.up();
        const failure = await cluster.stack.fails("destroy");
        assert.match(failure.text, /settings-(?:job|status)\S* cannot be deleted\s+because it is protected/);
        await cluster.assertSettled();
        opts.protect = false;
        await cluster.stack.up();
    });

    it("is deleted as a whole by destroy with --target and --target-dependents", async () => {
        const target = [whole()];
        await cluster.stack.run((stack, onEvent, onOutput) =>
            stack.destroy({ onEvent, onOutput, target, targetDependents: true }),
        );
        assert.equal(await cluster.liveJob(), undefined);
        assert.deepEqual(
            cluster.stack.resources().filter(({ urn }) => urn.includes("MiniCluster")),
            [],
        );
        job = undefined;
    });
});
