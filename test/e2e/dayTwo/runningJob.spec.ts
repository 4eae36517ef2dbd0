import assert from "node:assert/strict";

import * as kubernetes from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { FluxJob, type FluxJobArgs, Interrupt, MiniCluster } from "flux-minicluster";

import { run } from "../../../scripts/local/run";
import { changes } from "../support/changing";
import { useNamespace } from "../support/namespace";
import type { TestStack } from "../support/stack";
import { until } from "../support/until";

const COMMAND = ["sh", "-c", "until test -e /tmp/end; do sleep 0.2; done"];

describe("FluxJob that runs", () => {
    const namespace = useNamespace();
    let cluster: any;

    before(async () => {
        const stack = namespace.stack("cluster", async () => ({
            cluster: new MiniCluster("flux", { image: namespace.image, size: 2, restful: { enabled: false } }),
        }));
        cluster = (await stack.up()).outputs.cluster;
    });

    /** Flux' ids of the running jobs with a name. */
    async function running(name: string): Promise<string[]> {
        const words = ["flux", "jobs", "--filter=run", "-no", "{id.f58plain}", `--name=${name}`];
        const list = await namespace.exec("flux", words);
        return list.split("\n").filter((line) => line !== "");
    }

    const args = (more: Partial<FluxJobArgs> = {}): FluxJobArgs => ({
        cluster,
        command: COMMAND,
        wait: false,
        ...more,
    });

    /** Makes a stack whose job runs. Returns its id too. */
    async function start(name: string, program: pulumi.automation.PulumiFn, jobs = 1) {
        const stack = namespace.stack(name, program);
        await stack.up();
        const ids = await until("the job runs", async () => {
            const all = await running(name);
            return all.length === jobs ? all : undefined;
        });
        return { stack, ids };
    }

    /** Requires that an update fails with this text, and that the same jobs run. */
    async function refuses(act: () => Promise<unknown>, stack: TestStack, name: string, ids: string[], text: RegExp) {
        assert.match((await stack.fails(act)).text.replaceAll(/\s+/g, " "), text);
        assert.deepEqual(await running(name), ids);
    }

    it("isn't touched when Pulumi deletes a resource first that one of its arguments names", async () => {
        const program = { data: "one", byData: false };
        const { ids, stack } = await start("upstream", async () => {
            // A named ConfigMap is deleted before its replacement when its data change.
            const settings = new kubernetes.core.v1.ConfigMap("settings", {
                metadata: { name: "settings", namespace: namespace.name },
                data: { value: program.data },
            });
            const from = program.byData ? settings.data["value"] : settings.metadata.name;
            return { job: new FluxJob("upstream", args({ environment: { FROM: from } })) };
        });
        program.data = "two";
        const preview = await stack.preview();
        assert.match(changes(preview.events)["settings"], /replace/);
        assert.doesNotMatch(changes(preview.events)["upstream-submission"] ?? "", /replace/);
        await stack.up();
        assert.deepEqual(await running("upstream"), ids);
        program.byData = true;
        const text =
            /This change of environment cancels Flux job \w+ of MiniCluster e2e-\w+\/flux, which has been running/;
        await refuses(() => stack.preview(), stack, "upstream", ids, text);
        await refuses(() => stack.up(), stack, "upstream", ids, text);
        await stack.destroy();
        assert.deepEqual(await running("upstream"), []);
    });

    for (const array of [undefined, { count: 2 }]) {
        it(`${array ? "as an array " : ""}is only cancelled by a change, --replace or its removal if interrupt allows it`, async () => {
            const name = array ? "elements" : "single";
            const program: { jobs: Partial<FluxJobArgs>[] } = { jobs: [{ array }] };
            const { ids, stack } = await start(
                name,
                async () => ({ jobs: program.jobs.map((more) => new FluxJob(name, args(more))) }),
                array?.count,
            );
            const urn = stack.resources().find((resource) => resource.urn.endsWith(`${name}-submission`))!.urn;
            const what = array ? "of which 2 of 2 elements are running" : "which has been running for";
            program.jobs = [{ array, timeLimit: 600 }];
            // If the lead answers the diff too late, the deletion refuses it.
            const changed = new RegExp(
                `This (change of timeLimit cancels|update would cancel) .*, ${what}.* Wait until it ends, or set interrupt`,
            );
            await refuses(() => stack.up(), stack, name, ids, changed);
            program.jobs = [{ array }];
            const cancels = new RegExp(`This update would cancel .*, ${what}`);
            await refuses(() => stack.replace(urn), stack, name, ids, cancels);
            program.jobs = [];
            await refuses(() => stack.up(), stack, name, ids, /or cancel it with pulumi destroy --target\./);
            program.jobs = [{ array, interrupt: Interrupt.Allow }];
            await stack.up();
            assert.deepEqual(await running(name), ids);
            program.jobs = [];
            await stack.up();
            assert.deepEqual(await running(name), []);
        });
    }

    it("keeps its job and name when it is renamed by an alias, or moved under a parent", async () => {
        const program: { make: () => FluxJob } = { make: () => new FluxJob("first", args()) };
        const { ids, stack } = await start("first", async () => ({ job: program.make() }));
        const urn = stack.resources().find((resource) => resource.urn.endsWith("FluxJob::first"))!.urn;
        const unchanged = async (make: () => FluxJob) => {
            program.make = make;
            const { events } = await stack.preview();
            const { group: _group, ...others } = changes(events);
            assert.deepEqual(others, {});
            const { outputs } = await stack.up();
            assert.equal(outputs.job.jobId, ids[0]);
            assert.deepEqual(await running("first"), ids);
        };
        await unchanged(() => new FluxJob("second", args(), { aliases: [{ name: "first" }] }));
        await unchanged(() => new FluxJob("third", args(), { aliases: [urn.replace(/first$/, "second")] }));
        await unchanged(() => {
            const parent = new pulumi.ComponentResource("test:index:Group", "group");
            return new FluxJob("third", args(), { parent, aliases: [{ parent: pulumi.rootStackResource }] });
        });
    });

    it("keeps its job when `pulumi state rename` renames the FluxJob and its children", async () => {
        const program = { name: "before" };
        const { ids, stack } = await start("before", async () => ({ job: new FluxJob(program.name, args()) }));
        const { name, workspace } = await stack.open();
        const { envVars, pulumiCommand, workDir } = workspace;
        for (const part of ["-submission", "-ticket", ""]) {
            const { urn } = stack.resources().find((resource) => resource.urn.endsWith(`::before${part}`))!;
            const words = ["state", "rename", urn, `after${part}`, "--yes", "--stack", name];
            await run(pulumiCommand.command, words, { cwd: workDir, env: { ...process.env, ...envVars } });
        }
        program.name = "after";
        await stack.preview(true);
        await stack.up(true);
        assert.deepEqual(await running("before"), ids);
    });
});
