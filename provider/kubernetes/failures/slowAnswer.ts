/** Milliseconds after which a wait is told. */
const SLOW = 5000;

/** Is told of waits that take long. Undefined in an update, whose rows tell it. */
let listener: ((text: string) => void) | undefined;

/** Sets who is told, once of the same words: the command line. */
export function onSlowAnswer(tell: ((text: string) => void) | undefined): void {
    const told = new Set<string>();
    listener = (text) => {
        if (!told.has(text)) {
            told.add(text);
            tell?.(text);
        }
    };
}

/** The same answer. If it takes long, tells that the program waits for it: `what` names it and its server. */
export async function orTold<T>(what: string, answer: Promise<T>, after = SLOW): Promise<T> {
    if (listener === undefined) {
        return answer;
    }
    const timer = setTimeout(() => listener?.(`waits for ${what}`), after);
    timer.unref();
    try {
        return await answer;
    } finally {
        clearTimeout(timer);
    }
}
