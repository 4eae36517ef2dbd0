import { posix } from "node:path";

import { UsageError } from "../definition/arguments";

/** A path on this machine or in a pod. */
export interface Place {
    readonly path: string;
    /** Is there for a path in a pod. Without a cluster, it is the one that the options or the stack select. */
    readonly pod?: { readonly cluster?: string; readonly rank?: number };
}

/** What stands before the colon of a path in a pod: nothing, a rank, a cluster, or both. */
const POD = /^(?:(?<alone>\d+)|(?<cluster>[a-z](?:[-a-z0-9]*[a-z0-9])?)(?:\/(?<rank>\d+))?)?:(?<path>[^]*)$/;

/** kubectl's form has the namespace there. */
const NAMESPACED = /^[a-z][-a-z0-9]*\/[a-z][-a-z0-9]*:/;

/** A word of the command line as a place. A word with a colon that is a file of this machine begins with ./ or /. */
export function placeOf(word: string): Place {
    if (word === "") {
        throw new UsageError("cp is given an empty word in place of a path.");
    }
    const parts = POD.exec(word)?.groups;
    if (parts === undefined) {
        if (NAMESPACED.test(word)) {
            throw new UsageError(
                `"${word}" begins with a namespace; give it by --namespace, and the path as NAME:PATH.`,
            );
        }
        return { path: word };
    }
    const { alone, cluster, path, rank = alone } = parts;
    if (path === "") {
        throw new UsageError(
            `"${word}" has no path behind the colon; "." is the folder in which the container starts.`,
        );
    }
    return { path, pod: { cluster, rank: rank === undefined ? undefined : Number(rank) } };
}

/** A copy: from a pod to this machine (out), or to a pod. */
export interface Route {
    readonly isOut: boolean;
    readonly cluster?: string;
    readonly rank?: number;
    readonly from: string;
    readonly to: string;
}

/** The route between two words. */
export function routeOf(source: string, target: string, selected: string | undefined): Route {
    const [from, to] = [placeOf(source), placeOf(target)];
    if ((from.pod === undefined) === (to.pod === undefined)) {
        const why =
            from.pod === undefined ? "none of them is in a pod" : "both of them are in pods; copy through a local file";
        throw new UsageError(
            `cp is given "${source}" and "${target}", and ${why}. A path in a pod is NAME:PATH or NAME/RANK:PATH.`,
        );
    }
    const { cluster = selected, rank } = from.pod ?? to.pod ?? {};
    if (selected !== undefined && cluster !== selected) {
        throw new UsageError(
            `--cluster is "${selected}", and the path is of the cluster "${cluster}". Give one of them.`,
        );
    }
    return { isOut: from.pod !== undefined, cluster, rank, from: from.path, to: to.path };
}

/** The name that a copy gets in a folder; empty if the content is copied, and not the folder that has it. */
export function baseOf(path: string): string {
    const base = posix.basename(path);
    return [".", "..", "/"].includes(base) ? "" : base;
}
