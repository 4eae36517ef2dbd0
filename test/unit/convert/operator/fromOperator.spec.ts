import assert from "node:assert/strict";

import * as pulumi from "@pulumi/pulumi";

import { resolveSpec, validate } from "../../../../components/arguments/decide";
import { checkArguments } from "../../../../components/arguments/shape";
import { fromOperator } from "../../../../convert";

const resource = (spec: object, metadata: object = { name: "sample" }) =>
    JSON.stringify({ apiVersion: "flux-framework.org/v1alpha2", kind: "MiniCluster", metadata, spec });

/** Reads a resource whose Flux is in the image, so that it needs no view. */
const read = (spec: Record<string, any>, container: object = {}) => {
    const { args, warnings } = fromOperator(
        resource({
            size: 2,
            ...spec,
            flux: { ...spec.flux, container: { disable: true, ...spec.flux?.container } },
            containers: spec.containers ?? [{ image: "a:1", ...container }],
        }),
    );
    const { image: _image, size: _size, ...rest } = args as Record<string, any>;
    return {
        args: JSON.parse(JSON.stringify(rest)) as Record<string, any>,
        warnings: warnings.map((warning) => warning.replaceAll(" (line 1)", "")),
    };
};

describe("fromOperator", () => {
    it("takes the resource's name and namespace, and the operator's own image of Flux as view", () => {
        const { args, name, warnings } = fromOperator(
            resource({ size: 3, containers: [{ image: "a:1" }] }, { name: "x", namespace: "n" }),
        );
        const view = {
            image: "ghcr.io/converged-computing/flux-view-ubuntu:tag-noble",
            prefix: "/opt/view",
            folders: ["/opt/software"],
        };
        const restful = { enabled: false };
        assert.deepEqual([name, args, warnings], ["x", { namespace: "n", image: "a:1", size: 3, view, restful }, []]);
    });

    it("finds the first MiniCluster among several documents, and throws if there is none", () => {
        const text = `kind: Service\n---\n${resource({ containers: [{ image: "a:1" }] })}\n---\n`;
        assert.equal(fromOperator(text).args.image, "a:1");
        assert.throws(() => fromOperator("kind: Service\n"), /This text has no MiniCluster with containers\./);
        const two = {
            containers: [{ image: "a:1" }, { image: "b:1", name: "y", noWrapEntrypoint: true }],
        };
        assert.deepEqual(read(two).warnings, [
            "spec.containers: has the first container as the one that runs Flux, because none has runFlux: true. " +
                "The operator refuses that; set runFlux.",
        ]);
        two.containers.forEach((container) => Object.assign(container, { runFlux: true }));
        assert.throws(() => fromOperator(resource(two)), {
            message:
                "spec.containers[0].runFlux (line 1) and spec.containers[1].runFlux (line 1) are true, " +
                "but one container runs Flux. Set it for one of them.",
        });
    });

    const same: [string, Record<string, any>, object, object][] = [
        ["sizes", { size: 2, minSize: 1, maxSize: 2 }, {}, { minSize: 1, maxSize: 2 }],
        ["the operator's quorum", { size: 2, maxSize: 2 }, {}, { minSize: 2, maxSize: 2 }],
        ["the operator's default of one task", {}, { command: "hostname" }, { command: ["hostname"], tasks: 1 }],
        ["tasks", { tasks: 8 }, { command: "a b" }, { command: ["a", "b"], tasks: 8 }],
        ["one task for each rank", { tasks: 0 }, { command: "a" }, { command: ["a"] }],
        [
            "a script",
            {},
            { commands: { script: "#!/bin/sh\na" } },
            { command: ["bash", "-c", "#!/bin/sh\na"], tasks: 1 },
        ],
        [
            "a launcher",
            {},
            { command: "snakemake -c 1", launcher: true },
            { command: ["snakemake", "-c", "1"], launcher: true },
        ],
        [
            "a batch",
            {},
            { command: "echo 1\n\necho 2\n", batch: true },
            {
                command: [
                    "bash",
                    "-c",
                    `export FLUX_OUTPUT_DIR=/tmp/fluxout
flux exec --quiet mkdir -p "$FLUX_OUTPUT_DIR"
failed=0
trap 'failed=1' ERR
flux submit --flags=waitable --error="$FLUX_OUTPUT_DIR"/job-0.err --output="$FLUX_OUTPUT_DIR"/job-0.out echo 1
flux submit --flags=waitable --error="$FLUX_OUTPUT_DIR"/job-2.err --output="$FLUX_OUTPUT_DIR"/job-2.out echo 2
trap - ERR
flux job wait --all || exit
exit "$failed"`,
                ],
                launcher: true,
            },
        ],
        [
            "a raw batch, with the directory of its files",
            {},
            { command: "flux run a", batch: true, batchRaw: true, logs: "/my-data" },
            {
                command: [
                    "bash",
                    "-c",
                    'export FLUX_OUTPUT_DIR=/my-data\nflux exec --quiet mkdir -p "$FLUX_OUTPUT_DIR"\nflux run a',
                ],
                launcher: true,
            },
        ],
        [
            "the pull policy of an image of the tag latest",
            {},
            { image: "a:latest" },
            { imagePullPolicy: "IfNotPresent" },
        ],
        ["the pull policy of an image with a digest", {}, { image: "h:5000/a@sha256:1" }, {}],
        ["the pull policy of an image without a tag", {}, { image: "h:5000/a" }, { imagePullPolicy: "IfNotPresent" }],
        ["the default queue policy, which needs no Fluxion", { flux: { scheduler: { queuePolicy: "fcfs" } } }, {}, {}],
        [
            "hooks",
            {},
            { commands: { init: "a", pre: "b", brokerPre: "c", workerPre: "d", post: "e" } },
            { hooks: { init: "set +e\na", pre: "set +e\nb", lead: "set +e\nc", worker: "set +e\nd", post: "e" } },
        ],
        [
            "the pull policy and the pull secret",
            {},
            { pullAlways: true, imagePullSecret: "s" },
            { imagePullPolicy: "Always", imagePullSecrets: ["s"] },
        ],
        [
            "variables",
            { flux: { environment: { B: "2" } } },
            { environment: { A: "1" } },
            { environment: { A: "1", B: "2" } },
        ],
        [
            "resources",
            {},
            { command: "a", resources: { limits: { cpu: 2 } } },
            { command: ["a"], tasks: 1, resources: { limits: { cpu: "2" } } },
        ],
        [
            "a queue",
            { jobLabels: { "kueue.x-k8s.io/queue-name": "q", a: "b" } },
            {},
            { queueName: "q", labels: { a: "b" } },
        ],
        [
            "disabled logs",
            { logging: { quiet: true, zeromq: true } },
            {},
            { broker: { logLevel: 0, attributes: { "tbon.zmqdebug": "1" } } },
        ],
        [
            "the brokers' settings",
            { flux: { topology: "kary:2", connectTimeout: "1s", logLevel: 7 } },
            {},
            { broker: { topology: "kary:2", connectTimeout: 1, logLevel: 7 } },
        ],
        [
            "a connectTimeout in milliseconds",
            { flux: { connectTimeout: "500ms" } },
            {},
            { broker: { connectTimeout: 0.5 } },
        ],
        ["a connectTimeout in minutes", { flux: { connectTimeout: "1.5m" } }, {}, { broker: { connectTimeout: 90 } }],
        [
            "options of flux submit",
            { flux: { optionFlags: "-c 2 --gpus-per-task=1" } },
            { command: "a" },
            { command: ["a"], tasks: 1, coresPerTask: 2, gpusPerTask: 1 },
        ],
        [
            "further options of flux submit",
            {
                flux: {
                    optionFlags: "-ompi=openmpi@5 -o cpu-affinity=per-task -x -t 1.5 --signal=TERM@30s --output=o",
                },
            },
            { command: "a" },
            {
                command: ["a"],
                tasks: 1,
                exclusive: true,
                outputFile: "o",
                signal: { name: "TERM", timeLeft: 30 },
                shellOptions: { mpi: "openmpi@5", "cpu-affinity": "per-task" },
                timeLimit: 90,
            },
        ],
        [
            "no options of flux submit for a launcher",
            { flux: { optionFlags: "-x" } },
            { command: "a", launcher: true },
            { command: ["a"], launcher: true },
        ],
        ["a backoffLimit", { backoffLimit: 3 }, {}, { backoffLimit: 3 }],
        [
            "the default backoffLimit where the operator runs a failed command again",
            { logging: { strict: true } },
            { command: "a" },
            { command: ["a"], tasks: 1, backoffLimit: 100 },
        ],
        [
            "secrets to variables of the pod template, which no jobspec has",
            {},
            { secrets: { A: { name: "s", key: "k" } } },
            {
                podTemplate: {
                    spec: {
                        containers: [
                            {
                                name: "flux",
                                env: [{ name: "A", valueFrom: { secretKeyRef: { name: "s", key: "k" } } }],
                            },
                        ],
                    },
                },
            },
        ],
        [
            "the pod's fields",
            { pod: { nodeSelector: { a: "b" }, schedulerName: "s" } },
            {},
            { nodeSelector: { a: "b" }, schedulerName: "s" },
        ],
        [
            "fields that only a pod template has",
            { shareProcessNamespace: true, pod: { hostPID: true } },
            {},
            { podTemplate: { spec: { shareProcessNamespace: true, hostPID: true } } },
        ],
        [
            "volumes",
            {},
            {
                volumes: {
                    host: { path: "/h", hostPath: "/x", readOnly: true },
                    Claim_1: { path: "/c", claimName: "y" },
                    map: { path: "/m", configMapName: "map", items: { a: "b" } },
                    csi: { path: "/s", csiDriver: "d", csiDriverAttributes: { a: "b" } },
                    shm: { emptyDir: true, emptyDirMedium: "memory", emptyDirSizeLimit: "1Gi" },
                },
            },
            {
                volumes: [
                    { name: "host", mountPath: "/h", hostPath: "/x", readOnly: true },
                    { name: "claim-1", mountPath: "/c", persistentVolumeClaim: "y" },
                    { name: "map", mountPath: "/m", configMap: "map", items: { a: "b" } },
                    { name: "csi", mountPath: "/s", source: { csi: { driver: "d", volumeAttributes: { a: "b" } } } },
                ],
                sharedMemory: "1Gi",
            },
        ],
    ];
    for (const [what, spec, container, expected] of same) {
        it(`converts ${what} without a warning`, () => {
            const { args, warnings } = read(spec, container);
            // The operator has no RESTful server.
            const server = expected.hasOwnProperty("command") ? {} : { restful: { enabled: false } };
            assert.deepEqual([args, warnings], [{ ...expected, ...server }, []]);
            const plain = { image: "a:1", size: 2, ...args };
            assert.deepEqual(checkArguments(plain), []);
            assert.deepEqual(validate(resolveSpec("sample", plain as any)), []);
        });
    }

    it("names each text with the name of the given headless Service", () => {
        const { warnings } = read({ network: { headlessName: "net" } }, { commands: { pre: "ping $HOST.net" } });
        assert.deepEqual(
            warnings.filter((warning) => warning.includes("names the host")),
            [
                "spec.containers[0].commands.pre: names the host net, which doesn't exist here; " +
                    "write sample, the name of the headless Service here.",
            ],
        );
        assert.deepEqual(
            read({ network: { headlessName: "sample" } }, { command: "ping sample-0.sample" }).warnings,
            [],
        );
    });

    it("leaves out the limit of /dev/shm with hostIPC, and warns", () => {
        const volumes = { shm: { emptyDir: true, emptyDirMedium: "memory", emptyDirSizeLimit: "1Gi" } };
        const { args, warnings } = read({ pod: { hostIPC: true } }, { command: "a", volumes });
        assert.deepEqual([args.hostIPC, args.sharedMemory], [true, undefined]);
        assert.deepEqual(warnings, [
            "spec.pod.hostIPC: makes /dev/shm the node's here, without the limit of the volume at /dev/shm. Remove emptyDirSizeLimit, or hostIPC.",
        ]);
    });

    it("leaves out another volume at /dev/shm, where the ranks have one in memory or the node's", () => {
        const volumes = { shm: { path: "/dev/shm", hostPath: "/dev/shm" }, data: { path: "/d", hostPath: "/x" } };
        const own = read({}, { command: "a", volumes });
        assert.deepEqual(own.args.volumes, [{ name: "data", mountPath: "/d", hostPath: "/x" }]);
        assert.deepEqual(own.warnings, [
            'spec.containers[0].volumes.shm: mounts "shm" at /dev/shm, where the ranks have a volume in memory, which counts ' +
                "against the pod's memory limit. It is left out; give hostIPC for the node's /dev/shm, or sharedMemory for a limit.",
        ]);
        const { data: _, ...shm } = volumes;
        const node = read({ pod: { hostIPC: true } }, { command: "a", volumes: shm });
        assert.deepEqual([node.args.volumes, node.args.hostIPC, node.warnings], [undefined, true, []]);
        const claim = { shm: { path: "/dev/shm", claimName: "c" } };
        assert.deepEqual(read({ pod: { hostIPC: true } }, { command: "a", volumes: claim }).warnings, [
            'spec.containers[0].volumes.shm: mounts "shm" at /dev/shm, where the ranks have the node\'s by hostIPC. It is left ' +
                "out; mount it at another path, or remove hostIPC.",
        ]);
    });

    it("converts the queue, which broker.config has to have", () => {
        const { args } = read({ flux: { optionFlags: "--queue=debug" } }, { command: "a" });
        assert.equal(args.fluxQueue, "debug");
    });

    it("converts other containers to native sidecars, which don't keep the pod running", () => {
        const containers = [
            { image: "a:1", runFlux: true },
            { image: "nginx:1", name: "web", ports: [80], command: "nginx -g x", environment: { A: "b" } },
        ];
        const { podTemplate, sidecars } = read({ containers }).args;
        assert.deepEqual(sidecars, [
            { name: "web", image: "nginx:1", command: ["/bin/bash", "-c", "nginx -g x"], environment: { A: "b" } },
        ]);
        assert.deepEqual(podTemplate.spec.initContainers, [
            { name: "web", ports: [{ name: "port-80", containerPort: 80, protocol: "TCP" }] },
        ]);
    });

    it("collects the pull secrets of all containers and services", () => {
        const containers = [
            { image: "a:1", runFlux: true, imagePullSecret: "one" },
            { image: "b:1", name: "web", imagePullSecret: "two" },
        ];
        const services = [{ image: "c:1", name: "db", ports: [1], imagePullSecret: "one" }];
        assert.deepEqual(read({ containers, services }).args.imagePullSecrets, ["one", "two"]);
    });

    it("keeps services, with their images' own commands", () => {
        const services = [{ image: "mongo:1", name: "db", ports: [27017], environment: { A: "1" } }];
        const { args, warnings } = read({ services });
        assert.deepEqual(
            [args.services, warnings],
            [[{ name: "db", image: "mongo:1", ports: [27017], environment: { A: "1" } }], []],
        );
    });

    it("keeps a certificate secret", async () => {
        const { args } = fromOperator(resource({ containers: [{ image: "a:1" }], flux: { curveCert: "text" } }));
        assert.ok(await pulumi.isSecret(args.certificate as pulumi.Output<string>));
    });

    const warned: [string, Record<string, any>, object, RegExp][] = [
        [
            "a command of an interactive cluster",
            { interactive: true },
            { command: "a" },
            /^spec\.containers\[0\]\.command: is ignored: an interactive cluster doesn't run it/,
        ],
        [
            "a limit that an autoscaler was to use",
            { size: 1, maxSize: 4 },
            {},
            /^spec\.maxSize: is only the limit here: .* With the argument elastic, the cluster sizes itself/,
        ],
        [
            "a service without ports",
            { services: [{ image: "x:1", name: "x" }] },
            {},
            /^spec\.services\[0\]\.ports: is missing; the service is left out/,
        ],
        [
            "a container with a name of the cluster's own",
            {
                containers: [
                    { image: "a:1", runFlux: true },
                    { image: "b:1", name: "flux-queue", noWrapEntrypoint: true },
                ],
            },
            {},
            /^spec\.containers\[1\]\.name: is "flux-queue", but such names belong to the cluster; it is now "other-flux-queue"\./,
        ],
        [
            "lifecycle hooks of services",
            { services: [{ image: "x:1", name: "x", ports: [1], lifeCycle: { preStopExec: "a" } }] },
            {},
            /^spec\.services\[0\]\.lifeCycle: has no counterpart/,
        ],
        [
            "another name of the headless Service",
            { network: { headlessName: "flux-service" } },
            {},
            /^spec\.network\.headlessName: is "flux-service"; here the headless Service has the name of the cluster, "sample"\./,
        ],
        [
            "the operator's former Service in a command",
            {},
            { command: "worker --host sample-0.flux-service.default.svc.cluster.local:50051" },
            /^spec\.containers\[0\]\.command: names the host flux-service, which doesn't exist here; write sample, the name of the headless Service here\.$/,
        ],
        [
            "the operator's former Service after a host in quotes",
            {},
            { commands: { pre: 'ping "$host".flux-service' } },
            /^spec\.containers\[0\]\.commands\.pre: names the host flux-service, which doesn't exist here; write sample, /,
        ],
        [
            "the operator's services in a variable",
            {},
            { environment: { DB: "mongodb://u:p@sample-services.flux-service.default.svc:27017" } },
            /^spec\.containers\[0\]\.environment\.DB: names the host sample-services\.flux-service, which doesn't exist here; the services have the name sample-services alone, /,
        ],
        [
            "the operator's Service as an option of a service",
            { services: [{ image: "x:1", name: "x", ports: [1], environment: { TO: "flux-service.default.svc" } }] },
            {},
            /^spec\.services\[0\]\.environment\.TO: names the host flux-service, /,
        ],
        [
            "unsupported options of flux submit",
            { flux: { optionFlags: "--setattr=user.a=1" } },
            { command: "a" },
            /^spec\.flux\.optionFlags: --setattr=user\.a=1 has no counterpart/,
        ],
        [
            "a connectTimeout that is too short",
            { flux: { connectTimeout: "50ms" } },
            {},
            /^spec\.flux\.connectTimeout: is "50ms", which broker\.connectTimeout can't express; the default is used\./,
        ],
        [
            "an endless connectTimeout",
            { flux: { connectTimeout: "inf" } },
            {},
            /^spec\.flux\.connectTimeout: is "inf", which broker\.connectTimeout can't express; the default is used\./,
        ],
        [
            "a queue policy",
            { flux: { scheduler: { queuePolicy: "easy" } } },
            {},
            /^spec\.flux\.scheduler\.queuePolicy: is a policy of Fluxion, .* needs flux-sched\.$/,
        ],
        [
            "fields of v1alpha1",
            { volumes: {} },
            {},
            /^spec\.volumes: is no field of the operator's v1alpha2, so it is ignored; remove it\.$/,
        ],
        [
            "a label that MiniCluster sets itself",
            { pod: { labels: { "app.kubernetes.io/name": "lammps", team: "a" } } },
            {},
            /^spec\.pod\.labels\.app\.kubernetes\.io\/name: is ignored: MiniCluster sets it itself\. Give another label\.$/,
        ],
    ];
    for (const [what, spec, container, expected] of warned) {
        it(`warns about ${what}`, () => {
            const { warnings } = read(spec, container);
            assert.equal(warnings.length, 1, warnings.join("\n"));
            assert.match(warnings[0], expected);
        });
    }
});
