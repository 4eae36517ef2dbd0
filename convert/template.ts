import { given, type Values } from "./reader";

/** A container of a resource: its arguments, and the fields that only the pod template can have. */
export interface ReadContainer {
    readonly args: Values;
    readonly template: Values;
    /** Added to the pod, because containers have no pull secrets of their own. */
    readonly imagePullSecrets?: readonly string[];
}

interface Parts {
    readonly template: Values;
    readonly container: Values;
    readonly sidecars: readonly ReadContainer[];
}

/** The arguments with a pod template of the fields that only it can have. */
export function withTemplate(args: Values, { container, sidecars, template }: Parts): Values {
    const rest = sidecars.filter((sidecar) => Object.keys(sidecar.template).length > 0);
    const inits = rest.map((sidecar) => ({ name: sidecar.args.name, ...sidecar.template }));
    const parts = given({
        ...template,
        containers: Object.keys(container).length > 0 ? [{ name: "flux", ...container }] : undefined,
        initContainers: inits.length > 0 ? inits : undefined,
    });
    return given({ ...args, podTemplate: Object.keys(parts).length > 0 ? { spec: parts } : undefined });
}

/** The image with Flux that the Flux Operator uses by default, and where Flux is in it. */
export const VIEW = {
    image: "ghcr.io/converged-computing/flux-view-ubuntu:tag-noble",
    prefix: "/opt/view",
    folders: ["/opt/software"],
} as const;

/** Where a MiniCluster mounts a volume of its own, in memory. */
export const SHARED_MEMORY = "/dev/shm";

/**
 * The warning about a volume at /dev/shm that isn't in the pod's memory. With hostIPC, the node's /dev/shm is there, whose
 * own mount is no other volume.
 */
export function otherSharedMemory(name: string, hostIPC: unknown): string {
    const own = `mounts "${name}" at ${SHARED_MEMORY}, where the ranks have`;
    return hostIPC
        ? `${own} the node's by hostIPC. It is left out; mount it at another path, or remove hostIPC.`
        : `${own} a volume in memory, which counts against the pod's memory limit. It is left out; give hostIPC for the ` +
              `node's ${SHARED_MEMORY}, or sharedMemory for a limit.`;
}
