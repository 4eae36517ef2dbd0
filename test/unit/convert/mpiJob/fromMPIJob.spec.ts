import assert from "node:assert/strict";

import { fromMPIJob } from "../../../../convert";
import { assertPreview } from "../operator/support";
import { convert, converted, more, mpiJob } from "./support";

const [L, W] = ["launcher.containers[0]", "worker.containers[0]"];

describe("fromMPIJob", () => {
    it("makes the workers ranks, and the launcher's program their command", () => {
        const { args, name, warnings } = convert({
            metadata: { name: "wave", namespace: "hpc" },
            spec: { slotsPerWorker: 2 },
            launcher: { command: ["mpirun"], args: ["-np", "4", "./wave", "--steps", "10"] },
        });
        const command = ["./wave", "--steps", "10"];
        const expected = { namespace: "hpc", size: 2, image: "a:1", command, tasks: 4 };
        assert.deepEqual([name, args, warnings], ["wave", expected, []]);
        assertPreview(args);
    });

    it("brings Flux from another image, with a warning, unless the image has it", () => {
        const { args, warnings } = convert({}, {});
        assert.deepEqual(args["view"], {
            image: "ghcr.io/converged-computing/flux-view-ubuntu:tag-noble",
            prefix: "/opt/view",
            folders: ["/opt/software"],
        });
        assert.deepEqual(warnings, [
            `${W}.image: has no Flux if it was made for the MPI Operator. So Flux comes from ` +
                "ghcr.io/converged-computing/flux-view-ubuntu:tag-noble (Ubuntu 24.04) by view; " +
                "the image needs bash and a glibc that isn't older. If the image has Flux, set fluxInImage.",
        ]);
        assertPreview(args);
    });

    const pods: [what: string, parts: Parameters<typeof more>[0], expected: object][] = [
        ["a task for each slot of each worker", { spec: { slotsPerWorker: 3 }, replicas: 4 }, { size: 4, tasks: 12 }],
        ["the launcher as a further rank", { spec: { runLauncherAsWorker: true } }, { size: 3, tasks: 3 }],
        [
            "a launcher without workers",
            { spec: { mpiReplicaSpecs: { Launcher: launcherOf({ command: ["mpirun", "-n", "2", "a"] }) } } },
            { size: 1, command: ["a"], tasks: 2 },
        ],
        [
            "fields of the workers' pods",
            {
                workerPod: {
                    affinity: { nodeAffinity: {} },
                    dnsConfig: { searches: ["x"] },
                    hostPID: true,
                    imagePullSecrets: [{ name: "registry" }],
                    nodeSelector: { pool: "hpc" },
                    serviceAccountName: "runner",
                    tolerations: [{ operator: "Exists" }],
                    topologySpreadConstraints: [{ maxSkew: 1 }],
                },
            },
            {
                affinity: { nodeAffinity: {} },
                automountServiceAccountToken: true,
                imagePullSecrets: ["registry"],
                nodeSelector: { pool: "hpc" },
                serviceAccountName: "runner",
                tolerations: [{ operator: "Exists" }],
                podTemplate: {
                    spec: {
                        dnsConfig: { searches: ["x"] },
                        hostPID: true,
                        topologySpreadConstraints: [{ maxSkew: 1 }],
                    },
                },
            },
        ],
        [
            "the user of the launcher, without what only sshd needs",
            {
                launcher: { securityContext: { runAsUser: 1000 } },
                worker: {
                    command: ["/usr/sbin/sshd", "-De"],
                    ports: [{ containerPort: 2222 }],
                    readinessProbe: { tcpSocket: { port: 2222 } },
                    securityContext: { runAsUser: 0, capabilities: { add: ["SYS_CHROOT", "IPC_LOCK"] } },
                },
            },
            { podSecurityContext: { runAsUser: 1000 }, securityContext: { capabilities: { add: ["IPC_LOCK"] } } },
        ],
        [
            "a worker that starts sshd in a shell",
            { worker: { command: ["sh", "-c"], args: ["exec /usr/sbin/sshd -De -f /home/u/.sshd_config"] } },
            {},
        ],
        [
            "amounts, a pull policy and ports",
            {
                worker: {
                    imagePullPolicy: "Always",
                    ports: [{ containerPort: 22 }, { containerPort: 9000 }],
                    resources: { limits: { cpu: 2, memory: "1Gi" }, claims: [{ name: "gpu" }] },
                },
            },
            {
                imagePullPolicy: "Always",
                resources: { limits: { cpu: "2", memory: "1Gi" } },
                podTemplate: {
                    spec: {
                        containers: [
                            {
                                name: "flux",
                                ports: [{ containerPort: 9000 }],
                                resources: { claims: [{ name: "gpu" }] },
                            },
                        ],
                    },
                },
            },
        ],
        [
            "the policies of the run",
            {
                spec: {
                    runPolicy: {
                        activeDeadlineSeconds: 60,
                        backoffLimit: 2,
                        cleanPodPolicy: "Running",
                        managedBy: "kubeflow.org/mpi-operator",
                        schedulingPolicy: { minAvailable: 1, priorityClass: "high" },
                        suspend: true,
                        ttlSecondsAfterFinished: 5,
                    },
                },
            },
            {
                activeDeadlineSeconds: 60,
                backoffLimit: 2,
                priorityClassName: "high",
                suspend: true,
                ttlSecondsAfterFinished: 5,
            },
        ],
        [
            "the queue of Kueue, with its other labels",
            { metadata: { labels: { "kueue.x-k8s.io/queue-name": "team", "kueue.x-k8s.io/priority-class": "low" } } },
            { queueName: "team", labels: { "kueue.x-k8s.io/priority-class": "low" } },
        ],
    ];
    for (const [what, parts, expected] of pods) {
        it(`converts without a warning: ${what}`, () => {
            const { args, warnings } = convert(parts);
            const { command, image, size, tasks } = args;
            assert.deepEqual([args, warnings], [{ image, size, command, tasks, ...expected }, []]);
            assertPreview(args);
        });
    }

    it("warns of the operator's hosts and files in variables and in other containers", () => {
        const { warnings } = convert({
            spec: { sshAuthMountPath: "/home/mpi/.ssh" },
            launcher: { env: [{ name: "MAIN", value: "wave-worker-0.wave" }] },
            worker: { env: [{ name: "LIST", value: "/etc/mpi/hostfile" }] },
            workerPod: { containers: [{ name: "b", image: "b:1", command: ["sh", "-c", "ls /home/mpi/.ssh/id"] }] },
        });
        assert.deepEqual(warnings, [
            `${W}.env[0].value: names /etc/mpi/hostfile, which only the MPI Operator's pods have; ` +
                "Flux knows its ranks; for their names, flux resource list -no '{nodelist}'.",
            "worker.containers[1].command[2]: names /home/mpi/.ssh, which only the MPI Operator's pods have; " +
                "Flux needs no keys of ssh; remove it.",
            `${L}.env[0].value: names wave-worker-0, which only the MPI Operator's pods have; ` +
                "the hosts are wave-0, wave-1 and so on.",
        ]);
    });

    it("keeps init containers, and makes the other containers of a worker sidecars", () => {
        const { args, warnings } = more({
            worker: { volumeMounts: [{ name: "data", mountPath: "/data" }] },
            workerPod: {
                volumes: [
                    { name: "data", emptyDir: {} },
                    { name: "log", emptyDir: {} },
                ],
                initContainers: [{ name: "flux-get", image: "b:1", volumeMounts: [{ name: "log", mountPath: "/l" }] }],
                containers: [
                    {
                        name: "log",
                        image: "l:1",
                        command: ["tail"],
                        args: ["-f"],
                        env: [
                            { name: "A", value: "1" },
                            { name: "P", valueFrom: { secretKeyRef: { name: "s", key: "k" } } },
                        ],
                        volumeMounts: [
                            { name: "data", mountPath: "/data" },
                            { name: "log", mountPath: "/l" },
                        ],
                        livenessProbe: { exec: { command: ["true"] } },
                    },
                    { image: "m:1", args: ["-v"] },
                ],
            },
        });
        assert.deepEqual(args["sidecars"], [
            { name: "log", image: "l:1", command: ["tail", "-f"], environment: { A: "1" } },
            { name: "container-2", image: "m:1" },
        ]);
        assert.deepEqual(args["podTemplate"], {
            spec: {
                volumes: [{ name: "log", emptyDir: {} }],
                initContainers: [
                    { name: "other-flux-get", image: "b:1", volumeMounts: [{ name: "log", mountPath: "/l" }] },
                    {
                        name: "log",
                        livenessProbe: { exec: { command: ["true"] } },
                        env: [{ name: "P", valueFrom: { secretKeyRef: { name: "s", key: "k" } } }],
                        volumeMounts: [{ name: "log", mountPath: "/l" }],
                    },
                    { name: "container-2", args: ["-v"] },
                ],
            },
        });
        assert.deepEqual(warnings, [
            'worker.containers[2].name: is missing, which Kubernetes refuses. It is now "container-2"; give a name.',
            'worker.initContainers[0].name: is "flux-get", but such names belong to the cluster; it is now "other-flux-get".',
        ]);
        assertPreview({ ...args, image: "a:1", size: 2 });
    });

    it("gives all ranks the variables of the launcher, as mpirun does, and reads $(NAME) as Kubernetes does", () => {
        const pass = { name: "PASS", valueFrom: { secretKeyRef: { name: "s", key: "k" } } };
        const url = { name: "URL", value: "db://$(PASS)@$(HOST)" };
        const { args, warnings } = more({
            worker: { env: [{ name: "A", value: "1" }, { name: "B", value: "worker" }, { name: "C" }] },
            launcher: {
                command: ["mpirun", "./wave", "$(HOST)", "$$(HOST)", "$(NONE)"],
                env: [{ name: "B", value: "launcher" }, { name: "HOST", value: "db-$(B)" }, pass, url],
            },
        });
        assert.deepEqual(args["environment"], { A: "1", C: "", B: "launcher", HOST: "db-launcher" });
        assert.deepEqual(args["podTemplate"], { spec: { containers: [{ name: "flux", env: [pass, url] }] } });
        assert.deepEqual(args["command"], ["./wave", "db-launcher", "$(HOST)", "$(NONE)"]);
        assert.deepEqual(warnings, [
            `${L}.env: B differs from the worker's value. All ranks have the launcher's, as mpirun would pass it on. Remove one of them.`,
        ]);
    });

    const warned: [what: string, parts: Parameters<typeof more>[0], warning: RegExp][] = [
        [
            "another program of a worker",
            { worker: { command: ["sh", "-c", "prepare; sshd -D"] } },
            /^worker.*\.command: is not run.* hooks\.pre\.$/,
        ],
        [
            "another probe",
            { worker: { livenessProbe: { exec: { command: ["a"] } } } },
            /livenessProbe: has no counterpart/,
        ],
        [
            "variables of a Secret",
            { worker: { envFrom: [{ secretRef: { name: "s" } }] } },
            /envFrom: are variables of podTemplate/,
        ],
        [
            "a user beside other containers",
            { worker: { securityContext: { runAsUser: 5 } }, workerPod: { containers: [{ name: "b", image: "b" }] } },
            /runAsUser: is 5; here it is podSecurityContext/,
        ],
        [
            "another image of the launcher",
            { launcher: { image: "b:1" } },
            /image: is "b:1", unlike the workers'\. There is no pod of a launcher/,
        ],
        [
            "a selector of the launcher",
            { launcherPod: { nodeSelector: { a: "b" } } },
            /nodeSelector: differs from the workers'\./,
        ],
        [
            "an init container of the launcher",
            { launcherPod: { initContainers: [{ name: "wait", image: "b" }] } },
            /initContainers\[0\]: is "wait", which is left out\./,
        ],
        [
            "a container beside the launcher",
            { launcherPod: { containers: [{ name: "x", image: "b" }] } },
            /containers\[1\]: is "x", which is left out\./,
        ],
        [
            "the operator's own variable",
            { worker: { env: [{ name: "K_MPI_JOB_ROLE", value: "a" }] } },
            /env\[0\]: is K_MPI_JOB_ROLE/,
        ],
        [
            "a mount at the hostfile",
            {
                worker: { volumeMounts: [{ name: "v", mountPath: "/etc/mpi" }] },
                workerPod: { volumes: [{ name: "v", emptyDir: {} }] },
            },
            /is \/etc\/mpi, where the MPI Operator has its hostfile/,
        ],
        [
            "a mount without a volume",
            { worker: { volumeMounts: [{ name: "v", mountPath: "/v" }] } },
            /is "v", which is no volume of the pod/,
        ],
        [
            "suspension by Kueue",
            { metadata: { labels: { "kueue.x-k8s.io/queue-name": "q" } }, spec: { runPolicy: { suspend: true } } },
            /suspend: is true, but Kueue decides on that in the queue q/,
        ],
        [
            "fields of a PodGroup",
            { spec: { runPolicy: { schedulingPolicy: { queue: "q" } } } },
            /queue: is "q", a field of the PodGroup/,
        ],
        [
            "a smaller gang",
            { spec: { runPolicy: { schedulingPolicy: { minAvailable: 2 } } } },
            /minAvailable: is 2, a field of the PodGroup.* give minSize/,
        ],
        [
            "MultiKueue",
            { spec: { runPolicy: { managedBy: "kueue.x-k8s.io/multikueue" } } },
            /managedBy: .* in another cluster/,
        ],
        [
            "the removal of all pods",
            { spec: { runPolicy: { cleanPodPolicy: "All" } } },
            /cleanPodPolicy: is "All"; .* ttlSecondsAfterFinished\.$/,
        ],
        [
            "a field that no MPIJob has",
            { spec: { slotsPerWorkr: 2 } },
            /slotsPerWorkr: is no field of an MPIJob \(v2beta1\).* write slotsPerWorker/,
        ],
        [
            "more slots than CPUs",
            { spec: { slotsPerWorker: 4 }, worker: { resources: { limits: { cpu: 2 } } } },
            /command\[0\]: starts 8 tasks; a rank needs 4 cores .* cores is now 4/,
        ],
        [
            "arguments without a command",
            { launcher: { command: [], args: ["mpirun", "a"] } },
            /args: is given without command/,
        ],
        [
            "Open MPI",
            { spec: { mpiImplementation: "OpenMPI" } },
            /mpiImplementation: is Open MPI\. From 5 on it needs the plugin flux-pmix beside Flux, and shellOptions: \{ pmi: "pmix" \}/,
        ],
        ["Intel MPI", { spec: { mpiImplementation: "Intel" } }, /mpiImplementation: is Intel MPI, .* hooks\.init\.$/],
        [
            "a library for Intel MPI",
            { worker: { env: [{ name: "I_MPI_PMI_LIBRARY", value: "/x" }] } },
            /I_MPI_PMI_LIBRARY, by which Intel MPI asks another library/,
        ],
        [
            "a path of the operator",
            { launcher: { command: ["mpirun", "a", "/etc/mpi/hostfile"] } },
            /names \/etc\/mpi\/hostfile, which only/,
        ],
        [
            "a host of the operator",
            { launcher: { command: ["mpirun", "a", "wave-worker-0.wave"] } },
            /names wave-worker-0, which only .* wave-0, wave-1 and so on\.$/,
        ],
    ];
    for (const [what, parts, warning] of warned) {
        it(`warns of ${what}`, () => {
            const { args, warnings } = convert(parts);
            assert.equal(warnings.length, 1, warnings.join("\n"));
            assert.match(warnings[0], warning);
            assertPreview(args);
        });
    }

    const refused: [what: string, yaml: string, message: RegExp][] = [
        ["another resource", "kind: Job", /^This text has no MPIJob with a spec\. Give the YAML/],
        ["a TrainJob", "kind: TrainJob\nspec: {}", /^This text has a TrainJob of Kubeflow Trainer, .* by hand\.$/],
        [
            "another version",
            mpiJob({}).replace("v2beta1", "v1"),
            /^apiVersion \(line 1\) is "kubeflow\.org\/v1", but only an MPIJob of kubeflow\.org\/v2beta1 can be converted\./,
        ],
        [
            "no launcher",
            mpiJob({ spec: { mpiReplicaSpecs: {} } }),
            /Launcher\.template\.spec\.containers \(line 1\) is missing or empty\./,
        ],
        [
            "no number of workers",
            mpiJob({ replicas: 0 }),
            /Worker\.replicas \(line 1\) is 0, but it must be 1 or more\./,
        ],
        [
            "no command",
            mpiJob({ launcher: { command: [] } }),
            /containers\[0\] \(line 1\) has no program: the image's own entry point runs there, .* Give command\.$/,
        ],
        ["options without a command", mpiJob({ launcher: { command: [], args: ["-n"] } }), /has no program/],
        [
            "no image",
            mpiJob({ worker: { image: null } }),
            /image \(line 1\) is missing\. Give the image of the workers\.$/,
        ],
        [
            "a value without a meaning",
            mpiJob({ worker: { command: "sshd" } }),
            /command \(line 1\) is "sshd", but it must be a list/,
        ],
    ];
    for (const [what, yaml, message] of refused) {
        it(`throws a clear error for ${what}`, () => assert.throws(() => fromMPIJob(yaml), { message }));
    }

    it("reads the items of a list, and warns of other documents", () => {
        const other = mpiJob({ metadata: { name: "other" } });
        const list = `kind: List\nitems: [${mpiJob({})}, ${other}]\n---\nkind: ConfigMap\nmetadata: {name: c}`;
        const { name, warnings } = converted(list);
        assert.deepEqual(
            [name, warnings.map((warning) => warning.replace(/^documents: /, ""))],
            [
                "wave",
                [
                    'the MPIJob "other" is not converted: pass its document on its own.',
                    'the ConfigMap "c" is not converted: apply it yourself, or make it with Pulumi.',
                ],
            ],
        );
    });
});

function launcherOf(container: object): object {
    return { template: { spec: { containers: [{ name: "launcher", image: "a:1", ...container }] } } };
}
