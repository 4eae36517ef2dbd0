/** What ran, with what, when and how it ended. It stays in the state after the Job is gone. */
export interface RunRecord {
    /** Version of this layout: 1. */
    readonly schemaVersion: number;
    /** Kubernetes name of the cluster's Job. */
    readonly name: string;
    /** Kubernetes namespace of the cluster's Job. */
    readonly namespace: string;
    /** UID of the cluster's Job. */
    readonly uid: string;
    /** Flux's id of the job. Only of a FluxJob. */
    readonly jobId?: string;
    /** `succeeded` or `failed`. */
    readonly phase: string;
    /** Exit code of the command. Undefined if it never ran. */
    readonly exitCode?: number;
    /** Why the run, and which of its pods, have failed. */
    readonly failures: RecordedFailure[];
    /** The image as the arguments name it. Undefined for a FluxJob, which runs in the image of its cluster. */
    readonly image?: string;
    /** The images that the nodes have pulled: more than one if a tag has moved meanwhile. */
    readonly digests: RecordedDigest[];
    /** The words of the command. */
    readonly command: string[];
    /** SHA-256 of the files of `code`. */
    readonly code?: string;
    /** Names of the environment variables of the user. */
    readonly environment: string[];
    /** Number of ranks. Undefined for a FluxJob, whose options say what it asks for. */
    readonly size?: number;
    /** Words of the options of `flux run`, or of `flux submit` for a FluxJob. */
    readonly runOptions: string[];
    /** Further settings, such as `tasks`, `onRankLoss`, `requests` and `limits`. */
    readonly settings: { readonly [name: string]: string };
    /** Versions of this package (`package`) and of Kubernetes (`kubernetes`), as far as the update knew them. */
    readonly versions: { readonly [name: string]: string };
    /** When the Job was created, or the FluxJob submitted: ISO 8601. */
    readonly createdAt: string;
    /** When Kubernetes or a queue let the Job start, or Flux started the FluxJob: ISO 8601. */
    readonly startedAt?: string;
    /** When the Job, or else its lead, ended, or the FluxJob: ISO 8601. */
    readonly endedAt?: string;
    /** Attempts of a command that may be started again. */
    readonly attempts?: number;
    /** The newest pod of each rank. Empty for a FluxJob. */
    readonly ranks: RecordedRank[];
    /** What the output `output` has. Undefined if it could not be read, or is secret. */
    readonly output?: RecordedBytes;
    /** The files that `results` has kept: SHA-256 is that of their list. Undefined without them. */
    readonly results?: RecordedBytes;
    /** What the record doesn't have, each with the reason. */
    readonly missing: string[];
}

/** A failure in one sentence. */
export interface RecordedFailure {
    /** `Cluster`, or the name of a pod. */
    readonly about: string;
    /** The sentence. */
    readonly message: string;
}

/** An image by its digest, as the nodes name it. */
export interface RecordedDigest {
    /** The image. */
    readonly image: string;
    /** The ranks that ran it, such as `0,2-3`. */
    readonly ranks: string;
}

/** A pod of a rank. Times are seconds since the Job's creation. */
export interface RecordedRank {
    /** The rank. */
    readonly rank: number;
    /** Name of the pod. */
    readonly pod: string;
    /** Name of its node. */
    readonly node?: string;
    /** Instance type of the node. Undefined if the update could not list nodes. */
    readonly nodeType?: string;
    /** When the pod was created. @fractional */
    readonly created: number;
    /** When it had a node. @fractional */
    readonly scheduled?: number;
    /** When its container started. @fractional */
    readonly started?: number;
    /** When its rank joined. @fractional */
    readonly joined?: number;
    /** When its container ended. Undefined if it ran on when the update saw the command's end. @fractional */
    readonly ended?: number;
    /** Exit code of its container. */
    readonly exitCode?: number;
    /** Earlier pods of this rank, of a command that may start again. */
    readonly replaced?: number;
}

/** A number of bytes and their SHA-256. */
export interface RecordedBytes {
    /** Number of bytes. */
    readonly bytes: number;
    /** SHA-256. */
    readonly sha256: string;
    /** Number of files. */
    readonly count?: number;
}
