import { QUEUE_LABEL } from "../../provider/contract/labels";
import { otherSharedMemory, type ReadContainer, SHARED_MEMORY, withTemplate } from "../template";
import { readLabels } from "../metadata";
import { readRunner } from "./container";
import { readFlux, readLogging } from "./flux";
import { warnOfOwnHosts, warnOfOwnPaths } from "./ownNames";
import { readPod } from "./pod";
import { type Fields, filled, needless, type Reader, type Values } from "../reader";
import { readService, readSidecar } from "./sidecar";
import { readTasks } from "./tasks";
import { readVolumes } from "./volumes";

/** Reads the operator's `spec`, whose types have been checked, as arguments of a MiniCluster. */
export function readSpec(reader: Reader, spec: Fields, name: string): Values {
    const containers = spec.containers as Fields[];
    const index = runnerOf(reader, containers);
    const isInteractive = Boolean(spec.interactive);
    const isStrict = Boolean(spec.logging?.strict);
    const around = { isInteractive, isStrict };
    const { args, template: container } = readRunner(reader, `spec.containers[${index}]`, containers[index], around);
    const template: Values = {};
    readTop(reader, spec, args, { name, template });
    readPod(reader, spec, args, template);
    readFlux(reader, spec.flux ?? {}, args, { isBatch: Boolean(containers[index].batch) });
    if (args.command === undefined) {
        args.restful = { enabled: false };
    }
    readTasks(reader, spec, args);
    warnOfOwnPaths(reader, spec);
    warnOfOwnHosts(reader, spec, name);
    args.backoffLimit = readBackoffLimit(spec, isStrict && args.command !== undefined);
    const others = [...containers.entries()].filter(([number]) => number !== index);
    const sidecars = others.map(([number, fields]) =>
        readSidecar(reader, `spec.containers[${number}]`, fields, isStrict),
    );
    shareVolumes(reader, others, args);
    leaveSharedMemory(reader, containers, args);
    if (sidecars.length > 0) {
        args.sidecars = sidecars.map((sidecar) => sidecar.args);
        addPullSecrets(args, sidecars);
    }
    return withTemplate(args, { template, container, sidecars });
}

/** The operator's default, a year: no deadline. */
const DEADLINE = 31_500_000;

/**
 * By default, and with 0, the operator replaces 100 failed pods. If its start script is strict, a failed command fails the
 * pod, so it runs again. Otherwise that pod succeeds, and nothing runs again: the default here. Without a command, there is
 * no limit here.
 */
function readBackoffLimit({ backoffLimit }: Fields, runsAgain: boolean): number | undefined {
    return backoffLimit || (runsAgain ? 100 : undefined);
}

/** The container that runs Flux. */
function runnerOf(reader: Reader, containers: readonly Fields[]): number {
    if (containers.length === 1) {
        return 0;
    }
    const runners = [...containers.keys()].filter((index) => containers[index].runFlux);
    if (runners.length > 1) {
        const paths = runners.map((index) => reader.placed(`spec.containers[${index}].runFlux`)).join(" and ");
        throw new Error(`${paths} are true, but one container runs Flux. Set it for one of them.`);
    }
    if (runners.length === 0) {
        const reason = "has the first container as the one that runs Flux, because none has runFlux: true.";
        reader.warn("spec.containers", `${reason} The operator refuses that; set runFlux.`);
    }
    return runners[0] ?? 0;
}

/** The ranks have a volume in memory at /dev/shm. With hostIPC, it is the node's. */
function leaveSharedMemory(reader: Reader, containers: readonly Fields[], args: Values): void {
    const isThere = ({ mountPath }: Fields) => mountPath === SHARED_MEMORY;
    if ((args.volumes as Fields[] | undefined)?.some(isThere)) {
        args.volumes = filled((args.volumes as Fields[]).filter((volume) => !isThere(volume)));
        const isSame = ({ emptyDir, hostPath }: Fields) => emptyDir || (args.hostIPC && hostPath === SHARED_MEMORY);
        for (const [index, { volumes = {} }] of containers.entries()) {
            Object.entries(volumes as Fields)
                .filter(([, volume]) => volume.path === SHARED_MEMORY && !isSame(volume))
                .forEach(([name]) =>
                    reader.warn(`spec.containers[${index}].volumes.${name}`, otherSharedMemory(name, args.hostIPC)),
                );
        }
    }
    if (args.hostIPC && args.sharedMemory !== undefined) {
        const reason = "makes /dev/shm the node's here, without the limit of the volume at /dev/shm.";
        reader.warn("spec.pod.hostIPC", `${reason} Remove emptyDirSizeLimit, or hostIPC.`);
        delete args.sharedMemory;
    }
}

/** Here, all containers have the volumes of the container that runs Flux. */
function shareVolumes(reader: Reader, others: readonly [number, Fields][], args: Values): void {
    const known = new Set<string>((args.volumes ?? []).map(({ name }: Fields) => name));
    for (const [number, fields] of others) {
        readVolumes(reader, `spec.containers[${number}].volumes`, fields.volumes, args);
    }
    const more = ((args.volumes ?? []) as Fields[]).filter(({ name }) => !known.has(name));
    for (const [number, { volumes }] of others) {
        if (more.length > 0 && volumes !== undefined) {
            const reason =
                "are mounted in the container that runs Flux too: a sidecar has the volumes of that container.";
            reader.warn(`spec.containers[${number}].volumes`, `${reason} Make sure that their paths are free there.`);
        }
    }
}

function addPullSecrets(args: Values, containers: readonly ReadContainer[]): void {
    const secrets = new Set([
        ...(args.imagePullSecrets ?? []),
        ...containers.flatMap(({ imagePullSecrets = [] }) => imagePullSecrets),
    ]);
    if (secrets.size > 0) {
        args.imagePullSecrets = [...secrets];
    }
}

const ELASTIC =
    "is only the limit here: no autoscaler can resize a Job. With the argument elastic, the cluster sizes itself by its queue.";
const ARCHIVE =
    "must exist when the cluster starts: Flux refuses a missing archive, which the operator ignores. Create it before.";

/** Reads the other fields of `spec`. */
function readTop(
    reader: Reader,
    spec: Fields,
    args: Values,
    { name, template }: { name: string; template: Values },
): void {
    const into = (property: string) => (value: unknown) => (args[property] = value);
    reader.read(spec, {
        containers: needless,
        flux: needless,
        interactive: needless,
        pod: needless,
        tasks: needless,
        size: into("size"),
        maxSize: (value) => {
            args.maxSize = value || undefined;
            // The operator's quorum. Without it, MiniCluster takes 1 if there is a maxSize.
            args.minSize = value ? (args.minSize ?? (spec.minSize || spec.size || 1)) : undefined;
            if (value > (spec.size ?? 1)) {
                reader.warn("spec.maxSize", ELASTIC);
            }
        },
        minSize: (value) => (args.minSize = value || args.minSize),
        deadlineSeconds: (value) => (args.activeDeadlineSeconds = value === DEADLINE ? undefined : value),
        backoffLimit: needless,
        shareProcessNamespace: (value) => (template.shareProcessNamespace = value || undefined),
        jobLabels: ({ [QUEUE_LABEL]: queue, ...labels }: Record<string, string>) => {
            args.queueName = queue;
            args.labels = readLabels(reader, "spec.jobLabels", labels);
        },
        network: (network: Fields) => readNetwork(reader, network, args, name),
        logging: (logging: Fields) => readLogging(reader, logging, args),
        archive: ({ path }: Fields) => {
            if (path) {
                args.broker = { ...args.broker, attributes: { ...args.broker?.attributes, "content.restore": path } };
                reader.warn("spec.archive.path", ARCHIVE);
            }
        },
        cleanup: reader.without(
            "spec.cleanup",
            "has no counterpart; use pulumi destroy, or ttlSecondsAfterFinished for the Job.",
        ),
        services: (services: Fields[]) => readServices(reader, services, args),
    });
}

function readServices(reader: Reader, services: readonly Fields[], args: Values): void {
    const read = services.map((fields, index) => readService(reader, `spec.services[${index}]`, fields));
    const reachable = read.filter((service) => service.args.ports.length > 0);
    if (reachable.length > 0) {
        args.services = reachable.map((service) => service.args);
        addPullSecrets(args, reachable);
    }
}

function readNetwork(reader: Reader, network: Fields, args: Values, name: string): void {
    reader.read(network, {
        // The operator prefers one zone with its affinity, as MiniCluster does.
        disableAffinity: (value) => (args.zone = value ? "spread" : undefined),
        headlessName: (value) => {
            if (value !== name && value !== "") {
                reader.warn(
                    "spec.network.headlessName",
                    `is "${value}"; here the headless Service has the name of the cluster, "${name}". Use that name in host names.`,
                );
            }
        },
    });
}
