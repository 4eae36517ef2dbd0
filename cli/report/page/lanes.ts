import { parseIdset, rangesOf } from "../../../provider/flux/idset";
import type { Amount, JobRun } from "../model";

/** A part of a picture of ranks: the rank's number is the upper end of its row, and each core has a share of the row. */
export interface Lane {
    readonly top: number;
    readonly bottom: number;
}

/** Where each core of each rank is in its row. */
export class Lanes {
    private readonly places: ReadonlyMap<number, ReadonlyMap<number, number>>;

    constructor(resources: readonly Amount[]) {
        this.places = new Map(
            resources.flatMap(({ cores, ranks }) => {
                const places = new Map([...parseIdset(cores)].map((core, place) => [core, place]));
                return [...parseIdset(ranks)].map((rank) => [rank, places] as const);
            }),
        );
    }

    /** The lanes of a job. Ranks whose cores aren't known have one lane. */
    of({ resources }: JobRun): Lane[] {
        return resources.flatMap(({ cores, ranks }) =>
            [...parseIdset(ranks)].flatMap((rank) => this.onRank(rank, cores)),
        );
    }

    /** The number of rows that these ranks need. */
    rankCount(resources: readonly Amount[]): number {
        const last = resources.flatMap(({ ranks }) => rangesOf(ranks).map(([, rank]) => rank));
        return last.reduce((most, rank) => Math.max(most, rank + 1), 0);
    }

    private onRank(rank: number, cores: string): Lane[] {
        const places = this.places.get(rank);
        if (places === undefined || places.size === 0 || cores === "") {
            return [{ top: rank, bottom: rank + 1 }];
        }
        return rangesOf(cores).map(([first, last]) => ({
            top: rank + (places.get(first) ?? 0) / places.size,
            bottom: rank + ((places.get(last) ?? 0) + 1) / places.size,
        }));
    }
}
