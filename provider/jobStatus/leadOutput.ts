import { FLUX_CONTAINER } from "../contract/names";
import { Kube, type Patience } from "../kubernetes/client";
import { hasCode } from "../kubernetes/failures/failure";
import { FollowedLog, type LogReader } from "../kubernetes/streams/followedLog";
import { pause } from "../kubernetes/pause";
import type { LiveOutput } from "../observe/live/liveOutput";
import type { Observation } from "../observe/pods/observation";
import type { Pod } from "../observe/pods/pod";

/** Seconds of silence after which the log is requested again: a quiet connection may be a dead one. */
const QUIET = 300;
/** Milliseconds between two requests after a lost connection: each pause is twice as long as the one before. */
const [SHORTEST_PAUSE, LONGEST_PAUSE] = [1000, 30_000];
/** The same after a log that has ended: soon the pod is seen to end too. */
const END_PAUSE = 5000;
/** The same while the rest is read. */
const LAST_PAUSE = 200;
/** Requests aren't repeated by the client, because this follower repeats them. */
const ONCE: Patience = { seconds: 15, tries: 1 };

const NO_RIGHT = "the lead's output can't be shown: the right to get pods/log is needed";

/** How a lead's output is followed. */
export interface LeadOutputOptions {
    readonly kube: Kube;
    readonly namespace: string;
    readonly seen: Observation;
    readonly live: LiveOutput;
    /** Begin with the last line: earlier ones aren't printed, because only the row shows them, or an earlier update did. */
    readonly fromEnd: boolean;
    /** Read the log to its end, also after the end of the wait. */
    readonly isWhole: boolean;
    /** Prints a line once. */
    readonly say: (line: string) => void;
}

/** Follows the log of the lead, and of each pod that takes its place. It needs one connection. */
export class LeadOutput {
    /** UIDs of the pods whose logs were requested. */
    private readonly read = new Set<string>();
    private readonly kube: Kube;
    private wake = () => {};

    constructor(private readonly options: LeadOutputOptions) {
        this.kube = new Kube(options.kube.config, ONCE);
    }

    /** Is called after each change of the pods. */
    changed(): void {
        this.wake();
    }

    /**
     * Follows the output until `end` aborts, and then reads what is left of it until `late` aborts. False if something is
     * left.
     */
    async follow(end: AbortSignal, late: AbortSignal): Promise<boolean> {
        end.addEventListener("abort", () => this.wake(), { once: true });
        for (let lead = await this.next(end); lead !== undefined; lead = await this.next(end)) {
            if (this.read.size > 0) {
                this.options.live.note(`the lead was replaced; the output of pod ${lead.name} follows`);
            }
            const result = late.aborted ? "cut" : await this.readLog(lead, end, late);
            if (result !== "whole") {
                return result === "refused";
            }
        }
        return true;
    }

    /** The next lead whose container has started; undefined if the wait ends before. */
    private async next(end: AbortSignal): Promise<Pod | undefined> {
        for (;;) {
            const lead = this.options.seen.ranks().find(({ rank }) => rank === 0);
            if (lead?.startedAt !== undefined && !this.read.has(lead.uid)) {
                return lead;
            }
            if (end.aborted) {
                return undefined;
            }
            await new Promise<void>((resolve) => (this.wake = resolve));
        }
    }

    private async readLog(
        { name, uid }: Pod,
        end: AbortSignal,
        late: AbortSignal,
    ): Promise<"cut" | "refused" | "whole"> {
        const { fromEnd, isWhole, live, namespace, say, seen } = this.options;
        const tailLines = fromEnd && this.read.size === 0 ? 1 : undefined;
        this.read.add(uid);
        let delay = SHORTEST_PAUSE;
        const reader: LogReader = {
            // The observation ends with the wait, which ends after the lead.
            look: () => {
                const pod = seen.podOf(uid);
                return pod && { id: uid, hasEnded: end.aborted || pod.terminated !== undefined };
            },
            show: (bytes) => live.take(bytes),
            lost: () => live.note("lines may be missing here: the kubelet had rotated the log before it was read"),
            answered: () => (delay = SHORTEST_PAUSE),
        };
        const container = { namespace, pod: name, container: FLUX_CONTAINER };
        const log = new FollowedLog(this.kube, container, reader, { quiet: QUIET, signal: late, tailLines });
        const isEnough = () => !isWhole && seen.podOf(uid)?.terminated !== undefined;
        while (!late.aborted) {
            const result = await passOf(log);
            if (result === "refused") {
                say(NO_RIGHT);
                return result;
            }
            if (result === "whole" || (result === "ended" && isEnough())) {
                return "whole";
            }
            delay = result === "ended" ? END_PAUSE : delay;
            await (end.aborted ? pause(LAST_PAUSE, late) : pause(delay, end));
            delay = Math.min(2 * delay, LONGEST_PAUSE);
        }
        return "cut";
    }
}

/** Reads a log until its connection ends. `ended`: more may follow. */
async function passOf(log: FollowedLog): Promise<"broken" | "ended" | "refused" | "whole"> {
    try {
        return (await log.readOn()) ? "whole" : "ended";
    } catch (error) {
        return hasCode(error, 403) ? "refused" : "broken";
    }
}
