/** What the user of a demo asks for. */
export interface Wishes {
    /** The command's words; undefined for a persistent cluster. */
    readonly command: readonly string[] | undefined;
    readonly size: number;
}

/** Where a demo ran. */
export interface Place {
    /** On the local Kubernetes of this folder. */
    readonly isOwn: boolean;
    readonly isStandin: boolean;
}

/** Reads COMMAND, SIZE and PERSISTENT. */
export function readWishes({ COMMAND, PERSISTENT, SIZE }: NodeJS.ProcessEnv): Wishes {
    const size = Number(SIZE || 4);
    if (!Number.isInteger(size) || size < 1) {
        throw new Error(`SIZE=${SIZE}: must be a whole number from 1: the number of ranks.`);
    }
    if (PERSISTENT && PERSISTENT !== "on") {
        throw new Error(`PERSISTENT=${PERSISTENT}: must be on, or left out for a cluster that runs a command.`);
    }
    if (PERSISTENT && COMMAND) {
        throw new Error(
            "COMMAND and PERSISTENT=on exclude each other: a persistent cluster takes jobs. Leave one out.",
        );
    }
    return { size, command: PERSISTENT ? undefined : COMMAND ? ["bash", "-c", COMMAND] : ["hostname"] };
}

/** What stands there at the end of a demo, and the commands to type next. */
export function describeEnd({ command, size }: Wishes, { isOwn, isStandin }: Place): string {
    const name = command === undefined ? "flux" : "hello";
    const done = command === undefined ? "waits for jobs" : `has run \`${command.at(-1)}\``;
    const steps: readonly (readonly [string, string])[] = [
        ['eval "$(make env)"', "so that this shell finds pulumi, kubectl and the cluster"],
        [`npx flux-minicluster status ${name}`, "look at it"],
        ...(command === undefined
            ? ([
                  ["npx flux-minicluster submit -- hostname", "run a job on it"],
                  ["npx flux-minicluster shell", "a shell on its lead"],
              ] as const)
            : ([
                  ['COMMAND="echo hello" SIZE=8 make demo', "run your own command, on eight ranks"],
                  ["PERSISTENT=on make demo", "a cluster that stays and takes jobs"],
              ] as const)),
        ["make demo-down", isOwn ? "remove it (and make cluster-down: its Kubernetes)" : "remove it"],
    ];
    const width = Math.max(...steps.map(([typed]) => typed.length));
    return [
        "",
        `The MiniCluster ${name} ${done} on ${size} ${size === 1 ? "rank" : "ranks"}.`,
        ...(isStandin ? ["Flux was a stand-in, which is made for tests: no image registry answers."] : []),
        "",
        "Next:",
        ...steps.map(([typed, what]) => `  ${typed.padEnd(width)}  # ${what}`),
    ].join("\n");
}
