import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { clusterDir } from "../paths";
import type { ProcessId } from "../processes";
import type { NodeShape } from "./nodes/shape";
import { decideOptions, type DecidedOptions } from "./options";

/** The data about a cluster that is kept between two calls. */
export interface ClusterRecord {
    readonly options: DecidedOptions;
    readonly processes: readonly RecordedProcess[];
    /** The nodes with their own network. They change while the cluster runs. */
    readonly nodes: readonly NodeRecord[];
    /** True after a complete start. */
    readonly ready?: boolean;
}

export interface NodeRecord {
    readonly index: number;
    readonly shape: NodeShape;
    /** True if the node exists, but has no process. */
    readonly stopped?: boolean;
}

export interface RecordedProcess extends ProcessId {
    readonly server: string;
}

const file = join(clusterDir, "cluster.json");

export function readRecord(): ClusterRecord | undefined {
    if (!existsSync(file)) {
        return undefined;
    }
    const record = JSON.parse(readFileSync(file, "utf8")) as ClusterRecord;
    // A cluster of an earlier commit has not recorded the options that came later.
    return { ...record, options: { ...decideOptions({}, {}), ...record.options } };
}

/** Writes the record in one step, because the next `up` needs a complete one. */
export function writeRecord(record: ClusterRecord): void {
    writeFileSync(`${file}.new`, JSON.stringify(record, null, 2));
    renameSync(`${file}.new`, file);
}

/** Changes a part of the record. The callers have the cluster's lock. */
export function changeRecord(change: (record: ClusterRecord) => Partial<ClusterRecord>): void {
    const record = readRecord();
    if (record !== undefined) {
        writeRecord({ ...record, ...change(record) });
    }
}

/** Adds processes. They replace earlier ones of the same servers. */
export function recordProcesses(started: readonly RecordedProcess[]): void {
    forgetServers(started.map(({ server }) => server));
    changeRecord(({ processes }) => ({ processes: [...processes, ...started] }));
}

export function forgetServers(names: readonly string[]): void {
    changeRecord(({ processes }) => ({ processes: processes.filter(({ server }) => !names.includes(server)) }));
}
