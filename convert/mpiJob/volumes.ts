import { type Fields, filled, isEmpty, type Reader, type Values } from "../reader";
import { otherSharedMemory, SHARED_MEMORY } from "../template";
import { LAUNCHER, mainContainer, type Replicas } from "./replicas";

/** The directory of the operator's hostfile, which only the launcher of the operator has. */
const HOSTFILE_DIR = "/etc/mpi";

/** A mount of the container that runs Flux, with its volume. */
export interface MountedVolume {
    readonly mount: Fields;
    readonly volume: Fields | undefined;
    readonly path: string;
    /** True if only the launcher has the mount. */
    readonly isLauncher: boolean;
}

/** The mounts of the ranks: those of the workers, and others of the launcher, whose command runs on a rank. */
export function mountsOf({ launcher, path, worker }: Replicas): MountedVolume[] {
    const own = mountsIn(worker, mainContainer(path));
    if (launcher === worker) {
        return own;
    }
    const more = mountsIn(launcher, mainContainer(LAUNCHER)).filter(
        (mounted) => !own.some((other) => isSame(other, mounted)),
    );
    return [...own, ...more.map((mounted) => ({ ...mounted, isLauncher: true }))];
}

function isSame(one: MountedVolume, other: MountedVolume): boolean {
    return JSON.stringify([one.mount, one.volume]) === JSON.stringify([other.mount, other.volume]);
}

function mountsIn({ spec }: Fields, path: string): MountedVolume[] {
    const volumes = (spec.volumes ?? []) as Fields[];
    const mounts = (spec.containers[0].volumeMounts ?? []) as Fields[];
    return mounts.map((mount, index) => ({
        mount,
        volume: volumes.find(({ name }) => name === mount.name),
        path: `${path}.volumeMounts[${index}]`,
        isLauncher: false,
    }));
}

/** Arguments, and the parts of the pod template, to which volumes are added. */
interface Targets {
    readonly args: Values;
    readonly container: Values;
    readonly template: Values;
}

/** Reads the volumes of the ranks. */
export function readVolumes(
    reader: Reader,
    { path: replicas, worker }: Replicas,
    mounts: readonly MountedVolume[],
    { args, container, template }: Targets,
): void {
    const read: Values[] = [];
    for (const [index, mounted] of mounts.entries()) {
        const problem = problemOf(mounted, mounts.slice(0, index));
        if (problem !== undefined) {
            reader.warn(mounted.path, problem);
        } else if (mounted.mount.mountPath === SHARED_MEMORY) {
            readSharedMemory(reader, mounted, args);
        } else {
            read.push(volumeOf(mounted, read));
            addDetails(mounted.mount, container);
        }
    }
    args.volumes = filled(read);
    const taken = new Set(read.map(({ name }) => name));
    keepOthers(reader, `${replicas}.template.spec.volumes`, worker, { taken, template });
    if (args.hostIPC && args.sharedMemory !== undefined) {
        const reason = "makes /dev/shm the node's here, without the limit of the volume at /dev/shm.";
        reader.warn(`${replicas}.template.spec.hostIPC`, `${reason} Remove sizeLimit, or hostIPC.`);
        delete args.sharedMemory;
    }
}

function problemOf(
    { isLauncher, mount, volume }: MountedVolume,
    earlier: readonly MountedVolume[],
): string | undefined {
    const { mountPath = "", name } = mount;
    if (volume === undefined) {
        return `is "${name}", which is no volume of the pod; Kubernetes refuses it too. Give the volume.`;
    }
    if (mountPath === HOSTFILE_DIR) {
        return `is ${HOSTFILE_DIR}, where the MPI Operator has its hostfile. Flux needs none; it is left out.`;
    }
    if (earlier.some((other) => other.mount.mountPath === mountPath)) {
        const whose = isLauncher ? "of the workers is" : "is already";
        return `is ${mountPath}, where another volume ${whose} mounted; it is left out. Change one of the paths.`;
    }
    return undefined;
}

/** MiniCluster has a memory volume at /dev/shm. */
function readSharedMemory(reader: Reader, { path, volume }: MountedVolume, args: Values): void {
    const { emptyDir, hostPath } = volume ?? {};
    const isSame = emptyDir?.medium === "Memory" || (args.hostIPC && hostPath?.path === SHARED_MEMORY);
    args.sharedMemory = emptyDir?.sizeLimit ?? args.sharedMemory;
    if (!isSame) {
        reader.warn(path, otherSharedMemory(String(volume?.name), args.hostIPC));
    }
}

function volumeOf({ isLauncher, mount, volume = {} }: MountedVolume, earlier: readonly Values[]): Values {
    const { mountPath, readOnly, subPath } = mount;
    const source = sourceOf(volume);
    const isTaken = (name: string) =>
        earlier.some((other) => other.name === name && JSON.stringify(sourceIn(other)) !== JSON.stringify(source));
    const name = ownName(String(volume.name));
    return {
        name: isLauncher && isTaken(name) ? `launcher-${name}` : name,
        mountPath,
        ...(readOnly === undefined ? {} : { readOnly }),
        ...(subPath === undefined || subPath === "" ? {} : { subPath }),
        ...source,
    };
}

function sourceIn({ mountPath: _, name: __, readOnly: ___, subPath: ____, ...source }: Values): Values {
    return source;
}

/** Names that start with `flux-` belong to the cluster. Nothing else names a volume. */
export function ownName(name: string): string {
    return name.startsWith("flux-") ? `other-${name}` : name;
}

/** The source of a volume: a short argument, or the source as Kubernetes has it if it has more fields. */
function sourceOf({ name: _, ...source }: Fields): Values {
    const [kind = "emptyDir"] = Object.keys(source);
    const fields = (source[kind] ?? {}) as Fields;
    const short = SHORT[kind]?.(fields);
    return short ?? { source: { [kind]: fields } };
}

/** Sources as arguments; undefined if they have other fields. */
const SHORT: Readonly<Record<string, (fields: Fields) => Values | undefined>> = {
    configMap: ({ items, name, ...rest }) => withItems({ configMap: name }, items, rest),
    emptyDir: (fields) => ({ emptyDir: { ...fields } }),
    hostPath: ({ path, type, ...rest }) => (type || !isEmpty(rest) ? undefined : { hostPath: path }),
    persistentVolumeClaim: ({ claimName, ...rest }) =>
        isEmpty(rest) ? { persistentVolumeClaim: claimName } : undefined,
    secret: ({ items, secretName, ...rest }) => withItems({ secret: secretName }, items, rest),
};

function withItems(source: Values, items: Fields[] | undefined, rest: Fields): Values | undefined {
    if (!isEmpty(rest) || items?.some(({ mode }) => mode !== undefined)) {
        return undefined;
    }
    return items === undefined
        ? source
        : { ...source, items: Object.fromEntries(items.map(({ key, path }) => [key, path])) };
}

/** Fields of a mount that only the pod template can have. It finds a mount by its path. */
function addDetails(
    { mountPath, mountPropagation, name, recursiveReadOnly, subPathExpr }: Fields,
    container: Values,
): void {
    const details = Object.entries({ mountPropagation, recursiveReadOnly, subPathExpr }).filter(([, value]) => value);
    if (details.length > 0) {
        const mount = { name: ownName(name), mountPath, ...Object.fromEntries(details) };
        container.volumeMounts = [...(container.volumeMounts ?? []), mount];
    }
}

/** Volumes that only init containers and sidecars mount. */
function keepOthers(
    reader: Reader,
    path: string,
    { spec }: Fields,
    { taken, template }: { readonly taken: ReadonlySet<string>; readonly template: Values },
): void {
    const [main, ...sidecars] = spec.containers as Fields[];
    const mountedBy = (containers: readonly Fields[]) =>
        new Set(containers.flatMap(({ volumeMounts = [] }) => (volumeMounts as Fields[]).map(({ name }) => name)));
    const others = mountedBy([...sidecars, ...(spec.initContainers ?? [])]);
    const own = mountedBy([main]);
    const volumes = (spec.volumes ?? []) as Fields[];
    const kept = volumes.filter(({ name }) => others.has(name) && !taken.has(ownName(name)));
    for (const [index, { name }] of volumes.entries()) {
        if (!others.has(name) && !own.has(name)) {
            reader.warn(`${path}[${index}]`, `is "${name}", which no container mounts; it is left out. Remove it.`);
        }
    }
    template.volumes = filled(kept.map((volume) => ({ ...volume, name: ownName(volume.name) })));
}
