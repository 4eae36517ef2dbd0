import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { clusterDir } from "../paths";
import type { ProcessId } from "../processes";
import type { DecidedOptions } from "./options";

/** The data about a cluster that is kept between two calls. */
export interface ClusterRecord {
    readonly options: DecidedOptions;
    readonly processes: readonly RecordedProcess[];
    /** True after a complete start. */
    readonly ready?: boolean;
}

export interface RecordedProcess extends ProcessId {
    readonly server: string;
}

const file = join(clusterDir, "cluster.json");

export function readRecord(): ClusterRecord | undefined {
    return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as ClusterRecord) : undefined;
}

/** Writes the record in one step, because the next `up` needs a complete one. */
export function writeRecord(record: ClusterRecord): void {
    writeFileSync(`${file}.new`, JSON.stringify(record, null, 2));
    renameSync(`${file}.new`, file);
}
