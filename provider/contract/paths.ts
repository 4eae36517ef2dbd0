/** Folder in memory: sockets, the rank's environment, a private copy of the certificate. */
export const RUN_DIR = "/run/flux";

/** File of PATH and similar variables that the start script sets for its broker. */
const PATHS_FILE = `${RUN_DIR}/paths.env`;
/**
 * Code for sh and bash by which a command in a pod finds the same Flux as the pod's broker. A pod that has just started
 * doesn't have PATHS_FILE, but may have a view.
 */
export const FIND_FLUX = `if [ -e ${PATHS_FILE} ]; then . ${PATHS_FILE}; else PATH=$PATH\${MINICLUSTER_VIEW:+:$MINICLUSTER_VIEW/bin}; fi`;

/** Mount path of the archive, a volume that outlives the cluster. */
export const ARCHIVE_DIR = "/var/lib/flux-archive";

/** A command for a pod: it finds Flux even if the container's PATH doesn't have it. */
export function findingFlux(command: readonly string[]): string[] {
    return ["sh", "-c", `${FIND_FLUX}; exec "$@"`, "sh", ...command];
}

/** Quotes a word for a shell. */
export function quote(word: string): string {
    return `'${word.replaceAll("'", `'\\''`)}'`;
}

/** A word as a shell reads it, without quotes if it needs none. */
export function word(text: string): string {
    return /^[\w@%+=:,./-]+$/.test(text) ? text : quote(text);
}

/** Folder of a pod's disk in which results.sh offers the results of a command. */
const RESULTS_DIR = "/var/lib/flux/results";
/** What a client fetches: `list`, and the folder `files`. */
export const RESULTS_OFFER = `${RESULTS_DIR}/offer`;
/**
 * Folder of a pod's disk for a FluxJob with results: `work`, in which a job with code starts, and `results` with an offer. It has the
 * number of the FluxJob too, because another instance of Flux may give a job the same id.
 */
export function jobResultsDir({ jobId, nonce }: { readonly jobId: string; readonly nonce: string }): string {
    return `/var/lib/flux/job-results/${nonce}-${jobId}`;
}
/** The pipe by which a client says that it has all of it. Opened for both, it doesn't wait for a reader. */
export const RESULTS_FETCHED = ["bash", "-c", `[ ! -p ${RESULTS_DIR}/told ] || echo fetched 1<>${RESULTS_DIR}/told`];
