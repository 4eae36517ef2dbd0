import { FLUX_CONTAINER } from "../../provider/contract/names";
import { compact, isObject, type Json, type KubernetesObject, mergePatch } from "../../provider/contract/object";
import { namesInWords } from "../../provider/contract/words";
import { type Mount, volumeMounts } from "../parts/mount";
import { plainPath } from "../parts/paths";
import type { Problem } from "../rules/problem";
import type { MiniClusterSpec } from "../spec";
import { initContainers } from "./initContainers";
import { mounts } from "./mounts";

/** A mount of a container in the pod template. */
interface Placed {
    readonly path: string;
    /** The argument that asks for the mount; undefined for those of every cluster. */
    readonly argument?: string;
    /** True for a mount of the pod template's patch. */
    readonly isPatched: boolean;
    readonly isPathGiven: boolean;
    readonly unpacked: readonly string[];
}

/**
 * Judges the mounts of the Flux container as the pods get them. The API server only sees two mounts at one path when it
 * creates the Job, which is after the end of the old one. Other fields of the container aren't read: a preview may not know
 * them yet.
 */
export function validateMounts(spec: MiniClusterSpec): Problem[] {
    const own = mounts(spec, {});
    const container = { name: FLUX_CONTAINER, volumeMounts: volumeMounts(own) };
    return problemsIn(spec, "containers", [container], own);
}

/** The same for init containers and sidecars. */
export function validateInitMounts(spec: MiniClusterSpec): Problem[] {
    const own = mounts(spec, {});
    const init = initContainers(spec, own);
    return problemsIn(spec, "initContainers", init.containers, [...own, ...init.mounts]);
}

/** The problems of these containers with the mounts of the pod template's patch. */
function problemsIn(
    { podTemplate }: MiniClusterSpec,
    list: "containers" | "initContainers",
    containers: readonly KubernetesObject[],
    known: readonly Mount[],
): Problem[] {
    const patch: Json = podTemplate["spec"]?.[list];
    const mountsOf = ({ name, volumeMounts: all }: KubernetesObject) => compact({ name, volumeMounts: all });
    const patched = patch === undefined ? containers : mergePatch(containers, objectsIn(patch).map(mountsOf));
    return objectsIn(patched).flatMap((container) =>
        problemsOf(placed(container, known, `podTemplate.spec.${list}[${container["name"]}].volumeMounts`)),
    );
}

/**
 * The mounts of a container. One that no feature has made comes from the patch of the pod template. A mount where files are
 * unpacked counts also if the patch gives its path another volume: all ranks would unpack into that.
 */
function placed(container: KubernetesObject, known: readonly Mount[], patch: string): Placed[] {
    const left = [...known];
    const all = objectsIn(container["volumeMounts"]).filter(({ mountPath }) => String(mountPath).startsWith("/"));
    const mounted = all.map(({ mountPath, name }) => {
        const at = left.findIndex((mount) => mount.mountPath === mountPath && mount.volume.name === name);
        return at < 0
            ? place({ mountPath, argument: `${patch}[${mountPath}]`, isPathGiven: true }, true)
            : place(left.splice(at, 1)[0]);
    });
    const lost = container["name"] === FLUX_CONTAINER ? left.filter(({ unpacked }) => unpacked !== undefined) : [];
    return [...lost.map((mount) => place(mount)), ...mounted];
}

function place(mount: Omit<Mount, "volume">, isPatched = false): Placed {
    const { argument, isPathGiven = false, mountPath, unpacked = [] } = mount;
    return { path: plainPath(mountPath), argument, isPatched, isPathGiven, unpacked };
}

function problemsOf(all: readonly Placed[]): Problem[] {
    return all.flatMap((mount, index) => [
        ...all.slice(0, index).flatMap((earlier) => sameProblem(earlier, mount)),
        ...all.flatMap((other) => insideProblem(other, mount)),
    ]);
}

function sameProblem(earlier: Placed, later: Placed): Problem[] {
    const [{ argument: property, isPatched, path }, other] = later.isPathGiven ? [later, earlier] : [earlier, later];
    // The rules of each argument refuse the paths that all clusters have.
    const whose = other.argument ?? (isPatched ? "the cluster itself" : undefined);
    if (earlier.path !== later.path || property === undefined || whose === undefined) {
        return [];
    }
    return [{ property, reason: `is ${path}, where there is a mount of ${whose} already. Use another path.` }];
}

/** Refuses a mount where files are unpacked: all ranks would write into its volume. */
function insideProblem(folder: Placed, mount: Placed): Problem[] {
    const isInside = (path: string) => `${folder.path}/${path}/`.startsWith(`${mount.path}/`);
    const files = mount.path.startsWith(`${folder.path}/`) ? folder.unpacked.filter(isInside) : [];
    const { argument: property, path } = mount.isPathGiven ? mount : folder;
    const reason =
        `is ${path}, so each rank would write files of ${folder.argument} into the volume at ${mount.path}: ` +
        `${namesInWords(files)}. Leave these files out, or use another path.`;
    return files.length === 0 || property === undefined ? [] : [{ property, reason }];
}

/** The objects of a list. Kubernetes refuses other values of a patch. */
function objectsIn(list: Json): KubernetesObject[] {
    return Array.isArray(list) ? list.filter(isObject) : [];
}
