import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import type { LocalWorkspace } from "@pulumi/pulumi/automation";

/** The project of every test stack. */
export const PROJECT = "e2e";

/** The files that `pulumi stack init` writes for a stack, in the file backend and in the project's folder. */
interface EmptyStack {
    readonly name: string;
    readonly checkpoint: string;
    readonly settings: string;
}

/** The first stack of this process. All others are copies, because `pulumi stack init` takes half a second of CPU. */
let first: Promise<EmptyStack> | undefined;

/** Path of a stack's state in a file backend. */
export function checkpointPath(backend: string, name: string): string {
    return join(backend, ".pulumi", "stacks", PROJECT, `${name}.json`);
}

/** Returns a function that creates a stack as `pulumi stack init` does. All stacks of a process have the same key. */
export function createEmptyStack(workspace: LocalWorkspace, backend: string): (name: string) => Promise<void> {
    const init = workspace.createStack.bind(workspace);
    const settingsPath = (name: string) => join(workspace.workDir, `Pulumi.${name}.yaml`);
    const read = (name: string): EmptyStack => ({
        name,
        checkpoint: readFileSync(checkpointPath(backend, name), "utf8"),
        settings: readFileSync(settingsPath(name), "utf8"),
    });
    return async (name) => {
        if (first === undefined) {
            first = init(name).then(() => read(name));
            await first;
            return;
        }
        const model = await first;
        const path = checkpointPath(backend, name);
        if (existsSync(path)) {
            throw new Error(`There is a stack ${name} already in ${backend}.`);
        }
        mkdirSync(join(path, ".."), { recursive: true });
        writeFileSync(join(backend, ".pulumi", "meta.yaml"), "version: 1\n");
        writeFileSync(
            path,
            model.checkpoint.replace(`organization/${PROJECT}/${model.name}"`, `organization/${PROJECT}/${name}"`),
        );
        writeFileSync(settingsPath(name), model.settings);
    };
}
