import { VARIABLE } from "../../components/rules/patterns";
import { freeName } from "../metadata";
import { expandVariables } from "./environment";
import { type MountedVolume, ownName } from "./volumes";
import { type Fields, filled, given, type Reader, type Values } from "../reader";
import type { ReadContainer } from "../template";

/** Probes that a native sidecar has as in any container. */
const TEMPLATE =
    "envFrom imagePullPolicy lifecycle livenessProbe ports readinessProbe resizePolicy restartPolicyRules startupProbe stdin " +
    "stdinOnce terminationMessagePath terminationMessagePolicy tty volumeDevices workingDir";

/** Reads a container beside the one that runs sshd in a worker. */
export function readSidecars(
    reader: Reader,
    path: string,
    fields: Fields,
    mounts: readonly MountedVolume[],
): ReadContainer {
    const { image, securityContext } = fields;
    if (image === undefined) {
        throw new Error(`${reader.placed(`${path}.image`)} is missing. Give the image of the container.`);
    }
    const index = Number(/\[(\d+)\]$/.exec(path)?.[1]);
    const { claims, ...amounts } = (fields.resources ?? {}) as Fields;
    const { environment, rest } = environmentOf((fields.env ?? []) as Fields[]);
    const { command, ...words } = programOf(fields);
    return {
        args: given({
            name: freeName(reader, path, nameOf(reader, path, fields, index)),
            image,
            command,
            environment: filled(environment),
            resources: filled(amounts),
            securityContext,
        }),
        template: given({
            ...Object.fromEntries(TEMPLATE.split(" ").map((name) => [name, fields[name]])),
            ...words.template,
            env: filled(rest),
            resources: claims && { claims },
            volumeMounts: otherMounts(fields, mounts),
        }),
    };
}

/** The program as an argument. Kubernetes replaces $(NAME) in words of the pod template only. */
function programOf({ args: words = [], command }: Fields): { readonly command?: string[]; readonly template?: Values } {
    const all = [...((command ?? []) as string[]), ...(words as string[])];
    return command === undefined || all.some((word) => word.includes("$"))
        ? { template: { command, args: filled(words) } }
        : { command: all };
}

/** Plain variables, and those that only the pod template can have. */
function environmentOf(list: readonly Fields[]): { readonly environment: Values; readonly rest: readonly Fields[] } {
    const environment: Record<string, string> = {};
    const rest: Fields[] = [];
    const referenced = new Set<string>();
    for (const variable of list) {
        const { name, value = "", valueFrom } = variable;
        const { hasReference, text } = expandVariables(value, { plain: environment, referenced });
        if (valueFrom === undefined && !hasReference && VARIABLE.test(name)) {
            environment[name] = text;
        } else {
            referenced.add(name);
            rest.push(variable);
        }
    }
    return { environment, rest };
}

/** Mounts that the container that runs Flux doesn't have. A sidecar has all mounts of that container. */
function otherMounts(fields: Fields, mounts: readonly MountedVolume[]): Values[] | undefined {
    const { volumeMounts = [] } = withOwnMounts(fields);
    const own = new Set(mounts.map(({ mount }) => mount.mountPath));
    return filled((volumeMounts as Values[]).filter(({ mountPath }) => !own.has(mountPath)));
}

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
