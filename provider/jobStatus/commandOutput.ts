import { flushed, type Printer } from "../host/log";
import type { Kube } from "../kubernetes/client";
import { withGrace } from "../kubernetes/pause";
import { LiveOutput } from "../observe/live/liveOutput";
import type { ProgramProgress } from "../observe/live/progress";
import { shownOf } from "../observe/live/shown";
import type { Observation } from "../observe/pods/observation";
import type { Kept } from "../results/keep";
import { Keeping } from "./keeping";
import { LeadOutput } from "./leadOutput";
import type { JobStatusInputs } from "./properties";

/** Milliseconds for the rest of the output after the end of the wait, if all lines are printed. */
const GRACE = 2000;

const ELSEWHERE = "npx flux-minicluster logs prints them";
const UNREAD = "the update has not waited for the rest of the output; npx flux-minicluster logs prints it";

/** Follows the output of the command while a wait lasts. */
export interface CommandOutput {
    /** Words for the progress line. */
    readonly words: string;
    readonly progress?: ProgramProgress;
    /** The whole progress line while results are fetched, or wait for the user. */
    readonly line?: string;
    readonly kept?: Kept;
    /** Is called after each change of the pods. */
    look(): void;
    /** Follows the output until the wait is over, or cancelled. */
    follow(over: AbortSignal, cancel: AbortSignal): Promise<void>;
}

/** What the output needs of the wait. */
export interface Wait {
    readonly seen: Observation;
    /** The update is cancelled. */
    readonly cancel: AbortSignal;
    /** The words have changed. */
    changed(): void;
    /** Prints a line once. */
    say(line: string): void;
    /** Prints a line that stays. */
    warn(line: string): void;
}

/** How lines are printed. */
export interface Printing {
    /** Prints lines that stay. */
    readonly printer: Printer;
    /** An earlier update may have printed the beginning. */
    readonly isResumed: boolean;
}

/** The output of the command that a wait waits for; undefined if it waits for none. */
export function commandOutput(
    kube: Kube,
    namespace: string,
    inputs: JobStatusInputs,
    { isResumed, printer }: Printing,
): ((wait: Wait) => CommandOutput) | undefined {
    if (!inputs.ephemeral || inputs.waitFor !== "completed" || inputs.suspend) {
        return undefined;
    }
    const { isHidden, isStreamed } = shownOf(inputs);
    return ({ cancel: stop, changed, say, seen, warn }) => {
        const keeping = new Keeping({ kube, namespace, inputs, seen, changed, say, warn }, stop);
        const live = new LiveOutput({
            tell: isStreamed ? printer.tell : undefined,
            isHidden,
            heard: (line) => keeping.heard(line),
            changed,
            elsewhere: ELSEWHERE,
        });
        const fromEnd = !isStreamed || isResumed;
        const lead = new LeadOutput({ kube, namespace, seen, live, say, fromEnd, isWhole: isStreamed });
        return {
            get words() {
                return live.words;
            },
            get progress() {
                return live.progress;
            },
            get line() {
                return keeping.line;
            },
            get kept() {
                return keeping.kept;
            },
            look: () => lead.changed(),
            async follow(over, cancel) {
                const end = AbortSignal.any([over, cancel]);
                const grace = isStreamed ? GRACE : 0;
                const isWhole = await withGrace(over, grace, (late) =>
                    lead.follow(end, AbortSignal.any([late, cancel])),
                );
                if (!isWhole && !cancel.aborted) {
                    live.note(UNREAD);
                }
                live.end();
                await keeping.done();
                await flushed(printer, cancel);
            },
        };
    };
}
