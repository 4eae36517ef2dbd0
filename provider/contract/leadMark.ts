/** Tells the lead Service of one cluster from all others: by its UID, or by its nonce if it was created again. */
export interface LeadMark {
    readonly uid?: string;
    readonly nonce?: string;
}

/** What tells the Kubernetes cluster of a FluxJob. States of earlier releases don't have it until a refresh. */
export interface PlaceMarks {
    readonly lead?: LeadMark;
    /** Tells it too (`clusterMark`), also if the lead Service is gone. */
    readonly clusterMark?: string;
}
