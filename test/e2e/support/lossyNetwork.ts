import { networkNamespace } from "../../../scripts/local/cluster/folders";
import { insideNetwork } from "../../../scripts/local/cluster/network";
import type { Site } from "../../../scripts/local/cluster/site";
import { run } from "../../../scripts/local/run";

const TABLE = "inet flux_minicluster_e2e";

/** The network of a local cluster's node. All packets from pods to Services pass it. */
export class LossyNetwork {
    constructor(private readonly site: Site) {}

    /** Drops the first packet of every TCP connection to a port. */
    dropSyn(port: number): Promise<void> {
        return this.drop(`tcp dport ${port} tcp flags & (syn | ack) == syn`);
    }

    /** Drops all packets to a TCP port. */
    dropTo(port: number): Promise<void> {
        return this.drop(`tcp dport ${port}`);
    }

    /** Drops all packets of a pod to a TCP port. */
    dropFrom(address: string, port: number): Promise<void> {
        return this.drop(`${address.includes(":") ? "ip6" : "ip"} saddr ${address} tcp dport ${port}`);
    }

    private async drop(packets: string): Promise<void> {
        const commands = [
            `add table ${TABLE}`,
            `add chain ${TABLE} lossy { type filter hook prerouting priority -400; }`,
            `add rule ${TABLE} lossy ${packets} counter drop`,
        ];
        await this.nft(commands.join("; "));
    }

    /** The number of packets that were dropped so far. */
    async dropped(): Promise<number> {
        const listed = await this.nft(`list table ${TABLE}`);
        return Number(/counter packets (\d+)/.exec(listed)?.[1]);
    }

    async restore(): Promise<void> {
        await this.nft(`add table ${TABLE}; delete table ${TABLE}`);
    }

    private nft(command: string): Promise<string> {
        return run(...insideNetwork(networkNamespace(this.site))("nft", command));
    }
}
