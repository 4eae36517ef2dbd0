import type { Input } from "@pulumi/pulumi";

import type { KubernetesObject } from "../../../provider/contract/object";
import { ARCHIVE_DIR } from "../../../provider/contract/paths";
import { scriptsIn } from "../../parts/scripts";
import { volumeSource } from "../volumes";
import { type Feature, when } from "../feature";
import { validateArchive } from "./rules";

/** What happens if the lead finds an archive that is damaged, or another cluster's. */
export const OnDamage = {
    /** The lead renames the archive, and the cluster starts with an empty queue. */
    SetAside: "setAside",
    /** Nothing is renamed, and the cluster doesn't start. */
    Fail: "fail",
} as const;

export type OnDamage = (typeof OnDamage)[keyof typeof OnDamage];

export declare namespace OnDamage {
    export type SetAside = "setAside";
    export type Fail = "fail";
}

/**
 * A volume in which the queue of a persistent cluster outlives the cluster. The lead saves Flux's content there
 * periodically and at an orderly end, and restores it when it starts. All ranks mount the volume, because all pods have
 * the same template: on several nodes it must be ReadWriteMany. Exactly one source is given.
 * @see https://flux-framework.readthedocs.io/projects/flux-core/en/latest/man7/flux-broker-attributes.html
 */
export interface ArchiveArgs {
    /**
     * Name of a PersistentVolumeClaim in the same namespace. All ranks mount it, so on several nodes it must be
     * ReadWriteMany.
     * @default none
     */
    persistentVolumeClaim?: Input<string>;
    /** Path on the node. @default none */
    hostPath?: Input<string>;
    /** Any other Kubernetes volume source, for example `{ nfs: { server: "...", path: "..." } }`. @default none */
    source?: Input<{ [name: string]: any }>;
    /**
     * Directory in the volume. The archive in it is `content.tgz`. No other running cluster may use the same directory.
     * @default the cluster's name
     */
    folder?: Input<string>;
    /**
     * Seconds between dumps while the queue changes. After each dump, the lead waits at least ten times as long as the
     * dump took. An end that isn't orderly (a lost node, SIGKILL) loses the changes since the last dump. 0: the queue
     * is only saved at an orderly end.
     * @default 60
     */
    period?: Input<number>;
    /**
     * What happens if the lead finds an archive that is damaged, or another cluster's. The archive is never
     * overwritten.
     * @default OnDamage.SetAside
     */
    onDamage?: Input<OnDamage>;
}

export interface ArchiveArguments {
    /**
     * A volume in which the queue of a persistent cluster is saved, so that the queue outlives the cluster.
     * @default none: the queue is lost with the lead's pod
     */
    archive?: Input<ArchiveArgs>;
}

export interface Decided {
    /** Undefined if the queue is lost with the lead's pod. */
    readonly archive?: {
        readonly persistentVolumeClaim?: string;
        readonly hostPath?: string;
        readonly source?: KubernetesObject;
        readonly folder: string;
        /** Seconds between dumps. 0 for no dumps before the orderly end. */
        readonly period: number;
        readonly onDamage: OnDamage;
    };
}

export const archive: Feature<ArchiveArguments, Decided> = {
    decide: ({ archive: given }, { name }) => ({
        archive: given && {
            ...given,
            folder: given.folder ?? name,
            period: given.period ?? 60,
            onDamage: given.onDamage ?? OnDamage.SetAside,
        },
    }),

    problems: validateArchive,

    ...when(({ archive: given }) => given, {
        files: () => scriptsIn(__dirname, "archive.py", "archive.sh"),
        programs: () => ["archive:ln", "archive:readlink", "archive:sync"],
        parameters: ({ folder, onDamage, period }) => ({
            archive: `${ARCHIVE_DIR}/${folder}`,
            archiveOnDamage: onDamage,
            archivePeriod: period === 0 ? undefined : String(period),
        }),
        fields: () => ({ namespace: "metadata.namespace" }),
        mounts: (given) => [{ mountPath: ARCHIVE_DIR, volume: { name: "flux-archive", ...volumeSource(given) } }],
    }),
};
