import { counted, sizeInWords } from "./words";

/** A file of results. */
export interface KeptFile {
    /** Path below the folder of the results. Bytes that are no UTF-8, and line feeds, stand as `\xHH`. */
    readonly path: string;
    /** Size. */
    readonly bytes: number;
    /** SHA-256. */
    readonly sha256: string;
    /** The rank whose file it is. Only with the results of all ranks. */
    readonly rank?: number;
}

/** The results of a command or of a FluxJob. */
export interface KeptResults {
    /**
     * Where they are: `results/NAME` in the program's main folder, or `VOLUME:FOLDER`. Empty if they are nowhere: `reason`
     * says why.
     */
    readonly at: string;
    /** The files, sorted by path. Empty for more than 1,000 files. */
    readonly files: KeptFile[];
    /** Number of files. */
    readonly count: number;
    /** Size of all files. */
    readonly bytes: number;
    /** True if each pattern has matched something, and all that has matched is kept. */
    readonly complete: boolean;
    /** Why the results are not complete. Undefined if they are. */
    readonly reason?: string;
}

/** What an update knows of the results that it keeps. */
interface Wanted {
    /** Bytes that an update fetches. */
    readonly limit: number;
    readonly onFailure: boolean;
    /** The files of each rank are in a folder `rank-N`. */
    readonly ofAllRanks: boolean;
}

/** What a Job's status knows of its cluster's results. */
export interface WantedResults extends Wanted {
    /** What the output `at` says of kept results. */
    readonly at: string;
    /** True if a client has to fetch them, into the folder `at`. */
    readonly isFetched: boolean;
}

/** The results of a FluxJob. */
export interface WantedJobResults extends Wanted {
    readonly paths: readonly string[];
    /** Name of a volume of the cluster. Without it, a client fetches them. */
    readonly volume?: string;
    /** Folder in the volume. By default, it has the name of the job. */
    readonly path?: string;
    /** The job starts in a folder of its own, with its code. */
    readonly inFolder: boolean;
}

/** A folder for the results of a FluxJob, which may have any name. */
export function folderOfJob(jobName: string): string {
    return encodeURIComponent(jobName).replace(/^\.+$/, (dots) => dots.replaceAll(".", "%2E"));
}

/** A text for a jobspec, in which Flux replaces nothing. */
export function packWanted(wanted: WantedJobResults): string {
    return Buffer.from(JSON.stringify(wanted)).toString("base64");
}

export function unpackWanted(text: string): WantedJobResults {
    return JSON.parse(Buffer.from(text, "base64").toString()) as WantedJobResults;
}

/** The largest number of files whose names go through the log and into outputs. */
export const MOST_LISTED = 1000;

/**
 * The line of results.sh in the log: state, exit code of the command, files, bytes, end of the wait, SHA-256 of the list, the
 * packed list.
 */
const LINE = /^minicluster: results (waits|kept|lost) (\d+) (\d+) (\d+) (\d+) ([0-9a-f]{64}) /;

/** What the line of the log says without its list. */
export interface ResultsMark {
    readonly state: "kept" | "lost" | "waits";
    readonly exitCode: number;
    readonly count: number;
    readonly bytes: number;
    /** When the lead's pod ends its wait for a client, in seconds since 1970; 0 without a wait. */
    readonly until: number;
    /** SHA-256 of the list. */
    readonly sha256: string;
}

/** Reads a line of the log, of which only the beginning need be there. */
export function readMark(line: string): ResultsMark | undefined {
    const [, state, exitCode, count, bytes, until, sha256] = LINE.exec(line) ?? [];
    return state === undefined
        ? undefined
        : {
              state: state as ResultsMark["state"],
              exitCode: Number(exitCode),
              count: Number(count),
              bytes: Number(bytes),
              until: Number(until),
              sha256,
          };
}

/** Number and size of results. */
export function amountInWords({ bytes, count }: Pick<ResultsMark, "bytes" | "count">): string {
    return `${counted(count, "file")}, ${sizeInWords(bytes)}`;
}

/** The end of the wait, as ISO 8601. */
export function endOfWait({ until }: Pick<ResultsMark, "until">): string {
    return new Date(until * 1000).toISOString().replace(".000", "");
}

/** Results that wait, as JSON shows them. */
export function shownResults(mark: ResultsMark): WaitingResults {
    return { count: mark.count, bytes: mark.bytes, until: endOfWait(mark) };
}

export interface WaitingResults {
    readonly count: number;
    readonly bytes: number;
    /** The end of the wait, as ISO 8601. */
    readonly until: string;
}

/** The command that fetches the results of a cluster. */
export function fetchCommand({ name, namespace }: ClusterPlace): string {
    return `npx flux-minicluster results ${name} -n ${namespace}`;
}

/** How a user gets results that wait. */
export function howToFetch(cluster: ClusterPlace, mark: ResultsMark): string {
    return `${fetchCommand(cluster)} fetches them until ${endOfWait(mark)}`;
}

interface ClusterPlace {
    readonly name?: string;
    readonly namespace?: string;
}
