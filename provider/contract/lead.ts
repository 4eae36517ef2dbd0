/** The Service in front of rank 0. It also identifies the cluster: a Job is created only where its Service is. */
export interface LeadService {
    readonly name: string;
    readonly uid: string;
    /** ClusterIP; the pods' /etc/hosts maps the Service's name to it. */
    readonly address: string;
}

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
