import { type Command, readCommand } from "./command";
import { type Fields, needless, type Reader, type Values } from "./reader";
import { readVolume } from "./volume";
import type { Json } from "../../provider/contract/object";

/** A container of the operator's resource: its arguments, and the fields that only the pod template can have. */
export interface ReadContainer {
    readonly args: Values;
    readonly template: Values;
    /** Added to the pod, because containers have no pull secrets of their own. */
    readonly imagePullSecrets?: readonly string[];
}

/** Reads the container that runs Flux. */
export function readRunner(reader: Reader, path: string, fields: Fields, interactive: boolean): ReadContainer {
    const args: Values = { ...readCommand(reader, path, fields, interactive) } satisfies Command;
    const template: Values = {};
    reader.read(path, fields, {
        ...common(reader, path, args, template),
        command: needless,
        launcher: needless,
        batch: needless,
        batchRaw: needless,
        runFlux: needless,
        name: needless,
        logs: fields.batch
            ? needless
            : reader.without(`${path}.logs`, "has no counterpart; redirect the output in the command."),
        commands: (commands) => readHooks(reader, `${path}.commands`, commands, args),
        noWrapEntrypoint: needless,
        fluxUser: (user) => (args.user = user),
        volumes: (volumes) => readVolumes(reader, `${path}.volumes`, volumes, args),
    });
    return { args, template };
}

function readVolumes(reader: Reader, path: string, volumes: Fields, args: Values): void {
    for (const [name, fields] of Object.entries(volumes)) {
        const { sharedMemory, volume } = readVolume(reader, `${path}.${name}`, name, fields as Fields);
        args.volumes = volume === undefined ? args.volumes : [...(args.volumes ?? []), volume];
        args.sharedMemory = sharedMemory ?? args.sharedMemory;
    }
}

function readHooks(reader: Reader, path: string, commands: Fields, args: Values): void {
    const hooks: Values = {};
    reader.read(path, commands, {
        init: (text) => (hooks.init = text),
        pre: (text) => (hooks.pre = text),
        brokerPre: (text) => (hooks.lead = text),
        workerPre: (text) => (hooks.worker = text),
        post: (text) => (hooks.post = text),
        script: needless,
        servicePre: needless,
        prefix: reader.without(
            `${path}.prefix`,
            "has no counterpart; use launcher, and write the prefix before flux run in the command.",
        ),
        runFluxAsRoot: needless,
    });
    if (Object.keys(hooks).length > 0) {
        args.hooks = hooks;
    }
}

/**
 * Handlers for the fields that all containers have. Fields without an argument, such as ports, go into the pod
 * template.
 */
function common(reader: Reader, path: string, args: Values, template: Values): Record<string, (value: Json) => void> {
    return {
        image: (value) => (args.image = value),
        workingDir: (value) => (args.workingDir = value),
        imagePullSecret: (value) => (args.imagePullSecrets = [value]),
        pullAlways: (value) => (args.imagePullPolicy = value ? "Always" : args.imagePullPolicy),
        imagePullPolicy: (value) => (args.imagePullPolicy ??= value),
        ports: (ports: number[]) =>
            (template.ports = ports.map((containerPort) => ({
                name: `port-${containerPort}`,
                containerPort,
                protocol: "TCP",
            }))),
        environment: (value: Fields) => (args.environment = texts(value)),
        secrets: (secrets: Record<string, Fields>) => {
            template.env = Object.entries(secrets).map(([name, { key, name: secret }]) => ({
                name,
                valueFrom: { secretKeyRef: { name: secret, key } },
            }));
            reader.warn(
                `${path}.secrets`,
                "are variables of podTemplate, which flux run copies into the jobspec; use environment with pulumi.secret.",
            );
        },
        lifeCycle: (hooks: Fields) => {
            const exec = (text: string) => ({ exec: { command: ["/bin/sh", "-c", text] } });
            const { postStartExec, preStopExec } = hooks as Record<string, string | undefined>;
            template.lifecycle = {
                ...(postStartExec ? { postStart: exec(postStartExec) } : {}),
                ...(preStopExec ? { preStop: exec(preStopExec) } : {}),
            };
        },
        resources: (resources: Record<string, Fields>) => {
            args.resources = Object.fromEntries(
                Object.entries(resources).map(([kind, amounts]) => [kind, texts(amounts)]),
            );
        },
        securityContext: (value) => (args.securityContext = value),
    };
}

function texts(map: Fields): Record<string, string> {
    return Object.fromEntries(Object.entries(map).map(([name, value]) => [name, String(value)]));
}

/** Reads a container that doesn't run Flux, as a sidecar. */
export function readSidecar(reader: Reader, path: string, fields: Fields): ReadContainer {
    const args: Values = {};
    const template: Values = {};
    reader.read(path, fields, {
        ...common(reader, path, args, template),
        name: needless,
        command: needless,
        noWrapEntrypoint: needless,
        runFlux: needless,
        launcher: needless,
        commands: reader.without(`${path}.commands`, "are ignored: only the container that runs Flux has hooks."),
        volumes: reader.without(
            `${path}.volumes`,
            "are ignored: a sidecar has the volumes of the container that runs Flux. Give them there.",
        ),
    });
    const { environment, image, imagePullPolicy, imagePullSecrets, resources, securityContext, workingDir } = args;
    const command =
        typeof fields.command === "string" && !fields.noWrapEntrypoint ? ["/bin/sh", "-c", fields.command] : undefined;
    return {
        args: given({
            name: nameOf(reader, path, fields.name),
            image,
            command,
            environment,
            resources,
            securityContext,
        }),
        template: given({ imagePullPolicy, workingDir, ...template }),
        imagePullSecrets: imagePullSecrets ?? [],
    };
}

/** The name of a container. `flux` and `flux-...` belong to the cluster; a container with such a name is renamed. */
function nameOf(reader: Reader, path: string, name: unknown): unknown {
    if (name !== "flux" && !String(name).startsWith("flux-")) {
        return name;
    }
    reader.warn(`${path}.name`, `is "${name}", but such names belong to the cluster; it is now "other-${name}".`);
    return `other-${name}`;
}

/** Reads a service. The operator ignores its command and starts the image's entry point. */
export function readService(reader: Reader, path: string, { secrets, volumes, ...fields }: Fields): ReadContainer {
    const {
        args,
        imagePullSecrets,
        template: { ports = [], ...rest },
    } = readSidecar(reader, path, { ...fields, command: undefined });
    for (const name of Object.keys({ ...rest, ...(secrets ? { secrets } : {}), ...(volumes ? { volumes } : {}) })) {
        reader.warn(`${path}.${name}`, "has no counterpart; run the service in a Deployment of your own.");
    }
    if (ports.length === 0) {
        reader.warn(
            `${path}.ports`,
            "is missing; the service is left out, because no rank can reach it. Give the ports on which it listens.",
        );
    }
    const numbers = ports.map(({ containerPort }: { containerPort: number }) => containerPort);
    return { args: { ...args, ports: numbers }, template: {}, imagePullSecrets };
}

function given(values: Values): Values {
    return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}
