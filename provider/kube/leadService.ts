/** The Service in front of rank 0, which also stands for the cluster: a Job is only made beside it. */
export interface LeadService {
    readonly name: string;
    readonly uid: string;
    /** ClusterIP; the pods' /etc/hosts maps the Service's name to it. */
    readonly address: string;
}
