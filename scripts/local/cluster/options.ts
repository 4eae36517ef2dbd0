import { defaultKubernetes } from "../pieces";

/** Options of the local cluster. Each is also an environment variable. */
export interface ClusterOptions {
    /** Run CoreDNS. DNS=off is for tests of clusters without DNS. @default "on" */
    readonly dns?: "on" | "off";
    /** How kube-proxy reaches Services. PROXY @default "nftables" */
    readonly proxy?: "nftables" | "iptables";
    /** The only address family of nodes, pods and Services. IP_FAMILY @default "ipv4" */
    readonly ipFamily?: "ipv4" | "ipv6";
    /** Minor version. K8S_VERSION @default "1.36" */
    readonly kubernetes?: string;
    /** The kubelet's CPU manager. CPU_MANAGER @default "none" */
    readonly cpuManager?: "none" | "static";
}

export type DecidedOptions = Required<ClusterOptions>;

const allowed = {
    dns: { variable: "DNS", values: ["on", "off"] },
    proxy: { variable: "PROXY", values: ["nftables", "iptables"] },
    ipFamily: { variable: "IP_FAMILY", values: ["ipv4", "ipv6"] },
    cpuManager: { variable: "CPU_MANAGER", values: ["none", "static"] },
} as const;

/** Decides each option: the argument, else the environment variable, else the default. */
export function decideOptions(
    options: ClusterOptions = {},
    environment: NodeJS.ProcessEnv = process.env,
): DecidedOptions {
    const fromEnvironment = <K extends keyof typeof allowed>(key: K): (typeof allowed)[K]["values"][number] => {
        const { variable, values } = allowed[key];
        const asked = environment[variable] || values[0];
        const found = values.find((value) => value === asked);
        if (found === undefined) {
            throw new Error(`${variable}=${asked} is not known; it must be one of ${values.join(", ")}.`);
        }
        return found;
    };
    return {
        dns: options.dns ?? fromEnvironment("dns"),
        proxy: options.proxy ?? fromEnvironment("proxy"),
        ipFamily: options.ipFamily ?? fromEnvironment("ipFamily"),
        cpuManager: options.cpuManager ?? fromEnvironment("cpuManager"),
        kubernetes: options.kubernetes ?? (environment["K8S_VERSION"] || defaultKubernetes),
    };
}

export function sameOptions(one: DecidedOptions, other: DecidedOptions): boolean {
    return describeOptions(one) === describeOptions(other);
}

export function describeOptions(options: DecidedOptions): string {
    return (
        `Kubernetes ${options.kubernetes}, ${options.ipFamily}, kube-proxy ${options.proxy}, DNS ` +
        `${options.dns}, CPU manager ${options.cpuManager}`
    );
}
