import assert from "node:assert/strict";
import { join } from "node:path";

import { root } from "../../scripts/local/paths";
import { outputsOf } from "../e2e/support/checkpoint";
import { actionOf, FaultProxy } from "../e2e/support/faultProxy";
import { useNamespace } from "../e2e/support/namespace";
import type { TestStack } from "../e2e/support/stack";
import { type CoreOperation, coreCases } from "./support/coreCases";
import { alternate, meetAll, record, type Result } from "./support/matrix";
import { ClusterSubject } from "./support/subjects";
import { VersionedCluster } from "./support/versionedCluster";
import { type VersionedPrograms, versionedPrograms } from "./support/versionedPulumi";
import { nodeFolder } from "./support/npmFolder";
import { describeVersions, NEWEST, OLDEST, SETS, TOO_OLD_NODE, type Versions } from "./support/versions";
import { keepVersions } from "./support/versionsPage";

const QUICKSTART = join(root, "examples", "quickstart");
const SERVICE = join(root, "test", "faults", "programs", "nodejs", "service");

for (const [name, versions] of Object.entries(SETS)) {
    describe(`${name}: ${describeVersions(versions)}`, function () {
        this.timeout(0);
        const namespace = useNamespace();
        let programs: VersionedPrograms;
        let subject: ClusterSubject;

        before(async () => {
            programs = await versionedPrograms(versions);
            const proxy = await FaultProxy.start(namespace.kubeconfig);
            subject = new ClusterSubject(namespace, "versions", proxy, (args) =>
                VersionedCluster.make(programs, namespace, "versions", args),
            );
        });
        after(() => subject.proxy.close());

        it("runs the quickstart in these versions, and leaves nothing", async () => {
            const dir = programs.program("quickstart", QUICKSTART);
            const stack = namespace.stack("quickstart", { dir, host: programs.host }, { image: namespace.image });
            const { outputs } = await stack.up();
            assert.equal(outputs.exitCode, 0);
            assert.deepEqual(outputs.output.trim().split("\n").sort(), ["hello-0", "hello-1", "hello-2", "hello-3"]);
            await stack.up(true);
            await stack.refresh(true);
            await stack.destroy();
            await namespace.assertNothingLeft((object) => /\/hello(-|$)/.test(object));
            keepVersions(name, "quickstart", []);
        });

        it("recovers after an interruption of a create and of a destroy", async () => {
            const creation = await record(subject, "create");
            await assertVersions(subject.stack, versions);
            const creates = coreCases("create", creation);
            const destroys = coreCases("destroy", await record(subject, "destroy"));
            const results = await meetAll(subject, alternate(destroys, creates));
            judge("create", results);
            judge("destroy", results);
        });

        for (const operation of ["update", "replacement"] as const) {
            it(`recovers after an interruption of the ${operation}`, async () => {
                judge(operation, await meetAll(subject, coreCases(operation, await record(subject, operation))));
            });
        }

        function judge(operation: CoreOperation, all: readonly Result[]): void {
            const results = all.filter((result) => result.operation === operation);
            keepVersions(name, operation, results);
            assert(results.length > 0, `the ${operation} was not interrupted`);
            assert.deepEqual(
                results.flatMap(({ failure }) => failure ?? []),
                [],
            );
        }
    });
}

describe("the build of the Kubernetes plugin that creates by POST like 4.29 and later", function () {
    this.timeout(600_000);
    const namespace = useNamespace();

    for (const [upsert, action] of [
        ["false", "POST"],
        ["true", "PATCH"],
    ] as const) {
        it(`creates by ${action} if PULUMI_K8S_UPSERT_EXISTING_OBJECTS is ${upsert}, and updates by PATCH`, async () => {
            const { host, program } = await versionedPrograms(NEWEST);
            const environment = { ...host.environment, PULUMI_K8S_UPSERT_EXISTING_OBJECTS: upsert };
            const dir = program("service", SERVICE);
            const proxy = await FaultProxy.start(namespace.kubeconfig);
            const direct = namespace.kubeconfig;
            namespace.kubeconfig = proxy.kubeconfig;
            const stack = namespace.stack("service", { dir, host: { ...host, environment } }, { label: "first" });
            namespace.kubeconfig = direct;
            const changes = () =>
                proxy.requests
                    .splice(0)
                    .filter(({ path }) => /\/services(\/plain)?(\?|$)/.test(path))
                    .map(actionOf)
                    .filter((one) => /POST|PATCH|DELETE/.test(one));
            await stack.up();
            assert.deepEqual(changes(), [action]);
            await (await stack.open()).setConfig("label", { value: "second" });
            await stack.up();
            assert.equal(changes().at(-1), "PATCH");
            // The plugin forgets the Service, and the Service stays.
            await stack.run(async (automation) => {
                const state = await automation.exportStack();
                const resources = state.deployment.resources.filter(
                    ({ type }: { type: string }) => !/Service/.test(type),
                );
                await automation.importStack({ ...state, deployment: { ...state.deployment, resources } });
                return { stdout: "" };
            });
            if (upsert === "true") {
                await stack.up();
            } else {
                assert.match((await stack.fails("up")).text, /services "plain" already exists/);
            }
            await namespace.kube.remove({
                apiVersion: "v1",
                kind: "Service",
                metadata: { name: "plain", namespace: namespace.name },
            });
            await proxy.close();
        });
    }
});

describe(`Node ${TOO_OLD_NODE}`, function () {
    this.timeout(600_000);
    const namespace = useNamespace();

    it("is refused by the program, and by a destroy of a cluster that a later Node created", async () => {
        const programs = await versionedPrograms(OLDEST);
        const cluster = VersionedCluster.make(programs, namespace, "old", { size: 1, command: ["true"] });
        await cluster.stack.up();
        const { workspace } = await cluster.stack.open();
        const { PATH } = workspace.envVars;
        const refusal = new RegExp(
            `flux-minicluster needs Node 22.19 or later; this program runs with Node ${TOO_OLD_NODE}`,
        );
        workspace.envVars.PATH = `${await nodeFolder(TOO_OLD_NODE)}:${PATH}`;
        assert.match((await cluster.stack.fails("up")).text, refusal);
        assert.match((await cluster.stack.fails("destroy")).text, refusal);
        workspace.envVars.PATH = PATH;
        await cluster.stack.destroy();
        await namespace.assertNothingLeft();
    });
});

/** Requires that the program, the engine and the plugin of a stack have these versions. */
async function assertVersions(stack: TestStack, { cli, kubernetes, node, sdk }: Versions): Promise<void> {
    const { exitCode: _exitCode, phase: _phase, ...versions } = outputsOf(stack.state());
    assert.deepEqual(versions, { kubernetes, node, sdk });
    assert.equal((await stack.open()).workspace.pulumiVersion, cli);
    const provider = stack.resources().find(({ type }) => type === "pulumi:providers:kubernetes");
    assert.equal(provider?.outputs?.["version"], kubernetes);
}
