import { FLUX_CONTAINER } from "../contract/names";
import { RESULTS_OFFER } from "../contract/paths";
import { howToFetch, readMark, type ResultsMark } from "../contract/results";
import type { Kube } from "../kubernetes/client";
import { sentence } from "../kubernetes/failures/failure";
import { parseId } from "../kubernetes/jobId";
import type { Observation } from "../observe/pods/observation";
import type { Pod } from "../observe/pods/pod";
import { fetchResults, podsAmong, tellFetched } from "../results/fetch";
import { keep, type Keeper, type Kept, repeat } from "../results/keep";
import type { JobStatusInputs } from "./properties";

/** What a fetch needs of the wait. */
export interface Wait {
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
        private readonly wait: Wait,
        private readonly cancel: AbortSignal,
    ) {}

    /** Takes a line of the log about results. A line that the log brings again, or that of a pod that has ended, changes nothing. */
    heard(line: string): void {
        const mark = readMark(line);
        const isOffered =
            mark?.state === "waits" && this.wait.inputs.keeps?.isFetched && this.lead?.terminated === undefined;
        if (isOffered && this.fetching === undefined) {
            this.fetching = this.fetch(mark).finally(() => this.wait.changed());
        }
    }

    /** Resolves when nothing is fetched any more. */
    async done(): Promise<void> {
        await this.fetching;
    }

    private async fetch(mark: ResultsMark): Promise<void> {
        const { kube, namespace, say } = this.wait;
        const lead = this.lead && { namespace, pod: this.lead.name, container: FLUX_CONTAINER };
        try {
            const keeper = this.keeperOf(mark);
            this.kept = await keep(mark, keeper);
            if (this.kept?.files === undefined) {
                // Without results that wait, the end of the Job tells what has become of them.
                this.line = this.kept && "the command has ended, and its results wait to be fetched";
            } else if (lead !== undefined) {
                await repeat(() => tellFetched(kube, lead, this.cancel), keeper);
            }
        } catch (error) {
            if (!this.cancel.aborted) {
                say(`the results are fetched, but the lead's pod may still wait: ${sentence(error)}`);
            }
        }
    }

    private keeperOf(mark: ResultsMark): Keeper {
        const { changed, inputs, kube, namespace, say, seen, warn } = this.wait;
        return {
            limit: inputs.keeps?.limit ?? 0,
            signal: this.cancel,
            cure: howToFetch(parseId(inputs.job), mark),
            get: (watch) => {
                const { at: to, ofAllRanks } = inputs.keeps!;
                const podOf = podsAmong(kube, namespace, seen.ranks());
                return fetchResults({ podOf, ofAllRanks, offer: RESULTS_OFFER, mark, to, watch, signal: this.cancel });
            },
            isGone: () => this.hasEnded(),
            show: (line) => {
                this.line = line;
                changed();
            },
            say: (line) => say(line),
            warn: (line) => warn(line),
        };
    }

    private get lead(): Pod | undefined {
        return this.wait.seen.ranks().find(({ rank }) => rank === 0);
    }

    private hasEnded(): boolean {
        return this.lead === undefined || this.lead.terminated !== undefined;
    }
}
