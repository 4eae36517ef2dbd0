import { flux } from "./flux";

let found: Promise<number> | undefined;

/** 88 for flux-core 0.88: the version under test. */
export function fluxMinor(): Promise<number> {
    found ??= readMinor();
    return found;
}

async function readMinor(): Promise<number> {
    const { stdout } = await flux("version");
    const [, minor] = /^libflux-core:\s+0\.(\d+)/m.exec(stdout) ?? [];
    if (minor === undefined) {
        throw new Error(`flux version doesn't say which one it is:\n${stdout}`);
    }
    return Number(minor);
}

/** What follows holds since this version; README.md of the stand-in says what earlier ones do. */
export function onlySince(minor: number): void {
    before(async function () {
        // The image may have to be built.
        this.timeout(300_000);
        if ((await fluxMinor()) < minor) {
            this.skip();
        }
    });
}

/** The version that can write a checkpoint when it is asked to (`flux kvs sync`). */
export const HAS_SYNC = 75;

/** The version in which rc1 and rc3 are programs of Flux' own; before they were shell scripts. */
export const HAS_MODPROBE = 77;

/** The version that knows which attributes there are, and lets the command line set `hostname`. */
export const CHECKS_ATTRIBUTES = 82;
