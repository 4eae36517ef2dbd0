/** The Service in front of rank 0. It also identifies the cluster: a Job is created only where its Service is. */
export interface LeadService {
    readonly name: string;
    readonly uid: string;
    /** ClusterIP; the pods' /etc/hosts maps the Service's name to it. */
    readonly address: string;
}
