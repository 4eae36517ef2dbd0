import type { Input } from "@pulumi/pulumi";

import { mostRanks } from "../size";
import { Network } from "../network";
import type { Problem } from "../../rules/problem";
import type { MiniClusterSpec } from "../../spec";

/**
 * Number of ranks up to which the default topology is flat. Flux' guide advises flat for clusters of up to a few hundred
 * nodes.
 * @see https://flux-framework.readthedocs.io/projects/flux-core/en/latest/guide/admin_background.html
 */
const MOST_FLAT_RANKS = 256;

/**
 * The default topology of more ranks. It has few inner ranks, whose loss ends the jobs below them: 11 of 1,536. Of the
 * topologies that were measured there, it ran most jobs per second. Up to 16,513 ranks, a follower is at most two
 * connections away from the lead. Unlike `mincrit`, all supported versions of Flux have it.
 * @see https://github.com/flux-framework/flux-core/issues/6806
 */
const TREE = "kary:128";

/** Arguments of other features on which the default topology depends. It must not depend on `size` below `maxSize`. */
export interface Surroundings {
    readonly maxSize?: Input<number>;
    readonly network?: Input<Network>;
    readonly size?: Input<number>;
}

/** The topology; undefined for Flux's own default with a bootstrap by configuration, which is flat. */
export function decideTopology(
    given: string | undefined,
    around: { readonly maxSize?: number; readonly network?: Network; readonly size?: number },
): string | undefined {
    // Without names of its own, an inner rank can't be found.
    const hasNames = around.network === Network.Dns || around.network === Network.Hosts;
    return given ?? (hasNames && mostRanks(around) > MOST_FLAT_RANKS ? TREE : undefined);
}

/** True for the flat topology, the only one that needs no DNS. */
export function isFlat(spec: MiniClusterSpec): boolean {
    return ["custom", "kary:0", undefined].includes(spec.broker.topology);
}

/** The notice about a cluster that is flat by default although it is large. */
export function noticeFlat({ broker, maxSize, network }: MiniClusterSpec): Problem[] {
    if (maxSize <= MOST_FLAT_RANKS || broker.topology !== undefined || broker.config !== undefined) {
        return [];
    }
    const reason =
        `is "${network}", so up to ${maxSize - 1} followers connect to the lead. ` +
        `Above ${MOST_FLAT_RANKS} ranks, this makes jobs start slowly.`;
    const cure =
        `With "hosts" or "dns", the brokers form a tree (${TREE}). ` +
        'To keep the flat topology, set broker.topology to "custom".';
    return [{ property: "network", reason: `${reason} ${cure}` }];
}
