/** Turns of a loop that takes a tenth of a second on a core of its own. */
const TURNS = 30_000;

/** What each rank runs, in the image's sh. It is quoted by single quotes. */
const SCRIPT = [
    "b=$(date +%s.%N); i=0",
    `while [ "$i" -lt ${TURNS} ]; do i=$((i+1)); done`,
    "e=$(date +%s.%N)",
    'f=$(flux version 2>/dev/null | sed -n "s/^libflux-core:[[:space:]]*//p")',
    's=$(df -Pk /dev/shm 2>/dev/null | sed -n "2s/[^ ]* *\\([0-9]*\\).*/\\1 KiB/p")',
    "q=$(cat /sys/fs/cgroup/cpu.max 2>/dev/null ||" +
        " cat /sys/fs/cgroup/cpu/cpu.cfs_quota_us /sys/fs/cgroup/cpu/cpu.cfs_period_us 2>/dev/null)",
    'printf "facts\\t%s\\t%s\\t%s\\t%s\\t%s\\t%s\\t%s\\n" "$b" "$e" "$f" "$s" "$(uname -r)" "$(nproc)" "$(echo $q)"',
].join("; ");

/** The words after `flux`: every rank answers at the same time, with its number in front. */
export const FACTS_REQUEST = ["exec", "--noinput", "--quiet", "--label-io", "sh", "-c", SCRIPT];

/** What a rank knows of itself. */
export interface RankFacts {
    readonly rank: number;
    /** When it began and ended to count, in seconds since 1970 by its own clock. */
    readonly began: number;
    readonly ended: number;
    /** By the name for a user. A fact that the rank doesn't know is missing. */
    readonly known: Readonly<Record<string, string>>;
}

/** The names of the facts, in the order of the script. */
const NAMES = ["Flux", "/dev/shm", "kernel", "number of CPUs", "CPU quota"];

/** Reads the lines of ranks. Other lines are those of ranks that don't answer. */
export function parseFacts(lines: readonly string[]): RankFacts[] {
    return lines.flatMap((line) => {
        const [, rank, text] = /^(\d+): facts\t(.*)$/.exec(line) ?? [];
        if (text === undefined) {
            return [];
        }
        const [began, ended, ...values] = text.split("\t");
        const known = NAMES.map((name, index) => [name, values[index] ?? ""] as const).filter(([, value]) => value);
        return [{ rank: Number(rank), began: Number(began), ended: Number(ended), known: Object.fromEntries(known) }];
    });
}
