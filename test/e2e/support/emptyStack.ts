import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import type { LocalWorkspace } from "@pulumi/pulumi/automation";

/** Every test stack is one of this project. */
export const PROJECT = "e2e";

/** What `pulumi stack init` writes for a stack: into the file backend, and beside the project. */
interface EmptyStack {
    readonly name: string;
    readonly checkpoint: string;
    readonly settings: string;
}

/** The first one of this process, which all others are made after: Pulumi would take half a second of CPU for each. */
let first: Promise<EmptyStack> | undefined;

/** Where a file backend has a stack's state. */
export function checkpointPath(backend: string, name: string): string {
    return join(backend, ".pulumi", "stacks", PROJECT, `${name}.json`);
}

/** Lets a workspace create a stack as `pulumi stack init` does. All stacks of a process have the same key. */
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
