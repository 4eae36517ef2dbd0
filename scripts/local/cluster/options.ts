import { defaultKubernetes } from "../kubernetesVersions";
import { describeShapes, type NodeShape, shapesOf } from "./nodes/shape";

/** Options of the local cluster. Each is also an environment variable. */
export interface ClusterOptions {
    /** Run CoreDNS. DNS=off is for tests of clusters without DNS. @default "on" */
    readonly dns?: "on" | "off";
    /** How kube-proxy reaches Services. PROXY @default "nftables" */
    readonly proxy?: "nftables" | "iptables";
    /** The only address family of nodes, pods and Services. IP_FAMILY @default "ipv4" */
    readonly ipFamily?: "ipv4" | "ipv6";
    /** Minor version. K8S_VERSION @default "1.37" */
    readonly kubernetes?: string;
    /** The kubelet's CPU manager. CPU_MANAGER @default "none" */
    readonly cpuManager?: "none" | "static";
    /** Enforce NetworkPolicy objects. POLICY @default "off" */
    readonly policy?: "on" | "off";
    /** Run Kueue, which admits Jobs to queues. KUEUE @default "off" */
    readonly kueue?: "on" | "off";
    /** Schedule groups of pods together: the API PodGroup and its feature gate. PODGROUPS @default "off" */
    readonly podGroups?: "on" | "off";
    /** Largest packet of pods, in bytes. MTU @default 1500 */
    readonly mtu?: number;
    /** Seconds after which a node that doesn't answer is no longer ready. NODE_LOST @default 50, as in Kubernetes */
    readonly nodeLost?: number;
    /**
     * Nodes with their own network at the start. NODES is their number, or a file with their shapes. Without one, the
     * only node shares the network of the control plane. @default []
     */
    readonly nodes?: readonly NodeShape[];
}

export type DecidedOptions = Required<ClusterOptions>;

const allowed = {
    dns: { variable: "DNS", values: ["on", "off"] },
    proxy: { variable: "PROXY", values: ["nftables", "iptables"] },
    ipFamily: { variable: "IP_FAMILY", values: ["ipv4", "ipv6"] },
    cpuManager: { variable: "CPU_MANAGER", values: ["none", "static"] },
    policy: { variable: "POLICY", values: ["off", "on"] },
    kueue: { variable: "KUEUE", values: ["off", "on"] },
    podGroups: { variable: "PODGROUPS", values: ["off", "on"] },
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
    const decided = {
        dns: fromEnvironment("dns"),
        proxy: fromEnvironment("proxy"),
        ipFamily: fromEnvironment("ipFamily"),
        cpuManager: fromEnvironment("cpuManager"),
        policy: fromEnvironment("policy"),
        kueue: fromEnvironment("kueue"),
        podGroups: fromEnvironment("podGroups"),
        kubernetes: environment["K8S_VERSION"] || defaultKubernetes,
        // IPv6 needs 1280 bytes. Packets between nodes have 1500.
        mtu: integer("MTU", environment, { least: 1280, most: 1500, normal: 1500 }),
        nodeLost: integer("NODE_LOST", environment, { least: 10, most: 50, normal: 50 }),
        nodes: shapesOf(environment["NODES"]),
        ...options,
    };
    refuseContradictions(decided);
    return decided;
}

function refuseContradictions(options: DecidedOptions): void {
    const { cpuManager, ipFamily, kubernetes, kueue, nodes, podGroups } = options;
    if (kueue === "on" && (kubernetes !== defaultKubernetes || ipFamily !== "ipv4")) {
        throw new Error(`KUEUE=on needs Kubernetes ${defaultKubernetes} and ipv4, without K8S_VERSION and IP_FAMILY.`);
    }
    if (podGroups === "on" && kubernetes !== defaultKubernetes) {
        throw new Error(`PODGROUPS=on needs Kubernetes ${defaultKubernetes}, without K8S_VERSION.`);
    }
    if (cpuManager === "static" && nodes.some(({ cpus }) => cpus !== undefined)) {
        throw new Error(
            "CPU_MANAGER=static gives pods any CPU of the machine, so no node of NODES may have a number of cpus.",
        );
    }
}

interface Range {
    readonly least: number;
    readonly most: number;
    readonly normal: number;
}

function integer(variable: string, environment: NodeJS.ProcessEnv, { least, most, normal }: Range): number {
    const text = environment[variable];
    const value = Number(text || normal);
    if (!Number.isInteger(value) || value < least || value > most) {
        throw new Error(`${variable}=${text} must be an integer from ${least} to ${most}.`);
    }
    return value;
}

export function sameOptions(one: DecidedOptions, other: DecidedOptions): boolean {
    return describeOptions(one) === describeOptions(other);
}

export function describeOptions(options: DecidedOptions): string {
    return (
        `Kubernetes ${options.kubernetes}, ${options.ipFamily}, kube-proxy ${options.proxy}, DNS ` +
        `${options.dns}, CPU manager ${options.cpuManager}, policies ${options.policy}, Kueue ${options.kueue}, ` +
        `pod groups ${options.podGroups}, MTU ${options.mtu}, nodes lost after ${options.nodeLost} s, nodes ` +
        describeShapes(options.nodes)
    );
}
