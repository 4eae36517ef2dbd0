/** Milliseconds after which a wait is told. */
const SLOW = 5000;

/** Is told of waits that take long, once for the same words. Undefined in an update, whose rows tell it. */
let listener: ((text: string) => void) | undefined;
const told = new Set<string>();

/** Sets who is told: the command line. */
export function onSlowAnswer(tell: ((text: string) => void) | undefined): void {
    listener = tell;
    told.clear();
}

/** The same answer. If it takes long, tells that the program waits for it: `what` names it and its server. */
export async function orTold<T>(what: string, answer: Promise<T>, after = SLOW): Promise<T> {
    if (listener === undefined) {
        return answer;
    }
    const timer = setTimeout(() => {
        if (!told.has(what)) {
            told.add(what);
            listener?.(`waits for ${what}`);
        }
    }, after);
    timer.unref();
    try {
        return await answer;
    } finally {
        clearTimeout(timer);
    }
}
