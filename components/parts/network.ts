/** How ranks, and the programs on them, find each other by name. */
export enum Network {
    /** Brokers by the address of the lead's Service, programs by cluster DNS. */
    Service = "service",
    /** Everything by cluster DNS, which may take half a minute. */
    Dns = "dns",
    /**
     * Everything by each pod's /etc/hosts, which the lead keeps: for clusters without DNS. It takes one more port, the
     * one after the broker's.
     */
    Hosts = "hosts",
}
