import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";

import { endChildren, runVisibly } from "../local/child";
import { clusterUp } from "../local/cluster";
import { decideOptions } from "../local/cluster/options";
import { compile } from "../compile";
import { type AvailableImage, buildImages, imageFromEnv } from "../local/images";
import { unpackedRoot } from "../local/images/unpack";
import { languageToolchain } from "../local/languages";
import { kubernetesVersions } from "../local/kubernetesVersions";
import { nodeBinDir, root } from "../local/paths";
import { kubectl, pulumiVersion } from "../local/pieces";
import { buildPrograms } from "../local/programs";
import { run } from "../local/run";
import { toolchain, type Toolchain } from "../local/toolchain";
import { withSecondTry } from "./again";
import { check, runChecks } from "./checks";
import { COMPILE_CACHE, fillCompileCache } from "./compileCache";
import { describeLimits } from "./limits";
import { phase, PROFILE_VARIABLE } from "./measure";
import { closingLine, type Profile, readProfile, redList, table } from "./profile";
import {
    choose,
    describeParts,
    durations,
    filesOf,
    groupsOf,
    lastFiles,
    profileFiles,
    SUITES,
    type SuiteName,
} from "./suites";
import { keepTried, type Tried } from "./tried";

/** Unless the user gives a number: with fewer than `make model`, the model is done before the other tests are. */
const FEWER_HISTORIES = { MODEL_HISTORIES: process.env["MODEL_HISTORIES"] ?? "250" };

/** Runs lint, type check, unit tests and end-to-end tests. */
export function runTests(): Promise<boolean> {
    return profiled("e2e", async () => {
        await phase("compile the package", compile);
        const tools = prepare("e2e");
        tools.catch(() => undefined);
        // After a type error or a failed unit test, the long part is not worth its time.
        if (!(await runChecks(node24()))) {
            console.log("The checks above failed, so the end-to-end tests were not run.");
            endChildren();
            return false;
        }
        // While end-to-end tests wait for pods, the model uses a core.
        const suite = tools.then(({ env }) => runSuite("e2e", env));
        suite.catch(endChildren);
        const [modelled, passed] = await Promise.all([check("model", { ...FEWER_HISTORIES, ...node24() }), suite]);
        if (modelled && passed && !process.env["GREP"]) {
            keepTried(...ofEachRun());
        }
        return modelled && passed;
    });
}

/** The versions of `make test`. Its tests in other languages record theirs themselves. */
function ofEachRun(): Omit<Tried, "date">[] {
    const by = "make test";
    const { devDependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
        devDependencies: Record<string, string>;
    };
    const kubernetes = kubernetesVersions[decideOptions().kubernetes];
    return [
        { thing: "Kubernetes", version: kubernetes, by },
        { thing: "Pulumi CLI", version: pulumiVersion, by },
        { thing: "@pulumi/pulumi", version: devDependencies["@pulumi/pulumi"], by },
        { thing: "@pulumi/kubernetes", version: devDependencies["@pulumi/kubernetes"], by },
        { thing: "Node", version: devDependencies["node"], by },
        { thing: "language", version: "TypeScript", by },
    ];
}

/** Runs one of the long suites alone. */
export function runE2e(name: SuiteName): Promise<boolean> {
    return profiled(name, async () => {
        await phase("compile the package", compile);
        const { env } = await prepare(name);
        // Parts of `faults` test pods without Kubernetes, on the same Flux as the others.
        const unpacked = name === "faults" ? await rootOf(await imageFromEnv()) : undefined;
        return runSuite(name, unpacked === undefined ? env : { ...env, FLUX_TEST_ROOT: unpacked });
    });
}

/** The unpacked files of an archive; those of FLUX_TEST_ROOT if there is no archive. */
async function rootOf(image: AvailableImage | undefined): Promise<string | undefined> {
    return image?.tar === undefined ? process.env["FLUX_TEST_ROOT"] : unpackedRoot(image.tar);
}

/** Tests the behaviour of Flux, with the stand-in or with a real Flux, of which FLUX_IMAGE is an archive. */
export function runConformance(): Promise<boolean> {
    return profiled("conformance", async () => {
        const image = await imageFromEnv();
        if (image !== undefined && image.tar === undefined) {
            throw new Error(
                `FLUX_IMAGE=${image.name} is a name; these tests need an archive. Write one with \`docker save\`.`,
            );
        }
        const unpacked = await rootOf(image);
        const passed = await runSuite("conformance", { ...node24(), FLUX_TEST_ROOT: unpacked });
        if (passed && image !== undefined && unpacked !== undefined && !process.env["GREP"]) {
            keepTried({ thing: "flux-core", version: await fluxVersion(unpacked), by: "the conformance tests" });
        }
        return passed;
    });
}

/** The version of flux-core in an unpacked image. */
async function fluxVersion(unpacked: string): Promise<string> {
    // Flux looks for itself in /proc.
    const script = 'mount -t proc proc "$0/proc" && exec chroot "$0" flux version';
    const printed = await run("unshare", ["--mount", "--pid", "--fork", "sh", "-c", script, unpacked]);
    return /^libflux-core:\s+(\S+)/m.exec(printed)?.[1] ?? printed;
}

/** Runs the unit tests. Some of them use the compiled package. */
export async function runUnit(): Promise<boolean> {
    await compile();
    return succeeds("npm", ["run", "--silent", "unit"], node24());
}

/** Builds everything in advance. The first build takes longer than a test's timeout allows. */
async function prepare(name: SuiteName): Promise<Toolchain> {
    const beside = Promise.all([
        phase("provide the images", buildImages),
        phase("fill Node's compile cache", fillCompileCache),
    ]);
    beside.catch(() => undefined);
    await phase("build the programs", () => buildPrograms([kubectl]));
    if (name === "e2e") {
        await phase("build the hosts of other languages", languageToolchain);
    }
    await phase("provide the cluster", clusterUp);
    const tools = await phase("provide Pulumi", toolchain);
    await beside;
    return tools;
}

/** Runs mocha on the real engine and the local cluster. The tests themselves get the cluster. */
async function runSuite(name: SuiteName, env: NodeJS.ProcessEnv): Promise<boolean> {
    const suite = SUITES[name];
    const last = durations(lastFiles(name));
    const all = filesOf(suite, last);
    const files = name === "faults" ? choose(all, process.env["PART"]) : all;
    if (name === "faults") {
        console.log(describeParts(all, last));
    }
    let passed = true;
    for (const group of groupsOf(suite, files)) {
        const args = [...parallel(group.jobs), ...group.files];
        const title = `tests: ${name}${group.jobs > 1 ? "" : ", one file at a time"}`;
        const groupPassed = await withSecondTry(
            suite.folders,
            () => phase(title, () => runMocha(args, env)),
            (again, secondTry) => phase("tests once more", () => runMocha(again, { ...env, ...secondTry })),
        );
        passed = groupPassed && passed;
    }
    return passed;
}

const parallel = (jobs: number): string[] => (jobs > 1 ? ["--parallel", "--jobs", String(jobs)] : []);

function runMocha(args: readonly string[], env: NodeJS.ProcessEnv): Promise<boolean> {
    const grep = process.env["GREP"];
    const options = ["--config", "test/e2e/mocha.json", ...(grep ? ["--grep", grep] : [])];
    return succeeds(join(nodeBinDir, "mocha"), [...options, ...args], { ...env, ...COMPILE_CACHE });
}

/** Collects the measurements of a run's processes. Prints them at the end, with the line that CI reads. */
async function profiled(name: SuiteName, action: () => Promise<boolean>): Promise<boolean> {
    const folder = mkdtempSync(join(tmpdir(), "flux-minicluster-"));
    const measured = join(folder, "profile");
    process.env[PROFILE_VARIABLE] = measured;
    console.log(describeLimits());
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

/** Stores the profile. A run of some parts keeps the other parts' values. A run of some tests (GREP) stores nothing. */
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

/** True if a program succeeds. Tests don't get the user's KUBECONFIG. */
const succeeds = (command: string, args: readonly string[], environment: NodeJS.ProcessEnv): Promise<boolean> =>
    runVisibly(command, args, { ...environment, KUBECONFIG: undefined });
