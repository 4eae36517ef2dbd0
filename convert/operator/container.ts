import { readCommand } from "./command";
import { commonHandlers, pullPolicy, withImage } from "./common";
import { type PodFile, readHooks } from "./hooks";
import { type Fields, given, needless, type Reader, type Values } from "../reader";
import type { ReadContainer } from "../template";
import { readScript } from "./script";
import { readVolumes } from "./volumes";

/** What the container that runs Flux needs to know of the rest of the resource. */
export interface Surroundings {
    readonly isInteractive: boolean;
    /** True if a failing line ends the operator's start script. */
    readonly isStrict: boolean;
}

/** Reads the container that runs Flux. */
export function readRunner(reader: Reader, path: string, fields: Fields, around: Surroundings): ReadContainer {
    const commands: Fields = fields.commands ?? {};
    const script = commands.script ? readScript(commands.script) : undefined;
    const run = { isInteractive: around.isInteractive, script };
    const { file, ...command } = readCommand(reader, path, fields, run);
    const args: Values = { ...command };
    const template: Values = {};
    const { volumes, ...rest } = withImage(reader, path, fields);
    reader.read(
        { ...rest, commands },
        {
            ...commonHandlers(args, template),
            command: needless,
            launcher: needless,
            batch: needless,
            batchRaw: (value) =>
                value && !fields.batch && reader.warn(`${path}.batchRaw`, "has no effect without batch. Remove it."),
            runFlux: needless,
            name: (value) => warnOfName(reader, path, value),
            logs: fields.batch
                ? needless
                : reader.without(`${path}.logs`, "has no counterpart; redirect the output in the command."),
            commands: () => readCommands(reader, `${path}.commands`, args, { commands, fields, file, ...around }),
            noWrapEntrypoint: reader.without(
                `${path}.noWrapEntrypoint`,
                "has no effect on the container that runs Flux. Remove it.",
            ),
        },
    );
    readVolumes(reader, `${path}.volumes`, volumes, args);
    args.imagePullPolicy = pullPolicy(args);
    return { args: given(args), template: given(template) };
}

function warnOfName(reader: Reader, path: string, name: unknown): void {
    if (name && name !== "flux") {
        const reason = `is "${name}"; here, the container that runs Flux is called flux, and in the operator it has the cluster's name.`;
        reader.warn(`${path}.name`, `${reason} Name flux in kubectl logs -c and kubectl exec -c.`);
    }
}

interface Commands extends Surroundings {
    readonly commands: Fields;
    readonly fields: Fields;
    readonly file: PodFile | undefined;
}

function readCommands(reader: Reader, path: string, args: Values, around: Commands): void {
    const { commands, fields, file, isStrict } = around;
    args.hooks = readHooks(reader, path, commands, { file, isStrict });
    if (commands.prefix && (args.command === undefined || !fields.launcher || fields.batch)) {
        const reason = `is "${commands.prefix}", a program around flux submit, which has no counterpart.`;
        reader.warn(
            `${path}.prefix`,
            `${reason} Write it before the command, or use launcher with prefix and flux run in the command.`,
        );
    }
    if (commands.servicePre) {
        reader.warn(
            `${path}.servicePre`,
            "has no effect on the container that runs Flux. Give it to another container, or use pre.",
        );
    }
}
