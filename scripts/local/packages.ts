import { existsSync } from "node:fs";
import { join } from "node:path";

import { withLock } from "./lock";
import { cacheDir } from "./paths";
import { findProgram } from "./program";
import { run, tryRun } from "./run";

/** Programs, and the Debian packages that contain them. */
const clusterPrograms: Readonly<Record<string, string>> = {
    runc: "runc",
    nft: "nftables",
    iptables: "iptables",
    ip6tables: "iptables",
    conntrack: "conntrack",
    ip: "iproute2",
    nsenter: "util-linux",
    unshare: "util-linux",
    mount: "mount",
    openssl: "openssl",
};

/** Programs of the network policy controller. */
export const policyPrograms: Readonly<Record<string, string>> = { ipset: "ipset" };

export const imagePrograms: Readonly<Record<string, string>> = { mmdebstrap: "mmdebstrap" };

/** Programs for pods without a Kubernetes. */
export const podPrograms: Readonly<Record<string, string>> = {
    ip: "iproute2",
    mount: "mount",
    nsenter: "util-linux",
    setpriv: "util-linux",
    unshare: "util-linux",
};

/** A browser without a window, for the tests of the report's page. */
export const browserPrograms: Readonly<Record<string, string>> = {
    "chromium-headless-shell": "chromium-headless-shell",
    "fc-list": "fontconfig",
};

export const lintPrograms: Readonly<Record<string, string>> = { shellcheck: "shellcheck" };

/** apt-get can wait for dpkg's lock only. It fails if another apt-get has the lock of the package lists. */
const aptLock = join(cacheDir, "apt.lock");

/** Installs the missing programs, and no others: on an old image, other packages could cause upgrades. */
export async function ensurePrograms(
    programs: Readonly<Record<string, string>> = clusterPrograms,
    lock = aptLock,
): Promise<void> {
    if (missingOf(programs).length > 0) {
        await withLock(lock, "installing Debian packages", () => installMissing(programs));
    }
}

/** Installs Python if it is missing or can't make virtual environments, which Debian has in a package of its own. */
export async function ensurePython(): Promise<void> {
    const makesEnvironments = async () => (await tryRun("python3", ["-c", "import ensurepip, venv"])) !== undefined;
    if (await makesEnvironments()) {
        return;
    }
    if (findProgram("apt-get") === undefined) {
        throw new Error(
            "Programs in Python need python3 with the module venv, and this machine has no apt-get to install it. " +
                "Install it by hand.",
        );
    }
    await withLock(aptLock, "installing Debian packages", async () => {
        if (!(await makesEnvironments())) {
            console.error("Installing Debian packages: python3, python3-venv");
            await aptInstall(["python3", "python3-venv"]);
        }
    });
}

function missingOf(programs: Readonly<Record<string, string>>): string[] {
    return Object.keys(programs).filter((program) => findProgram(program) === undefined);
}

async function installMissing(programs: Readonly<Record<string, string>>): Promise<void> {
    const missing = missingOf(programs);
    if (missing.length === 0) {
        return;
    }
    if (findProgram("apt-get") === undefined) {
        throw new Error(
            `The local cluster needs ${missing.join(", ")}, and this machine has no apt-get to install them. ` +
                "Install them by hand, or use a cluster of your own (CLUSTER=kind make demo).",
        );
    }
    const packages = [...new Set(missing.map((program) => programs[program] ?? program))];
    console.error(`Installing Debian packages: ${packages.join(", ")}`);
    await aptInstall(packages);
}

async function aptInstall(packages: readonly string[]): Promise<void> {
    const apt = (...args: string[]): Promise<string> =>
        run("apt-get", ["-o", "DPkg::Lock::Timeout=600", "-qq", ...args], {
            env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
        });
    const install = ["install", "-y", "--no-install-recommends", ...packages];
    if (!existsSync("/var/cache/apt/pkgcache.bin")) {
        await apt("update");
    }
    try {
        await apt(...install);
    } catch {
        // An outdated package list names files that the archive doesn't have any more.
        await apt("update");
        await apt(...install);
    }
}

/** The version of a package that this machine would install. */
export async function debianVersion(name: string): Promise<string> {
    const policy = async () => /Candidate: (?!\(none\))(\S+)/.exec(await run("apt-cache", ["policy", name]))?.[1];
    let version = await policy();
    if (version === undefined) {
        await withLock(aptLock, "updating the list of Debian packages", () => run("apt-get", ["-qq", "update"]));
        version = await policy();
    }
    if (version === undefined) {
        throw new Error(`This machine's apt knows no package ${name}. Add a Debian archive that has it.`);
    }
    return version;
}
