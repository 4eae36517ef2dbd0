import { getCACertificates } from "node:tls";

import type { KubeConfig } from "../clientNode";

/** The parts of the client that make and keep the agents of its WebSockets and logs. The client declares them private. */
interface Agents {
    readonly agentCache: Map<string, unknown>;
    createAgent(cluster: Proxied, options: Certificates): unknown;
    createDispatcher(cluster: Proxied, options: Certificates): unknown;
    createDispatcherOptions(cluster: Proxied, options: Certificates): object;
}

type Proxied = { readonly proxyUrl?: string } | null;

/** The server to which a connection is made. */
interface Target {
    readonly hostname: string;
    /** Empty for the port of the protocol. */
    readonly port: string;
    readonly protocol: string;
}

type Connect = (target: Target, done: unknown) => void;

interface Certificates {
    readonly ca?: unknown;
    readonly cert?: unknown;
    readonly key?: unknown;
    readonly rejectUnauthorized?: boolean;
}

/**
 * Lets the client make another agent when a certificate or its key has changed. The client keeps an agent for each user
 * and cluster, with the certificates of its first use, although it reads their files for each request.
 */
export function renewAgents(config: KubeConfig): void {
    const agents = config as unknown as Agents;
    const create = agents.createAgent.bind(config);
    let known: string | undefined;
    agents.createAgent = (cluster, options) => {
        const current = [options.ca, options.cert, options.key].map((part) => String(part ?? "")).join("\n");
        if (current !== known) {
            known = current;
            agents.agentCache.clear();
        }
        return create(cluster, options);
    };
}

/**
 * Lets requests and watches through a SOCKS proxy have servers without a port, and with an IPv6 address: the client passes
 * the port and the brackets on as they are in the address.
 */
export function completeSocks(config: KubeConfig): void {
    const agents = config as unknown as Agents;
    const create = agents.createDispatcher.bind(config);
    agents.createDispatcher = (cluster, options) => {
        const dispatcher = create(cluster, options);
        if (cluster?.proxyUrl?.startsWith("socks")) {
            const known = optionsOf(dispatcher as object);
            const { connect } = known;
            known.connect = (target, done) => connect({ ...target, ...addressOf(target) }, done);
        }
        return dispatcher;
    };
}

/**
 * Lets the authority of the kubeconfig prove an HTTPS proxy too, as in client-go. Those that Node trusts do it anyway. The
 * client gives its certificates only to the connection that goes through the proxy.
 */
export function trustProxies(config: KubeConfig): void {
    const agents = config as unknown as Agents;
    const [createAgent, createDispatcher] = [agents.createAgent.bind(config), agents.createDispatcher.bind(config)];
    agents.createAgent = (cluster, options) => {
        const agent = createAgent(cluster, options);
        return isSecure(cluster) ? Object.assign(agent as object, { proxyRequestOptions: trustOf(options) }) : agent;
    };
    agents.createDispatcher = (cluster, options) => {
        const dispatcher = createDispatcher(cluster, options) as object;
        if (!isSecure(cluster)) {
            return dispatcher;
        }
        const Dispatcher = dispatcher.constructor as new (options: object) => object;
        return new Dispatcher({ ...agents.createDispatcherOptions(cluster, options), proxyTls: trustOf(options) });
    };
}

function isSecure(cluster: Proxied): boolean {
    return cluster?.proxyUrl?.startsWith("https:") === true;
}

function trustOf({ ca, rejectUnauthorized }: Certificates): object {
    return { ca: [...getCACertificates(), ...(ca === undefined ? [] : [String(ca)])], rejectUnauthorized };
}

/** The options of a dispatcher of undici, which are under a symbol. */
function optionsOf(dispatcher: object): { connect: Connect } {
    const symbol = Object.getOwnPropertySymbols(dispatcher).find(({ description }) => description === "options");
    return (dispatcher as Record<symbol, { connect: Connect }>)[symbol as symbol];
}

function addressOf({ hostname, port, protocol }: Target): Pick<Target, "hostname" | "port"> {
    return { hostname: hostname.replace(/^\[|\]$/g, ""), port: port || (protocol === "https:" ? "443" : "80") };
}
