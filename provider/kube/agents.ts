import type { KubeConfig } from "./clientNode";

/** The parts of the client that make and keep the agents of its WebSockets and logs. The client declares them private. */
interface Agents {
    readonly agentCache: Map<string, unknown>;
    createAgent(cluster: unknown, options: Certificates): unknown;
}

interface Certificates {
    readonly ca?: unknown;
    readonly cert?: unknown;
    readonly key?: unknown;
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
