import { doTo } from "../../e2e/support/podActions";
import type { FaultProxy } from "../../e2e/support/faultProxy";
import { rankOf, type TestNamespace } from "../../e2e/support/namespace";
import { until } from "../../e2e/support/until";
import { endOf, type EngineStack } from "./engineStack";

/** Events outside Pulumi that concern the Job of a stack. */
export type Deed =
    | "command ends"
    | "command fails"
    | "job deleted"
    | "job edited"
    | "job resized"
    | "pod evicted"
    | "service deleted";

/** Milliseconds between two checks whether a command that must end has started. */
const PAUSE = 500;

/** The other clients and the cluster, which act on the stacks of one history. */
export class EngineWorld {
    readonly stacks: EngineStack[] = [];
    /** Seconds that commands run. With 30 or less, they end within an operation. */
    commandSeconds = 30;
    succeeds = true;
    /** UIDs of the pods whose command has got the signal to end. */
    private readonly told = new Set<string>();

    constructor(
        readonly namespace: TestNamespace,
        readonly proxy: FaultProxy,
        readonly secret: string,
    ) {}

    /** Causes an event, if the Job exists. */
    async act(action: Deed, stack: EngineStack): Promise<void> {
        if ((await stack.liveJob()) === undefined) {
            return;
        }
        if (action === "command ends" || action === "command fails") {
            return this.endCommand(stack, action === "command ends");
        }
        // The object may already be deleted.
        await this.meddle(action, stack).catch(() => undefined);
        this.stacks.forEach((of) => (of.uncertain = true));
    }

    private async meddle(action: Exclude<Deed, "command ends" | "command fails">, stack: EngineStack): Promise<void> {
        const {
            kube: { batch, core },
            name: namespace,
        } = this.namespace;
        const { name } = stack;
        switch (action) {
            case "job deleted":
                return void (await batch.deleteNamespacedJob({ name, namespace, propagationPolicy: "Background" }));
            case "job edited":
                return stack.patchJob({ metadata: { annotations: { note: "of another client" } } });
            case "job resized":
                return stack.patchJob({ spec: { completions: 3, parallelism: 3 } });
            case "pod evicted":
                return void (await core.deleteNamespacedPod({
                    name: (await this.namespace.pods(name))[0]?.metadata?.name ?? "",
                    namespace,
                }));
            case "service deleted":
                return void (await core.deleteNamespacedService({ name: `${name}-lead`, namespace }));
        }
    }

    /** Ends the commands that would end within these seconds. */
    async pass(seconds: number): Promise<void> {
        const running = seconds < this.commandSeconds ? [] : this.stacks;
        await Promise.all(running.map((stack) => this.endCommand(stack, this.succeeds)));
    }

    /** Ends a running command, and waits until its Job has ended. */
    async endCommand(stack: EngineStack, success: boolean): Promise<void> {
        const job = await stack.liveJob();
        const runs = stack.wish.command !== undefined && (job?.status?.active ?? 0) > 0 && endOf(job) === undefined;
        if (!runs || (await this.runningPods(stack)).length === 0) {
            return;
        }
        await until("the Job of the ended command has ended", async () => {
            // A container that starts or ends just then takes no command.
            await this.tell(stack, success).catch(() => undefined);
            const now = await stack.liveJob();
            return now?.metadata?.uid !== job?.metadata?.uid || endOf(now) !== undefined || undefined;
        });
    }

    /** Ends the command of a stack while an operation waits for it. */
    async endCommandsDuring<T>(stack: EngineStack, operation: Promise<T>): Promise<T> {
        let over = false;
        const ended = operation.finally(() => (over = true));
        ended.catch(() => undefined);
        const awaited = () =>
            stack.wish.command !== undefined && (stack.wish.waitFor === undefined || this.commandSeconds <= 30);
        while (!over) {
            if (awaited()) {
                await this.tell(stack, this.succeeds).catch(() => undefined);
            }
            await Promise.race([ended.catch(() => undefined), new Promise((resolve) => setTimeout(resolve, PAUSE))]);
        }
        return ended;
    }

    /** Ends the tasks of all ranks, each once. */
    private async tell(stack: EngineStack, success: boolean): Promise<void> {
        const pods = await this.runningPods(stack);
        for (const pod of pods.filter(({ metadata }) => !this.told.has(metadata?.uid ?? ""))) {
            await doTo(this.namespace, stack.name, rankOf(pod), success ? "command succeeds" : "command fails");
            this.told.add(pod.metadata?.uid ?? "");
        }
    }

    private async runningPods({ name }: EngineStack) {
        return (await this.namespace.pods(name)).filter(({ status }) => status?.phase === "Running");
    }
}
