import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";

import { endChildren, runVisibly } from "../../local/child";
import { clusterUp } from "../../local/cluster";
import { compile } from "../compile";
import { buildImages, imageFromEnv } from "../../local/images";
import { unpackedRoot } from "../../local/images/unpack";
import { nodeBinDir } from "../../local/paths";
import { buildPrograms } from "../../local/programs";
import { toolchain, type Toolchain } from "../../local/toolchain";
import { check, runChecks } from "./checks";
import { COMPILE_CACHE, fillCompileCache } from "./compileCache";
import { phase, PROFILE_VARIABLE } from "./measure";
import { closingLine, type Profile, readProfile, redList, table } from "./profile";
import { choose, describeParts, durations, filesOf, lastFiles, profileFiles, SUITES, type SuiteName } from "./suites";

/** Runs all that `make test` promises. */
export function runTests(): Promise<boolean> {
    return profiled("e2e", async () => {
        await phase("compile the package", compile);
        const tools = prepare();
        tools.catch(() => undefined);
        // A type error or a broken unit makes the long part pointless.
        if (!(await runChecks(node24()))) {
            console.log("The checks above failed, so the end-to-end tests were not run.");
            endChildren();
            return false;
        }
        // End-to-end tests wait for pods, and leave a core to the model meanwhile.
        const suite = tools.then(({ env }) => runSuite("e2e", env));
        suite.catch(endChildren);
        const [modelled, passed] = await Promise.all([check("model", node24()), suite]);
        return modelled && passed;
    });
}

/** One of the long suites by itself. */
export function runE2e(name: SuiteName): Promise<boolean> {
    return profiled(name, async () => {
        await phase("compile the package", compile);
        return runSuite(name, (await prepare()).env);
    });
}

/** What the stand-in for Flux has in common with the real one, with either: FLUX_IMAGE is an archive of a real one. */
export function runConformance(): Promise<boolean> {
    return profiled("conformance", async () => {
        const image = await imageFromEnv();
        if (image !== undefined && image.tar === undefined) {
            throw new Error(
                `FLUX_IMAGE=${image.name}: these tests take an archive, as \`docker save\` writes it, and no name.`,
            );
        }
        const root = image?.tar === undefined ? process.env["FLUX_TEST_ROOT"] : await unpackedRoot(image.tar);
        return runSuite("conformance", { ...node24(), FLUX_TEST_ROOT: root });
    });
}

/** Some unit tests run what is compiled. */
export async function runUnit(): Promise<boolean> {
    await compile();
    return succeeds("npm", ["run", "--silent", "unit"], node24());
}

/** Where nothing is built yet this takes long, which no test's timeout allows for. */
async function prepare(): Promise<Toolchain> {
    const beside = Promise.all([
        phase("provide the images", buildImages),
        phase("fill Node's compile cache", fillCompileCache),
    ]);
    beside.catch(() => undefined);
    await phase("build the programs", buildPrograms);
    await phase("provide the cluster", clusterUp);
    const tools = await phase("provide Pulumi", toolchain);
    await beside;
    return tools;
}

/** Mocha on the real engine and our own cluster; the tests ask for the cluster themselves. */
function runSuite(name: SuiteName, env: NodeJS.ProcessEnv): Promise<boolean> {
    const grep = process.env["GREP"];
    const suite = SUITES[name];
    const last = durations(lastFiles(name));
    const all = filesOf(suite, last);
    const files = name === "faults" ? choose(all, process.env["PART"]) : all;
    if (name === "faults") {
        console.log(describeParts(all, last));
    }
    const parallel = suite.jobs > 1 ? ["--parallel", "--jobs", String(suite.jobs)] : [];
    const args = ["--config", ".mocharc.e2e.json", ...parallel, ...(grep ? ["--grep", grep] : []), ...files];
    return phase(`tests: ${name}`, () => succeeds(join(nodeBinDir, "mocha"), args, { ...env, ...COMPILE_CACHE }));
}

/** Gathers what the processes of a run measure, and closes with what it comes to and with the line that CI reads. */
async function profiled(name: SuiteName, action: () => Promise<boolean>): Promise<boolean> {
    const folder = mkdtempSync(join(tmpdir(), "flux-minicluster-"));
    const measured = join(folder, "profile");
    process.env[PROFILE_VARIABLE] = measured;
    try {
        const passed = await phase("all", action);
        const profile = readProfile(measured);
        if (Object.keys(profile.files).length > 0) {
            keepProfile(name, profile);
        }
        console.log(`${table(profile)}\n\n${redList(profile)}${closingLine(profile)}`);
        return passed;
    } finally {
        rmSync(folder, { recursive: true });
    }
}

/** A run of some parts leaves what is known of the others; one of some tests says nothing about a whole file. */
function keepProfile(name: SuiteName, profile: Profile): void {
    if (process.env["GREP"]) {
        return;
    }
    const files = { ...(process.env["PART"] ? lastFiles(name) : {}), ...profile.files };
    for (const path of profileFiles(name)) {
        mkdirSync(dirname(path), { recursive: true });
        writeFileSync(path, JSON.stringify({ ...profile, files }, undefined, 2));
    }
}

const node24 = (): NodeJS.ProcessEnv => ({ PATH: `${nodeBinDir}${delimiter}${process.env["PATH"] ?? ""}` });

/** A KUBECONFIG that happens to be set is not for tests. */
const succeeds = (command: string, args: readonly string[], environment: NodeJS.ProcessEnv): Promise<boolean> =>
    runVisibly(command, args, { ...environment, KUBECONFIG: undefined });
