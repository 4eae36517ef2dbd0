import { existsSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";

import { ensurePrograms, imagePrograms } from "../packages";
import { cacheDir, shortHash } from "../paths";
import { run } from "../run";
import { packLayer } from "./archive";
import { makeOnce, withScratch } from "./folders";

const packages = [
    "bash",
    "ca-certificates",
    "coreutils",
    "curl",
    "hostname",
    "iproute2",
    "iputils-ping",
    "make",
    "munge",
    "procps",
    "python3",
    "python3-zmq",
];

// Documentation and translations, and files that depend on the host or on the time.
const unwantedPaths = ["/usr/share/doc/*", "/usr/share/man/*", "/usr/share/locale/*", "/usr/share/info/*"];
const leftovers = [
    "dev",
    "etc/hostname",
    "etc/resolv.conf",
    "etc/machine-id",
    "var/cache/apt",
    "var/lib/apt/lists",
    "var/log",
    "var/cache/ldconfig",
    "run",
    "tmp",
];
const emptyFolders = ["dev", "run", "tmp", "var/log", "var/tmp"];

const optionsWith = (more: readonly string[]) => [
    "--mode=root",
    "--variant=minbase",
    "--format=directory",
    '--aptopt=Acquire::Check-Valid-Until "false"',
    '--aptopt=Acquire::Check-Date "false"',
    '--aptopt=APT::Install-Recommends "false"',
    ...unwantedPaths.map((path) => `--dpkgopt=path-exclude=${path}`),
    "--dpkgopt=path-include=/usr/share/doc/*/copyright",
    `--include=${[...packages, ...more].join(",")}`,
    '--customize-hook=chroot "$1" useradd --uid 1000 --user-group --create-home --shell /bin/bash flux',
];

/**
 * The lowest layer of the test images: a small Debian with the programs that tests need and further packages, without
 * Flux.
 */
export async function debianLayer(more: readonly string[] = []): Promise<string> {
    const suite = debianSuite();
    const options = optionsWith(more);
    const hash = shortHash(JSON.stringify([options, leftovers, emptyFolders, suite, process.arch]));
    const folder = await makeOnce(join(cacheDir, `debian-${hash}`), "building the base image", (draft) =>
        build(draft, suite, options),
    );
    return join(folder, "layer.tar");
}

async function build(draft: string, suite: string, options: readonly string[]): Promise<void> {
    await ensurePrograms(imagePrograms);
    console.error(`Base image: installing Debian ${suite} into a folder (half a minute or more) ...`);
    await withScratch(`${draft}.root`, async (root) => {
        const environment = { ...process.env, SOURCE_DATE_EPOCH: "0", LC_ALL: "C.UTF-8" };
        await run("mmdebstrap", [...options, suite, root, ...aptSources()], { env: environment });
        for (const path of leftovers) {
            rmSync(join(root, path), { recursive: true, force: true });
        }
        await run("mkdir", ["-p", ...emptyFolders.map((path) => join(root, path))]);
        await run("chmod", ["1777", join(root, "tmp"), join(root, "var/tmp")]);
        await packLayer(join(draft, "layer.tar"), root);
    });
}

/** The archives from which this machine gets its own packages. */
function aptSources(): string[] {
    const folder = "/etc/apt/sources.list.d";
    const parts = existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [];
    const files = ["/etc/apt/sources.list", ...parts].filter(
        (path) => /\.(list|sources)$/.test(path) && existsSync(path),
    );
    const debian = files.filter(
        (path) => /^(deb |Types:.*deb)/m.test(readFileSync(path, "utf8")) && mentionsSuite(path),
    );
    if (debian.length === 0) {
        throw new Error(
            "/etc/apt has no apt source for Debian, so the test images can't be built. Set FLUX_IMAGE=<image or archive>.",
        );
    }
    return debian;
}

const mentionsSuite = (path: string): boolean => readFileSync(path, "utf8").includes(debianSuite());

function debianSuite(): string {
    const release = existsSync("/etc/os-release") ? readFileSync("/etc/os-release", "utf8") : "";
    const suite = /^VERSION_CODENAME=(\w+)/m.exec(release)?.[1];
    if (!/^ID=debian$/m.test(release) || suite === undefined) {
        throw new Error(
            "The test images are built from this machine's Debian packages, and this system is not Debian. " +
                "Set FLUX_IMAGE=<image or archive>.",
        );
    }
    return suite;
}
