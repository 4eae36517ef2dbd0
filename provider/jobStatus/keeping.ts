import { FLUX_CONTAINER } from "../contract/names";
import { describeSeconds } from "../contract/quantity";
import { howToFetch, readMark, type ResultsMark } from "../contract/results";
import { counted, sizeInWords } from "../contract/words";
import type { Kube } from "../kubernetes/client";
import { sentence } from "../kubernetes/failures/failure";
import { parseId } from "../kubernetes/jobId";
import { pause } from "../kubernetes/pause";
import type { Container } from "../kubernetes/streams/exec";
import type { Observation } from "../observe/pods/observation";
import type { Pod } from "../observe/pods/pod";
import { fetchResults, runIn, tellFetched } from "../results/fetch";
import type { Listed } from "../results/list";
import type { JobStatusInputs } from "./properties";

/** Tries of a fetch whose connection breaks, and milliseconds before the second one; each pause is twice as long. */
const TRIES = 5;
const PAUSE = 1000;

/** What has become of results for which a pod waits. */
export interface Kept {
    readonly mark: ResultsMark;
    /** The files that are in the folder now. */
    readonly files?: readonly Listed[];
    /** Why the update leaves them to the user, while the pod waits. */
    readonly left?: string;
}

/** What a fetch needs of the wait. */
export interface Keeper {
    readonly kube: Kube;
    readonly namespace: string;
    readonly inputs: JobStatusInputs;
    readonly seen: Observation;
    changed(): void;
    say(line: string): void;
    /** Prints a line that stays. */
    warn(line: string): void;
}

/** Fetches the results of the command when the lead offers them. */
export class Keeping {
    kept: Kept | undefined;
    /** The progress line meanwhile. */
    line: string | undefined;
    private fetching: Promise<void> | undefined;

    constructor(
        private readonly keeper: Keeper,
        private readonly cancel: AbortSignal,
    ) {}

    /** Takes a line of the log about results. A line that the log brings again, or that of a pod that has ended, changes nothing. */
    heard(line: string): void {
        const mark = readMark(line);
        const isOffered =
            mark?.state === "waits" && this.keeper.inputs.keeps?.isFetched && this.podOf(0)?.terminated === undefined;
        if (isOffered && this.fetching === undefined) {
            this.fetching = this.fetch(mark).finally(() => this.keeper.changed());
        }
    }

    /** Resolves when nothing is fetched any more. */
    async done(): Promise<void> {
        await this.fetching;
    }

    private async fetch(mark: ResultsMark): Promise<void> {
        const { limit = 0 } = this.keeper.inputs.keeps ?? {};
        const what = `${counted(mark.count, "file")} of ${sizeInWords(mark.bytes)}`;
        if (mark.bytes > limit) {
            this.leave(mark, `they are ${what}, above results.limit`);
            return;
        }
        this.line = `keeping results: ${what}`;
        this.keeper.changed();
        const container = this.containerOf(0);
        try {
            const files = await this.repeat(() => this.get(mark));
            this.kept = { mark, files };
            if (container !== undefined) {
                await this.repeat(() => tellFetched(this.keeper.kube, container, this.cancel));
            }
        } catch (error) {
            if (this.cancel.aborted) {
                return;
            }
            if (this.kept !== undefined) {
                this.keeper.say(`the results are fetched, but the lead's pod may still wait: ${sentence(error)}`);
            } else if (this.hasEnded()) {
                // The end of the Job tells what has become of them.
                this.line = undefined;
                this.keeper.warn(`the results are not fetched, and the lead's pod has ended: ${sentence(error)}`);
            } else {
                this.leave(mark, sentence(error));
            }
        }
    }

    private leave(mark: ResultsMark, left: string): void {
        this.kept = { mark, left };
        this.line = "the command has ended, and its results wait to be fetched";
        const cluster = parseId(this.keeper.inputs.job);
        this.keeper.warn(`the results are not fetched: ${left}; ${howToFetch(cluster, mark)}`);
    }

    private containerOf(rank: number): Container | undefined {
        const pod = this.podOf(rank);
        return pod && { namespace: this.keeper.namespace, pod: pod.name, container: FLUX_CONTAINER };
    }

    private podOf(rank: number): Pod | undefined {
        return this.keeper.seen.ranks().find((candidate) => candidate.rank === rank);
    }

    private get(mark: ResultsMark): Promise<readonly Listed[]> {
        const { inputs, kube } = this.keeper;
        let moved = 0;
        const watch = {
            moved: (bytes: number) => {
                moved += bytes;
                this.line = `keeping results: ${sizeInWords(Math.min(moved, mark.bytes))} of ${sizeInWords(mark.bytes)}`;
                this.keeper.changed();
            },
            starts: () => {},
        };
        const podOf = (rank: number) => {
            const container = this.containerOf(rank);
            return container && { name: container.pod, run: runIn(kube, container) };
        };
        const { at: to, ofAllRanks } = inputs.keeps!;
        return fetchResults({ podOf, ofAllRanks, mark, to, watch, signal: this.cancel });
    }

    /** A connection may break at any time, and a fetch changes nothing before its end. */
    private async repeat<T>(act: () => Promise<T>): Promise<T> {
        for (let tries = 1; ; tries++) {
            try {
                return await act();
            } catch (error) {
                if (tries === TRIES || this.cancel.aborted || this.hasEnded()) {
                    throw error;
                }
                const delay = PAUSE * 2 ** (tries - 1);
                this.keeper.say(`${sentence(error)}; trying again in ${describeSeconds(delay / 1000)}`);
                await pause(delay, this.cancel);
            }
        }
    }

    private hasEnded(): boolean {
        const lead = this.podOf(0);
        return lead === undefined || lead.terminated !== undefined;
    }
}
