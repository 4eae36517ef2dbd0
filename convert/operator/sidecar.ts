import { commonHandlers, pullPolicy, withImage } from "./common";
import { STRICT } from "./hooks";
import { warnOfOwnVariables } from "./ownNames";
import { freeName } from "../metadata";
import { type Fields, given, needless, type Reader, type Values } from "../reader";
import type { ReadContainer } from "../template";

/** Fields that only the container that runs Flux has, and that the operator ignores in others. */
const FOR_FLUX = ["batch", "batchRaw", "launcher", "logs"];

/** Reads a container that doesn't run Flux, as a sidecar. Its volumes are read with those of the cluster. */
export function readSidecar(reader: Reader, path: string, fields: Fields, isStrict: boolean): ReadContainer {
    const args: Values = {};
    const template: Values = {};
    reader.read(withImage(reader, path, fields), {
        ...commonHandlers(args, template),
        ...Object.fromEntries(
            FOR_FLUX.map((name) => [
                name,
                reader.without(`${path}.${name}`, "has no effect on a container that doesn't run Flux. Remove it."),
            ]),
        ),
        name: needless,
        command: needless,
        commands: needless,
        noWrapEntrypoint: needless,
        runFlux: needless,
        volumes: needless,
    });
    const { environment, image, imagePullSecrets, resources, securityContext, workingDir } = args;
    return {
        args: given({
            name: nameOf(reader, path, fields.name),
            image,
            command: commandOf(reader, path, fields, isStrict),
            environment,
            resources,
            securityContext,
        }),
        template: given({ imagePullPolicy: pullPolicy(args), workingDir, ...template }),
        imagePullSecrets: imagePullSecrets ?? [],
    };
}

/** The operator's start script of such a container: its commands in one shell. */
function commandOf(reader: Reader, path: string, fields: Fields, isStrict: boolean): string[] | undefined {
    const commands: Fields = fields.commands ?? {};
    warnOfRankHooks(reader, path, commands);
    const parts = [
        ["commands.init", commands.init],
        ["", isStrict ? STRICT : undefined],
        ["commands.servicePre", commands.servicePre],
        ["command", fields.command],
        ["commands.post", commands.post],
    ].filter(([, text]) => text) as [string, string][];
    const written = parts.filter(([name]) => name !== "");
    if (fields.noWrapEntrypoint) {
        const reason = "is ignored, because noWrapEntrypoint starts the image's own program. Remove one of them.";
        written.forEach(([name]) => reader.warn(`${path}.${name}`, reason));
        return undefined;
    }
    warnOfScript(reader, path, commands.script);
    if (!fields.command) {
        const reason = "is missing: here the image's own program runs, and the operator's container ends at once.";
        reader.warn(`${path}.command`, `${reason} Give a command, or set noWrapEntrypoint.`);
        const more = written.filter(([name]) => name !== "command");
        more.forEach(([name]) =>
            reader.warn(`${path}.${name}`, "is ignored without a command. Write it as the command."),
        );
        return undefined;
    }
    written.forEach(([name, text]) => warnOfOwnVariables(reader, `${path}.${name}`, text));
    return ["/bin/bash", "-c", parts.map(([, text]) => text).join("\n")];
}

function warnOfScript(reader: Reader, path: string, script: string | undefined): void {
    if (script) {
        const reason = "is written to a file, which the operator doesn't run in a container without Flux.";
        reader.warn(
            `${path}.commands.script`,
            `${reason} Give it as command, without the backslashes before $ and \`.`,
        );
    }
}

/** Hooks of the ranks, which the operator's script for other containers doesn't have. */
function warnOfRankHooks(reader: Reader, path: string, commands: Fields): void {
    for (const name of ["pre", "brokerPre", "workerPre", "prefix"].filter((field) => commands[field])) {
        const cure = name === "pre" ? "Write it as servicePre or as a part of the command." : "Remove it.";
        reader.warn(`${path}.commands.${name}`, `has no effect on a container that doesn't run Flux. ${cure}`);
    }
}

function nameOf(reader: Reader, path: string, name: unknown): string {
    if (!name) {
        const number = /\d+/.exec(path)?.[0];
        reader.warn(
            `${path}.name`,
            `is missing, which the operator refuses. It is now "container-${number}"; give a name.`,
        );
        return `container-${number}`;
    }
    return freeName(reader, path, String(name));
}

/** Reads a service. The operator ignores its command and starts the image's entry point. */
export function readService(reader: Reader, path: string, fields: Fields): ReadContainer {
    const { command, commands, noWrapEntrypoint: _, secrets, volumes, ...rest } = fields;
    const {
        args,
        imagePullSecrets,
        template: { ports = [], ...template },
    } = readSidecar(reader, path, { ...rest, noWrapEntrypoint: true }, false);
    const { imagePullPolicy, pullAlways } = fields;
    const { imagePullPolicy: _policy, ...others } = template;
    const policy = given({ imagePullPolicy: imagePullPolicy || undefined, pullAlways: pullAlways || undefined });
    const without = { ...others, ...policy, ...given({ secrets, volumes }) };
    for (const name of Object.keys(without)) {
        const field = name === "lifecycle" ? "lifeCycle" : name;
        reader.warn(`${path}.${field}`, "has no counterpart; run the service in a Deployment of your own.");
    }
    if (command) {
        reader.warn(
            `${path}.command`,
            "is ignored, as in the operator: a service starts the image's own program. Remove it.",
        );
    }
    if (Object.values(commands ?? {}).some(Boolean)) {
        reader.warn(
            `${path}.commands`,
            "are ignored, as in the operator: a service starts the image's own program. Remove them.",
        );
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
