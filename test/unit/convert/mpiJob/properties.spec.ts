import assert from "node:assert/strict";

import fc from "fast-check";

import { decideCluster } from "../../../../components/arguments/decide";
import { checkArguments } from "../../../../components/arguments/shape";
import type { PlainArgs } from "../../../../components/args";
import { fromMPIJob } from "../../../../convert";
import { assertPods } from "./support";
import { HYDRA, OPEN_MPI } from "../../../../convert/mpiJob/launch/mpirun";
import { DEEP_SPEED, HOROVOD } from "../../../../convert/mpiJob/launch/learning";

const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined, freq: 2 });
const name = fc.constantFrom("a", "data", "flux-x", "flux", "my-name");
const value = fc.constantFrom("", "1", "two words", "$(A)", "$$(A)", "a'b\"c", "$HOME");
const path = fc.constantFrom("/data", "/dev/shm", "/etc/mpi", "/opt/view", "/run/flux", "/a b");
const count = fc.integer({ min: 1, max: 9 });

const env = fc.array(
    fc.oneof(
        fc.record({ name: fc.constantFrom("A", "B", "PATH", "FLUX_URI", "a.b"), value }),
        fc.record({
            name: fc.constantFrom("KEY", "A"),
            valueFrom: fc.constant({ secretKeyRef: { name: "s", key: "k" } }),
        }),
    ),
    { maxLength: 4 },
);

const volume = fc.oneof(
    fc.record({ name, emptyDir: fc.constantFrom({}, { medium: "Memory", sizeLimit: "1Gi" }) }),
    fc.record({ name, secret: fc.constantFrom({ secretName: "s" }, { secretName: "s", defaultMode: 256 }) }),
    fc.record({ name, persistentVolumeClaim: fc.constantFrom({ claimName: "c" }, { claimName: "c", readOnly: true }) }),
    fc.record({ name, nfs: fc.constant({ server: "s", path: "/" }) }),
);

const mount = fc.record({
    name,
    mountPath: path,
    readOnly: optional(fc.boolean()),
    subPath: optional(fc.constantFrom("s", "")),
});

/** Words of a program such as mpirun, with its options and with values that they may or may not take. */
const launched = fc
    .tuple(
        fc.constantFrom("mpirun", "/usr/bin/mpiexec", "orterun", "mpiexec.hydra", "horovodrun", "deepspeed"),
        fc.array(
            fc.oneof(
                fc
                    .constantFrom(...[OPEN_MPI, HYDRA, HOROVOD, DEEP_SPEED].flatMap((options) => Object.keys(options)))
                    .map((option) => `-${option}`),
                fc.constantFrom("2", "a=b", "none", "node", ":", "--unknown", "--np=3", "x", "ppr:2:node"),
            ),
            { maxLength: 8 },
        ),
        fc.constantFrom(["./a"], ["python", "a.py", "--lr=1"], []),
    )
    .map(([program, options, rest]) => [program, ...options, ...rest]);

const script = fc
    .array(
        fc.oneof(
            launched.map((words) => words.join(" ")),
            fc.constantFrom(";", "&&", "\n", "|", "x=$A", "if y; then", "fi", "> o", "'", "$N", "# c\n", "(", ")"),
        ),
        {
            maxLength: 6,
        },
    )
    .map((parts) => parts.join(" "));

const command = fc.oneof(
    launched.map((words) => ({ command: words })),
    launched.map((words) => ({ args: words })),
    script.map((text) => ({ command: ["bash", "-c", text] })),
    script.map((text) => ({ command: ["sh", "-lc"], args: [text] })),
    fc.constantFrom({ command: ["./driver", "$(KEY)", "$(A)"] }, { args: ["-n", "2"] }, {}),
);

const security = fc.record({
    runAsUser: optional(fc.constantFrom(0, 1000)),
    capabilities: optional(fc.constantFrom({ add: ["SYS_CHROOT"] }, { add: ["IPC_LOCK"], drop: ["ALL"] })),
});

const container = fc.record(
    {
        name,
        image: fc.constantFrom("a:1", "b"),
        env,
        volumeMounts: fc.array(mount, { maxLength: 3 }),
        securityContext: security,
        resources: fc.constantFrom(
            { limits: { cpu: 1 } },
            { limits: { cpu: "500m", "nvidia.com/gpu": 2 } },
            { requests: { cpu: 3 } },
        ),
        ports: fc.constantFrom([{ containerPort: 2222 }], [{ containerPort: 9 }]),
        readinessProbe: fc.constantFrom({ tcpSocket: { port: 2222 } }, { exec: { command: ["a"] } }),
        workingDir: fc.constantFrom("/w", ""),
    },
    { requiredKeys: ["name", "image"] },
);

/** A pod whose first container has these fields. */
const pod = (fields: fc.Arbitrary<object>) =>
    fc
        .record(
            {
                first: fc.tuple(container, fields).map(([one, other]) => ({ ...one, ...other })),
                more: fc.array(container, { maxLength: 1 }),
                initContainers: fc.array(container, { maxLength: 1 }),
                volumes: fc.array(volume, { maxLength: 4 }),
                hostIPC: fc.boolean(),
                hostNetwork: fc.boolean(),
                nodeSelector: fc.constant({ pool: "hpc" }),
                serviceAccountName: fc.constantFrom("runner", ""),
                securityContext: fc.constantFrom({ fsGroup: 5 }, { runAsUser: 7 }),
                priorityClassName: fc.constant("high"),
            },
            { requiredKeys: ["first"] },
        )
        .map(({ first, initContainers = [], more = [], volumes = [], ...rest }) => {
            const known = volumes.filter(once(({ name: of }) => of));
            const whole = (one: Mounting, prefix = ""): object => ({
                ...one,
                name: `${prefix}${one.name}`,
                volumeMounts: one.volumeMounts
                    ?.filter((mounted) => known.some((given) => given.name === mounted.name))
                    .filter(once(({ mountPath }) => mountPath)),
            });
            return {
                template: {
                    spec: {
                        containers: [whole(first, "main-"), ...more.map((one) => whole(one))],
                        initContainers: initContainers.map((one) => whole(one, "flux-init-")),
                        volumes: known,
                        ...rest,
                    },
                },
            };
        });

interface Mounting {
    readonly name: string;
    readonly volumeMounts?: readonly { readonly name: string; readonly mountPath: string }[];
}

/** Keeps the first item with a key: Kubernetes refuses others. */
function once<T>(keyOf: (item: T) => string): (item: T, index: number, items: readonly T[]) => boolean {
    return (item, index, items) => items.findIndex((other) => keyOf(other) === keyOf(item)) === index;
}

const mpiJobs = fc
    .record({
        spec: fc.record(
            {
                slotsPerWorker: count,
                runLauncherAsWorker: fc.boolean(),
                mpiImplementation: fc.constantFrom("OpenMPI", "Intel", "MPICH"),
                launcherCreationPolicy: fc.constantFrom("AtStartup", "WaitForWorkersReady"),
                runPolicy: fc.record(
                    {
                        cleanPodPolicy: fc.constantFrom("None", "Running", "All"),
                        backoffLimit: fc.integer({ min: 0, max: 6 }),
                        ttlSecondsAfterFinished: fc.nat({ max: 100 }),
                        activeDeadlineSeconds: fc.integer({ min: 1, max: 100 }),
                        suspend: fc.boolean(),
                        schedulingPolicy: fc.record(
                            { minAvailable: count, priorityClass: name, queue: name },
                            { requiredKeys: [] },
                        ),
                    },
                    { requiredKeys: [] },
                ),
            },
            { requiredKeys: [] },
        ),
        launcher: pod(command),
        worker: optional(
            fc.tuple(pod(fc.constantFrom({}, { command: ["/usr/sbin/sshd", "-De"] }, { args: ["x"] })), count),
        ),
        labels: optional(fc.constantFrom({ app: "x" }, { "kueue.x-k8s.io/queue-name": "q" })),
    })
    .map(({ labels, launcher, spec, worker }) => ({
        apiVersion: "kubeflow.org/v2beta1",
        kind: "MPIJob",
        metadata: { name: "wave", labels },
        spec: {
            ...spec,
            mpiReplicaSpecs: { Launcher: launcher, Worker: worker && { ...worker[0], replicas: worker[1] } },
        },
    }));

describe("the conversion of any valid MPIJob", () => {
    it("gives arguments that preview takes, or says what preview refuses, or throws a clear error", () => {
        const ends = { converted: 0, refused: 0, thrown: 0 };
        fc.assert(
            fc.property(mpiJobs, fc.boolean(), (job, fluxInImage) => {
                let read;
                try {
                    read = fromMPIJob(JSON.stringify(job), { fluxInImage });
                } catch (error) {
                    assert.match((error as Error).message, /has no program: .* Give command\.$/);
                    ends.thrown += 1;
                    return;
                }
                const { args, name: cluster, warnings } = read;
                assert.deepEqual(checkArguments(args), []);
                const { problems } = decideCluster(cluster, args as PlainArgs);
                for (const { property } of problems) {
                    assert.ok(
                        warnings.some((warning) => warning.startsWith(`args.${property}: preview refuses it: `)),
                        `${property}: ${warnings.join("\n")}`,
                    );
                    // Names and paths that belong to a cluster are the only ones that this draws.
                    assert.match(
                        property,
                        /^((sidecars\[\d\]\.)?environment\.FLUX_URI|volumes\[\d\]\.mountPath|.*\.name|sharedMemory)$/,
                    );
                }
                if (problems.length === 0) {
                    assertPods(args as PlainArgs, cluster);
                }
                ends[problems.length === 0 ? "converted" : "refused"] += 1;
            }),
            { numRuns: 400, seed: 40 },
        );
        assert.ok(ends.converted > 100 && ends.thrown > 5, JSON.stringify(ends));
    });

    it("warns in whole sentences, with the place and a cure", () => {
        fc.assert(
            fc.property(mpiJobs, (job) => {
                let warnings: readonly string[] = [];
                try {
                    ({ warnings } = fromMPIJob(JSON.stringify(job)));
                } catch {
                    return;
                }
                for (const warning of warnings) {
                    assert.match(warning, /^(spec|metadata|args)[^ :]*( \(line 1\))?: [^]*\.$/);
                    assert.doesNotMatch(warning, /undefined|\[object|null/, warning);
                }
            }),
            { numRuns: 150, seed: 41 },
        );
    });
});
