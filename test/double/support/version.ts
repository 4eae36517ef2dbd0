import { flux } from "./flux";

let found: Promise<number> | undefined;

/** Minor version of the tested flux-core: 88 for 0.88. */
export function fluxMinor(): Promise<number> {
    found ??= readMinor();
    return found;
}

async function readMinor(): Promise<number> {
    return minorIn((await flux("version")).stdout);
}

/** The minor version in what `flux version` prints. */
export function minorIn(printed: string): number {
    const [, minor] = /^libflux-core:\s+0\.(\d+)/m.exec(printed) ?? [];
    if (minor === undefined) {
        throw new Error(`flux version prints no version:\n${printed}`);
    }
    return Number(minor);
}

/** Skips a suite before this version. README.md of the stand-in describes earlier versions. */
export function onlySince(minor: number): void {
    before(async function () {
        // The image may have to be built.
        this.timeout(300_000);
        if ((await fluxMinor()) < minor) {
            this.skip();
        }
    });
}

/** The first version with `flux kvs sync`, which writes a checkpoint at once. */
export const HAS_SYNC = 75;

/** The first version in which rc1 and rc3 are Flux programs. Before, they are shell scripts. */
export const HAS_MODPROBE = 77;

/** The first version that refuses unknown attributes and lets the command line set `hostname`. */
export const CHECKS_ATTRIBUTES = 82;

/** The first version whose shell makes a job wait that prints faster than Flux stores it. */
export const SHELL_HOLDS_BACK = 82;

/** The first version that logs each checkpoint. */
export const LOGS_CHECKPOINTS = 87;

/** The first version in which `afterany` is satisfied by a job that was cancelled before its start. */
export const AFTERANY_WITHOUT_START = 85;

/** The first version whose scheduler, sched-simple, knows GPUs. */
export const SCHEDULES_GPUS = 84;

/** The first version whose scheduler is a process of its own. */
export const SCHEDULER_HAS_PROCESS = 84;
