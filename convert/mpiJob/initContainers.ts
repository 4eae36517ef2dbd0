import { freeName } from "../names";
import type { Fields, Reader, Values } from "../reader";
import { ownName } from "./volumes";

/** Init containers for the pod template, with names that the cluster doesn't have itself. */
export function readInitContainers(reader: Reader, path: string, containers: readonly Fields[]): Values[] {
    return containers.map((container, index) => ({
        ...container,
        name: freeName(reader, `${path}[${index}]`, nameOf(reader, `${path}[${index}]`, container, index)),
        ...withOwnMounts(container),
    }));
}

/** The mounts of a container with the names that their volumes have here. */
export function withOwnMounts({ volumeMounts }: Fields): Values {
    const mounts = volumeMounts as Fields[] | undefined;
    return mounts === undefined
        ? {}
        : { volumeMounts: mounts.map((mount) => ({ ...mount, name: ownName(mount.name) })) };
}

/** The name of a container. */
export function nameOf(reader: Reader, path: string, { name }: Fields, index: number): string {
    if (name) {
        return String(name);
    }
    reader.warn(`${path}.name`, `is missing, which Kubernetes refuses. It is now "container-${index}"; give a name.`);
    return `container-${index}`;
}
