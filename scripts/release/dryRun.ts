import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";

import { stateDir } from "../local/paths";
import { ADDRESSES, missing } from "./addresses";
import { areTheTypesWrong, bills, publint } from "./checks";
import { goProxy } from "./goProxy";
import { type Project, preview, projects } from "./projects";
import { obstacles, readiness } from "./readiness";
import { npmRegistry, pythonIndex, type Registry } from "./registries";
import { releaseTools } from "./tools";
import { makeTwice } from "./twice";

/** The folder of the last dry run, with its artifacts. */
export const FOLDER = join(stateDir, "release");

/** What every project has to create, by the names of the resources. */
const CREATED = ["hello", "hello-key", "hello-lead", "hello-job", "hello-status"];

/**
 * Does all that a release does, except that it signs and attests nothing and publishes to registries on this machine. `tag`
 * is that of a real release, which must be complete. `say` gets a line for each step.
 */
export async function dryRun(tag: string | undefined, say: (line: string) => void): Promise<void> {
    const step = async <T>(what: string, action: () => Promise<T>): Promise<T> => {
        const started = performance.now();
        const result = await action();
        say(`${((performance.now() - started) / 1000).toFixed(0).padStart(4)} s  ${what}`);
        return result;
    };
    checkReadiness(tag, say);
    rmSync(FOLDER, { recursive: true, force: true });
    mkdirSync(FOLDER, { recursive: true });
    const tools = await step("installed the tools of a release", releaseTools);
    const artifacts = await step("built all files twice, with equal bytes", () => makeTwice(FOLDER, tools));
    await step("publint found no mistake in the npm package", () => publint(tools, artifacts));
    await step("arethetypeswrong found no wrong types", () => areTheTypesWrong(tools, artifacts));
    await step("the bills of materials are valid and complete", () => bills(tools, artifacts));
    const registries: Registry[] = [];
    try {
        await step("published to a local registry of npm", async () => {
            registries.push(await npmRegistry(tools, join(FOLDER, "npm")));
            await registries[0].publish(artifacts);
        });
        await step("published to a local index of Python packages", async () => {
            registries.push(await pythonIndex(tools, join(FOLDER, "python")));
            await registries[1].publish(artifacts);
        });
        await step("published to a local proxy of Go modules", async () => {
            registries.push(goProxy(tools, join(FOLDER, "go")));
            await registries[2].publish(artifacts);
        });
        const [npm, python, go] = registries;
        for (const [index, project] of projects({ artifacts, go, npm, python, tools }).entries()) {
            const what = `a project from ${project.template}, installed by ${project.client}, has a preview`;
            await step(what, () => tryProject(project, join(FOLDER, `project-${index}`)));
        }
    } finally {
        await Promise.all(registries.map((registry) => registry.end()));
    }
    say(`The files of the release are in ${artifacts.folder}. Signatures and attestations need the owner's identity.`);
}

function checkReadiness(tag: string | undefined, say: (line: string) => void): void {
    if (tag !== undefined) {
        const reasons = obstacles(tag, readiness(ADDRESSES));
        if (reasons.length > 0) {
            throw new Error(`${tag} can't be released:\n${reasons.map((reason) => `  ${reason}`).join("\n")}`);
        }
        return;
    }
    const empty = missing(ADDRESSES);
    if (empty.length > 0) {
        say(
            `Not known yet, so a release with RELEASE=TAG is refused: ${empty.join(", ")} (scripts/release/addresses.ts).`,
        );
    }
}

async function tryProject(project: Project, folder: string): Promise<void> {
    mkdirSync(folder, { recursive: true });
    const operations = await preview(project, folder);
    const other = CREATED.filter((name) => operations[name] !== "create");
    if (other.length > 0) {
        throw new Error(`The preview creates no ${other.join(", ")}: ${JSON.stringify(operations)}`);
    }
}
