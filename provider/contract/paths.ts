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
