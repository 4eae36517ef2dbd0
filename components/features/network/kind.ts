/** How ranks, and the programs on them, find each other by name. */
export const Network = {
    /** Brokers use the address of the lead's Service, and programs use cluster DNS. */
    Service: "service",
    /** Brokers and programs use cluster DNS, which may take half a minute. */
    Dns: "dns",
    /**
     * Brokers and programs use each pod's /etc/hosts, whose names come from the lead: for clusters without DNS. It
     * needs one more port, the one after the broker's.
     */
    Hosts: "hosts",
} as const;

export type Network = (typeof Network)[keyof typeof Network];

export declare namespace Network {
    export type Service = "service";
    export type Dns = "dns";
    export type Hosts = "hosts";
}
