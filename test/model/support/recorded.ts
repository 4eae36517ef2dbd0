import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, brotliDecompressSync } from "node:zlib";

import type { Recorded } from "./mutations";

const FOLDER = join(__dirname, "..", "recorded");

/** Histories that a real engine ran, by `ENGINE_RECORD=1 make test-faults PART=engine`. */
export function readRecorded(version: string): Recorded[] {
    return JSON.parse(brotliDecompressSync(readFileSync(pathOf(version))).toString()) as Recorded[];
}

export function writeRecorded(version: string, all: readonly Recorded[]): void {
    writeFileSync(pathOf(version), brotliCompressSync(JSON.stringify(all)));
}

function pathOf(version: string): string {
    return join(FOLDER, `engine-${version}.json.br`);
}
