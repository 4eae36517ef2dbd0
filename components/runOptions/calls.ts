/** A program that runs the words behind its own: its options with a value, and the number of its words before them. */
interface Wrapper {
    readonly values?: readonly string[];
    readonly words?: number;
}

const WRAPPERS: Readonly<Record<string, Wrapper>> = {
    chrt: { words: 1 },
    env: { values: ["-u", "--unset", "-C", "--chdir"] },
    exec: {},
    ionice: { values: ["-c", "-n"] },
    nice: { values: ["-n"] },
    nohup: {},
    numactl: { values: ["-C", "-i", "-m", "-N", "-p"] },
    setsid: {},
    stdbuf: { values: ["-e", "-i", "-o"] },
    taskset: { words: 1 },
    time: { values: ["-f", "-o"] },
    timeout: { values: ["-k", "-s"], words: 1 },
};

const SHELLS = ["ash", "bash", "dash", "ksh", "sh", "zsh"];

/** Words before which a command of a shell begins. */
const BEFORE = ["!", "do", "elif", "else", "if", "then", "until", "while", "{"];

const ASSIGNMENT = /^[A-Za-z_]\w*=/;

/** The name of a program without its directory. */
export function programName(word: string): string {
    return word.slice(word.lastIndexOf("/") + 1);
}

/** The calls of programs in the words of a command: behind `env`, `timeout` and others, and in scripts of a shell. */
export function callsIn(words: readonly string[]): string[][] {
    const [program, ...rest] = words;
    if (program === undefined) {
        return [];
    }
    const name = programName(program);
    if (SHELLS.includes(name)) {
        const option = rest.findIndex((word) => /^-[a-z]*c$/.test(word));
        return option < 0 ? [] : callsInScript(rest[option + 1] ?? "");
    }
    return Object.hasOwn(WRAPPERS, name) ? callsIn(wrapped(rest, WRAPPERS[name])) : [[...words]];
}

/** The words behind the options, variables and words of a wrapper. */
function wrapped(words: readonly string[], { values = [], words: own = 0 }: Wrapper): readonly string[] {
    let index = 0;
    while (index < words.length && (/^-./.test(words[index]) || ASSIGNMENT.test(words[index]))) {
        index += values.includes(words[index]) ? 2 : 1;
    }
    return words.slice(index + own);
}

/** The calls in a script, also those in `$(...)`. Quoted texts are words, here-documents aren't read. */
function callsInScript(script: string): string[][] {
    const code = script
        .replaceAll(/<<-?\s*(['"]?)(\w+)\1([^\n]*)\n[^]*?^\s*\2$/gm, "$3")
        .replaceAll(/\\\n/g, " ")
        .replaceAll(/(^|\s)#[^\n]*/g, "$1");
    const calls: string[][] = [[]];
    for (const [piece] of code.matchAll(/[;&|()`\n]|(?:'[^']*'|"(?:\\[^]|[^"\\])*"|\\[^]|[^\s;&|()`'"\\])+/g)) {
        if (/^[;&|()`\n]$/.test(piece)) {
            calls.push([]);
        } else {
            calls[calls.length - 1].push(piece);
        }
    }
    return calls.flatMap((words) => callsIn(started(words).map(unquoted)));
}

/** The words of a call without what a shell reads before it. */
function started(words: readonly string[]): readonly string[] {
    const first = words.findIndex((word) => !BEFORE.includes(word) && !ASSIGNMENT.test(word));
    return first < 0 ? [] : words.slice(first);
}

function unquoted(word: string): string {
    return word.replaceAll(/'([^']*)'|"((?:\\[^]|[^"\\])*)"|\\([^])/g, (_, single, double, escaped) => {
        return single ?? double?.replaceAll(/\\([$`"\\])/g, "$1") ?? escaped;
    });
}
