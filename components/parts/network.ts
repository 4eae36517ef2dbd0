/** How ranks, and the programs on them, find each other by name. */
export enum Network {
    /** Brokers by the address of rank 0's Service, programs by cluster DNS. */
    Service = "service",
    /** Brokers and programs by cluster DNS. */
    Dns = "dns",
    /** All by each pod's /etc/hosts, which rank 0 keeps; cluster DNS isn't needed. */
    Hosts = "hosts",
}
