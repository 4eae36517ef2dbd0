import { isReady, type Kube } from "../../e2e/support/kube";
import type { SecondCluster } from "../../e2e/support/secondCluster";
import { until } from "../../e2e/support/until";

const OUT_OF_SERVICE = "node.kubernetes.io/out-of-service=nodeshutdown:NoExecute";

/** A node that loses its power, and that an administrator then declares out of service. */
export class LostNode {
    constructor(
        private readonly kubernetes: SecondCluster,
        private readonly kube: Kube,
        readonly name: string,
    ) {}

    /** Kills all processes of the node, and waits until Kubernetes notices it. */
    async stop(): Promise<void> {
        await this.kubernetes.nodes("stop", this.name);
        await this.untilReady(false);
    }

    /** Kubernetes then removes the node's pods, which it otherwise does five minutes later. */
    async giveUp(): Promise<void> {
        await this.kubernetes.kubectl("taint", "nodes", this.name, OUT_OF_SERVICE);
    }

    /** Starts the node again, for pods too. */
    async start(): Promise<void> {
        await this.kubernetes.nodes("start", this.name);
        await this.untilReady(true);
        await this.takeBack();
    }

    /** Lets pods come to the node again. */
    async takeBack(): Promise<void> {
        await this.kubernetes.kubectl("taint", "nodes", this.name, `${OUT_OF_SERVICE}-`).catch(isMissing);
    }

    /** Waits until the control plane has, or has not, heard of the node. */
    async untilReady(wanted: boolean): Promise<void> {
        const look = async () => isReady(await this.kube.core.readNode({ name: this.name })) === wanted || undefined;
        await until(`${this.name} is ${wanted ? "ready" : "lost"}`, look, 120);
    }
}

/** The node was never declared out of service. */
function isMissing(error: Error): void {
    if (!error.message.includes("not found")) {
        throw error;
    }
}
