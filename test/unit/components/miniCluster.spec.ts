import * as kubernetes from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import assert from "node:assert/strict";

import type { MiniClusterArgs } from "../../../components/args";
import { MiniCluster } from "../../../components/miniCluster";
import { OnRankLoss } from "../../../components/features/attempts/lossPolicy";
import { answers, dynamic, lateProblem, SECRET_KEY } from "../support/cluster";
import { mockPulumi, type Registered, settled, valueOf } from "../support/pulumi";

describe("MiniCluster", () => {
    let registered: Registered[];

    beforeEach(async () => {
        registered = await mockPulumi(answers);
    });

    const args = (overrides: Partial<MiniClusterArgs> = {}): MiniClusterArgs => ({
        image: "registry.example/lammps:1",
        size: 4,
        command: ["hostname"],
        ...overrides,
    });

    async function make(overrides: Partial<MiniClusterArgs> = {}, opts?: pulumi.ComponentResourceOptions) {
        const cluster = new MiniCluster("lammps", args(overrides), opts);
        await settled();
        return cluster;
    }

    const find = (name: string, type?: string) =>
        registered.find((one) => one.name === name && (type === undefined || one.type.endsWith(type)))!;

    /** The inputs that contain a text, as `resource input`. */
    const placesOf = (text: string) =>
        registered.flatMap(({ inputs, name }) =>
            Object.entries(inputs).flatMap(([input, value]) =>
                JSON.stringify(value)?.includes(text) ? [`${name} ${input}`] : [],
            ),
        );

    it("registers a key, two Services, the Job and its status as its only children", async () => {
        await make();
        assert.deepEqual(registered.map(({ name, type }) => `${name} ${type}`).sort(), [
            "lammps flux-minicluster:index:MiniCluster",
            "lammps kubernetes:core/v1:Service",
            `lammps-job ${dynamic("IndexedJob")}`,
            `lammps-key ${dynamic("CurveKey")}`,
            "lammps-lead kubernetes:core/v1:Service",
            `lammps-status ${dynamic("JobStatus")}`,
        ]);
    });

    it("is the parent of all its children", async () => {
        const cluster = await make();
        const urn = await valueOf(cluster.urn);
        for (const { name, parent, type } of registered.filter(
            (one) => one.type !== "flux-minicluster:index:MiniCluster",
        )) {
            assert.equal(parent, urn, `${name} ${type}`);
        }
    });

    it("gives its dynamic children a constant provider text", async () => {
        await make();
        for (const [name, type] of [
            ["lammps-key", "CurveKey"],
            ["lammps-job", "IndexedJob"],
            ["lammps-status", "JobStatus"],
        ]) {
            const expected = `exports.handler = () => require("flux-minicluster/provider").verbs("${type}");`;
            assert.equal(find(name).inputs.__provider, expected);
        }
    });

    it("makes the Job after the Services that its pods need", async () => {
        await make();
        const { dependencies } = find("lammps-job");
        for (const name of ["lammps-lead", "::lammps"]) {
            assert.ok(
                dependencies.some((urn) => urn.endsWith(name)),
                `${name} among ${dependencies.join(" ")}`,
            );
        }
    });

    it("gives the Job the ConfigMap and the Secret that its pods mount", async () => {
        await make();
        const { files, manifest, secret } = find("lammps-job").inputs;
        const mounted = manifest.spec.template.spec.volumes.flatMap(
            ({ configMap, secret: of }: any) => configMap?.name ?? of?.secretName ?? [],
        );
        assert.deepEqual(new Set(mounted), new Set([files.metadata.name, secret.metadata.name]));
    });

    it("gives the Job no Secret if nothing is secret", async () => {
        await make({ certificateSecret: "theirs", restful: { enabled: false } });
        assert.equal(find("lammps-job").inputs.secret, null);
    });

    async function warningsOf(args: Parameters<typeof make>[0]): Promise<string[]> {
        const warnings: string[] = [];
        const { warn } = console;
        console.warn = (text: string) => void warnings.push(text);
        try {
            await make(args);
        } finally {
            console.warn = warn;
        }
        return warnings;
    }

    it("warns about arguments that work badly, with their cures", async () => {
        const warnings = await warningsOf({ size: 257 });
        assert.match(
            warnings.join("\n"),
            /^warning: \[runtime\] MiniCluster "lammps": network is "service", so up to 256 /,
        );
        assert.equal(warnings.length, 1);
    });

    it("warns of a command that starts tasks itself, except as a launcher", async () => {
        const command = ["bash", "-c", "flux run -N2 hostname"];
        assert.deepEqual(await warningsOf({ command }), [
            'warning: [runtime] MiniCluster "lammps": command calls flux run, which starts tasks itself; here each task of ' +
                "the command calls it. Give launcher: true, so that the lead runs the command once; or give the program " +
                "itself, and tasks.",
        ]);
        assert.deepEqual(await warningsOf({ command, launcher: true }), []);
    });

    it("puts every object into the given namespace, or into the provider's default one", async () => {
        const cluster = await make({ namespace: "hpc" });
        assert.equal(find("lammps-lead").inputs.metadata.namespace, "hpc");
        for (const name of ["files", "manifest", "secret"]) {
            assert.equal(find("lammps-job").inputs[name].metadata.namespace, "hpc");
        }
        assert.equal(await valueOf(cluster.namespace), "hpc");

        registered = await mockPulumi(answers);
        await make();
        assert.equal(find("lammps-lead").inputs.metadata.namespace, undefined);
        assert.equal(find("lammps-job").inputs.manifest.metadata.namespace, "default");
    });

    it("gives the Job the address and UID of the lead Service, and the status the id of the Job", async () => {
        await make();
        const { lead, nonce } = find("lammps-job").inputs;
        assert.deepEqual(lead, { name: "lammps-lead", uid: "uid-of-lammps-lead", address: "10.96.0.7" });
        assert.equal(nonce, "0123456789abcdef");
        assert.equal(find("lammps-status").inputs.job, "lammps-job-id");
    });

    it("gives the status its URN, for its progress lines", async () => {
        await make();
        const urn =
            "urn:pulumi:stack::project::flux-minicluster:index:MiniCluster$pulumi-nodejs:dynamic/flux-minicluster:JobStatus::lammps-status";
        assert.equal(find("lammps-status").inputs.resourceUrn, urn);
    });

    it("outputs the names, addresses, commands and results of the cluster", async () => {
        const cluster = await make({ size: 2 });
        const { attachCommand, endpoint, exitCode, forwardCommand, hosts, logsCommand, name, output, phase } = cluster;
        const outputs = { attachCommand, endpoint, exitCode, forwardCommand, hosts, logsCommand, name, output, phase };
        assert.deepEqual(await valueOf(pulumi.output(outputs)), {
            attachCommand:
                "kubectl exec -it -n default service/lammps-lead -c flux -- sh -c 'if [ -e /run/flux/paths.env ]; then " +
                ". /run/flux/paths.env; else PATH=$PATH${MINICLUSTER_VIEW:+:$MINICLUSTER_VIEW/bin}; fi; exec bash'",
            endpoint: "tcp://lammps-lead.default.svc.cluster.local:8050",
            exitCode: 0,
            forwardCommand: "kubectl port-forward -n default service/lammps-lead 8050:8050",
            hosts: ["lammps-0.lammps.default.svc.cluster.local", "lammps-1.lammps.default.svc.cluster.local"],
            logsCommand: "kubectl logs -n default service/lammps-lead -c flux",
            name: "lammps",
            output: "hello\n",
            phase: "succeeded",
        });
    });

    it("makes a Deployment and a Service for services", async () => {
        await make({ services: [{ name: "db", image: "registry.example/db:1", ports: [5432] }] });
        assert.equal(find("lammps-services", "Deployment").inputs.spec.template.spec.containers[0].name, "db");
        assert.equal(find("lammps-services", "Service").inputs.spec.ports[0].port, 5432);
    });

    it("makes a NetworkPolicy if networkPolicy is true", async () => {
        await make({ networkPolicy: true });
        assert.equal(find("lammps-policy").type, "kubernetes:networking.k8s.io/v1:NetworkPolicy");
    });

    it("marks every object with its nonce, so that two stacks can't share an object", async () => {
        await make();
        for (const name of ["lammps", "lammps-lead"]) {
            assert.equal(
                find(name, "Service").inputs.metadata.annotations["flux-minicluster/nonce"],
                "0123456789abcdef",
            );
        }
        assert.equal(find("lammps-job").inputs.nonce, "0123456789abcdef");
    });

    describe("with secrets", () => {
        it("makes the key a secret output, and puts it only into secret inputs of the Job", async () => {
            await make();
            assert.deepEqual(find("lammps-key").additionalSecretOutputs, ["secretKey"]);
            // Unlike with an engine, the mocked key is no secret output. The test is about where the key goes.
            assert.deepEqual(placesOf(SECRET_KEY), ["lammps-job markKey", "lammps-job secret"]);
            assert.match(find("lammps-job").inputs.secret.stringData["curve.cert"], /secret-key = "JTKVSB/);
        });

        it("puts secret variables only into the Secret", async () => {
            await make({ environment: { PLAIN: "visible", TOKEN: pulumi.secret("hunter2") } });
            assert.deepEqual(placesOf("hunter2"), ["lammps-job secret"]);
            const { additionalSecretOutputs, inputs, secrets } = find("lammps-job");
            assert.equal(inputs.secret.stringData["env.TOKEN"], "hunter2");
            assert.deepEqual(
                [secrets.sort(), additionalSecretOutputs],
                [
                    ["markKey", "secret"],
                    ["markKey", "secret"],
                ],
            );
        });

        it("keeps the manifest readable beside secret variables", async () => {
            await make({ environment: { PLAIN: "visible", TOKEN: pulumi.secret("hunter2") } });
            const { inputs, secrets } = find("lammps-job");
            assert.deepEqual(secrets, ["markKey", "secret"]);
            const { env } = inputs.manifest.spec.template.spec.containers[0];
            assert.deepEqual(
                env.filter(({ name }: { name: string }) => ["PLAIN", "TOKEN"].includes(name)),
                [
                    { name: "PLAIN", value: "visible" },
                    { name: "TOKEN", valueFrom: { secretKeyRef: { key: "env.TOKEN", name: "lammps-secret" } } },
                ],
            );
        });

        it("puts an environment that is secret as a whole only into the Secret", async () => {
            await make({ environment: pulumi.secret({ A: "hunter2", B: "hunter3" }) });
            assert.deepEqual(placesOf("hunter"), ["lammps-job secret"]);
            assert.equal(find("lammps-job").inputs.secret.stringData["env.B"], "hunter3");
        });

        it("derives secretVersion from the secrets, so that a new value makes a new Job", async () => {
            const versionOf = async (token: string) => {
                registered = await mockPulumi(answers);
                await make({ environment: { TOKEN: pulumi.secret(token) } });
                return find("lammps-job").inputs.secretVersion as string;
            };
            const [first, second, again] = [await versionOf("a"), await versionOf("b"), await versionOf("a")];
            assert.match(first, /^[0-9a-f]{16}$/);
            assert.notEqual(first, second);
            assert.equal(first, again);
        });

        it("passes a kubeconfig that is an object as text", async () => {
            const kubeconfig = { clusters: [{ name: "a", cluster: { server: "https://a" } }] };
            for (const given of [
                kubeconfig,
                pulumi.output(kubeconfig),
                { clusters: pulumi.output(kubeconfig.clusters) },
            ]) {
                await make({ kubeconfig: given });
                assert.equal(find("lammps-job").inputs.kubeconfig, JSON.stringify(kubeconfig));
            }
        });

        it("keeps a given kubeconfig secret, and passes none by default", async () => {
            await make({ kubeconfig: "apiVersion: v1", context: "prod" });
            for (const name of ["lammps-job", "lammps-status"]) {
                const { inputs, secrets } = find(name);
                assert.deepEqual([inputs.kubeconfig, inputs.context], ["apiVersion: v1", "prod"]);
                assert.deepEqual(secrets, name === "lammps-job" ? ["kubeconfig", "markKey", "secret"] : ["kubeconfig"]);
            }
            registered = await mockPulumi(answers);
            await make();
            assert.ok(!("kubeconfig" in find("lammps-job").inputs));
        });

        it("keeps the output secret if output.secret is true", async () => {
            await make({ output: { secret: true } });
            assert.deepEqual(find("lammps-status").additionalSecretOutputs, ["output"]);
            assert.equal(find("lammps-status").inputs.secretOutput, true);
            registered = await mockPulumi(answers);
            await make();
            assert.deepEqual(find("lammps-status").additionalSecretOutputs, []);
        });
    });

    it("tells the status that the Job expires if there is a TTL", async () => {
        await make({ ttlSecondsAfterFinished: 60 });
        assert.equal(find("lammps-status").inputs.expires, 60);
        registered = await mockPulumi(answers);
        await make();
        assert.ok(!("expires" in find("lammps-status").inputs));
    });

    for (const name of ["cluster", "renderYamlToDirectory"]) {
        it(`refuses kubernetes:${name}, which only the Kubernetes provider would follow`, async () => {
            pulumi.runtime.setAllConfig({ [`kubernetes:${name}`]: "other" });
            try {
                await assert.rejects(make(), {
                    message: new RegExp(`^kubernetes:${name} is "other", .*[Rr]emove `),
                });
                await make({ kubeconfig: "of an explicit provider" });
                registered = await mockPulumi(answers);
                await make({}, { provider: new kubernetes.Provider("explicit", { kubeconfig: "other" }) });
            } finally {
                pulumi.runtime.setAllConfig({});
            }
        });
    }

    it("uses the kubeconfig and context of the stack's configuration", async () => {
        pulumi.runtime.setAllConfig({ "kubernetes:kubeconfig": "from-config", "kubernetes:context": "staging" });
        try {
            await make();
            const { inputs, secrets } = find("lammps-job");
            assert.deepEqual(
                [inputs.kubeconfig, inputs.context, secrets],
                ["from-config", "staging", ["kubeconfig", "markKey", "secret"]],
            );
            registered = await mockPulumi(answers);
            await make({ kubeconfig: "of another cluster" });
            const other = find("lammps-job").inputs;
            assert.deepEqual([other.kubeconfig, other.context], ["of another cluster", undefined]);
        } finally {
            pulumi.runtime.setAllConfig({});
        }
    });

    it("accepts Outputs for arguments, at every depth", async () => {
        const later = <T>(value: T) => pulumi.output(Promise.resolve(value));
        await make({
            image: later("registry.example/late:1"),
            size: later(2),
            command: later(["a", "b"]),
            environment: { PLAIN: later("late") },
            broker: { port: later(9000) },
            volumes: [{ name: later("data"), mountPath: "/data", hostPath: later("/mnt") }],
        });
        const { manifest } = find("lammps-job").inputs;
        const [container] = manifest.spec.template.spec.containers;
        assert.deepEqual(
            [manifest.spec.completions, container.image, container.args],
            [2, "registry.example/late:1", ["a", "b"]],
        );
        assert.ok(container.env.some(({ value }: { value: string }) => value === "late"));
        assert.equal(find("lammps-lead").inputs.spec.ports[0].port, 9000);
        assert.deepEqual(manifest.spec.template.spec.volumes.at(-1), { name: "data", hostPath: { path: "/mnt" } });
    });

    it("treats null as an argument that isn't given", async () => {
        const given = {
            tasks: null,
            maxSize: null,
            volumes: null,
            queueName: null,
        } as unknown as Partial<MiniClusterArgs>;
        await make(given);
        const manifest = JSON.stringify(find("lammps-job").inputs);
        await make();
        assert.equal(manifest, JSON.stringify(registered.filter(({ name }) => name === "lammps-job")[1].inputs));
    });

    it("accepts an Output or a Promise for a whole argument", async () => {
        await make({
            environment: pulumi.output(Promise.resolve({ A: "late" })),
            labels: Promise.resolve({ team: "x" }),
        });
        const { manifest } = find("lammps-job").inputs;
        assert.ok(
            manifest.spec.template.spec.containers[0].env.some(({ value }: { value: string }) => value === "late"),
        );
        assert.equal(manifest.metadata.labels.team, "x");
    });

    describe("with wrong arguments", () => {
        const failing = (overrides: object, opts?: pulumi.ComponentResourceOptions) => () =>
            new MiniCluster("lammps", args(overrides), opts);

        it("reports all problems in one error before it registers a child", () => {
            assert.throws(failing({ size: 0, tasks: 0, broker: { port: 0 }, image: "" }), (error: Error) => {
                assert.ok(pulumi.ResourceError.isInstance(error));
                assert.equal(
                    error.message,
                    [
                        'MiniCluster "lammps" has 4 problems in its arguments:',
                        '  image: is ""; give an image that has Flux and bash.',
                        "  size: is 0; a cluster has at least 1 rank. To stop its pods, use suspend.",
                        "  tasks: is 0; it must be at least 1.",
                        "  broker.port: is 0; ports go from 1 to 65535.",
                    ].join("\n"),
                );
                return true;
            });
            assert.deepEqual(
                registered.filter(({ type }) => !type.startsWith("flux-minicluster")),
                [],
            );
        });

        it("reports all wrong types and unknown names in one error", () => {
            assert.throws(failing({ sise: 2, command: "hostname" }), {
                message: [
                    'MiniCluster "lammps" has 2 problems in its arguments:',
                    '  command: is "hostname"; it must be a list.',
                    "  sise: does not exist. Did you mean size?",
                ].join("\n"),
            });
        });

        it("refuses a name that Kubernetes doesn't accept, and says how to name it", () => {
            assert.throws(
                () => new MiniCluster("My_Cluster", args()),
                /name: is "My_Cluster"; the name of a Kubernetes Service has/,
            );
        });

        it("refuses a wrong value of an Output", async () => {
            const cluster = new MiniCluster("lammps", args({ size: pulumi.output(Promise.resolve(0)) }));
            const problem = await lateProblem(cluster);
            assert.match(problem.message, /size: is 0; a cluster has at least 1 rank/);
            await settled().catch(() => undefined);
        });

        it("refuses services that turn out to be empty, which is too late", async () => {
            const cluster = new MiniCluster("lammps", args({ services: pulumi.output(Promise.resolve([])) }));
            const problem = await lateProblem(cluster);
            assert.match(problem.message, /services: is an Output and empty, but Pulumi must know before any Output/);
            await settled().catch(() => undefined);
        });

        for (const kind of ["services", "sidecars"] as const) {
            it(`refuses secrets in ${kind}, which everybody could read in Kubernetes`, async () => {
                const program = {
                    name: "db",
                    image: "registry.example/db:1",
                    environment: { PASSWORD: pulumi.secret("x") },
                };
                const given = { services: [{ ...program, ports: [1] }], sidecars: [program] };
                const cluster = new MiniCluster("lammps", args({ [kind]: given[kind] }));
                const problem = await lateProblem(cluster);
                assert.match(
                    problem.message,
                    new RegExp(`${kind}: has a secret, which would be readable in Kubernetes\\.`),
                );
                await settled().catch(() => undefined);
            });
        }

        it("refuses ignoreChanges of anything but the size", () => {
            assert.throws(failing({}, { ignoreChanges: ["size", "image"] }), {
                message:
                    'MiniCluster "lammps" can only ignore changes of size, not of image. Remove it from ignoreChanges, or use transforms on the child resource.',
            });
        });
    });

    it("passes ignoreChanges of the size to the Job and the status", async () => {
        await make({ maxSize: 8 }, { ignoreChanges: ["size"] });
        assert.deepEqual(find("lammps-job").ignoreChanges, ["manifest.spec.completions", "manifest.spec.parallelism"]);
        assert.deepEqual(find("lammps-status").ignoreChanges, ["size"]);
        assert.deepEqual(find("lammps-lead").ignoreChanges, []);
    });

    it("tells the Job and the status that another client decides on the size", async () => {
        await make({ maxSize: 8 }, { ignoreChanges: ["size"] });
        assert.deepEqual(
            [find("lammps-job").inputs.sizedBy, find("lammps-status").inputs.sizedBy],
            ["autoscaler", "autoscaler"],
        );
    });

    it("tells the status if each attempt of the command needs all ranks", async () => {
        await make();
        assert.equal(find("lammps-status").inputs.needsAllRanks, undefined);
        registered = await mockPulumi(answers);
        await make({ onRankLoss: OnRankLoss.Rerun });
        assert.equal(find("lammps-status").inputs.needsAllRanks, true);
    });

    it("deletes the Job before its replacement, even if Pulumi asks for no diff", async () => {
        await make();
        assert.equal(find("lammps-job").deleteBeforeReplace, true);
    });

    it("shows everything that doesn't depend on the cluster in a first preview", async () => {
        registered = await mockPulumi({ ...answers, [dynamic("CurveKey")]: () => ({}) }, { preview: true });
        const cluster = new MiniCluster("lammps", args());
        await settled();
        assert.match(find("lammps-job").inputs.files.data["broker.toml"], /connect = "tcp:\/\/lammps-lead:8050"/);
        assert.equal(find("lammps-job").inputs.manifest.spec.completions, 4);
        assert.equal(await valueOf(cluster.name), "lammps");
    });
});
