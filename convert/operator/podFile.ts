/** A file that a hook writes when the pod starts, by a here-document that expands variables. */
export interface PodFile {
    readonly hook: "lead" | "pre";
    readonly name: string;
    /** A line before it. */
    readonly setUp?: string;
    /** The text of the here-document. */
    readonly source: string;
}

/** A word that no script has in a line of its own. */
const END = "END_OF_THE_OPERATORS_SCRIPT";

/** The lines of a hook that write the file. */
export function written({ name, setUp, source }: PodFile): string {
    const lines = `cat <<${END} >"$MINICLUSTER_RUN"/${name}\n${source}\n${END}`;
    return setUp === undefined ? lines : `${setUp}\n${lines}`;
}
