import assert from "node:assert/strict";

import type { EngineEvent } from "@pulumi/pulumi/automation";
import { Interrupt, MiniCluster } from "flux-minicluster";

import { planCluster } from "../../../provider/plan/clusterPlan";
import { parseDigest } from "../../../provider/plan/digest";
import type { Random } from "../../double/support/random";
import { LiveCluster } from "../../e2e/support/liveCluster";
import type { TestNamespace } from "../../e2e/support/namespace";
import type { TestStack } from "../../e2e/support/stack";
import { until } from "../../e2e/support/until";

export const CHANGES = [
    "annotation",
    "destroy",
    "image",
    "larger",
    "leave",
    "replace by name",
    "smaller",
    "suspend",
] as const;

export type Change = (typeof CHANGES)[number];

/** Options of `flux submit` for the jobs of a cluster of two ranks; the first two also for one rank. Others wait. */
const JOBS: readonly (readonly (readonly string[])[])[] = [
    [],
    [["-N1", "-x"]],
    [["-N2", "-x"]],
    [
        ["-N1", "-x"],
        ["-N1", "-x"],
    ],
    [
        ["-N2", "-x"],
        ["-N1", "-x"],
    ],
];

/** What a change did with the jobs that ran before it. */
export interface Outcome {
    readonly change: Change;
    readonly interrupt: Interrupt;
    readonly before: number;
    readonly refused: boolean;
    /** Jobs that ended, and were named by the preview or by the plan. */
    readonly named: readonly string[];
    /** Jobs that ended, and were not. */
    readonly silent: readonly string[];
}

/** A stack with one persistent cluster, to which random changes are made while random jobs run. */
export class BlastHistory extends LiveCluster {
    private readonly stack: TestStack;
    private wish = {
        size: 2,
        suspend: false,
        isThere: true,
        interrupt: Interrupt.Refuse as Interrupt,
        note: 0,
        value: 0,
    };

    constructor(
        namespace: TestNamespace,
        name: string,
        private readonly random: Random,
    ) {
        super(namespace, name);
        this.stack = namespace.stack(name, () => this.program());
    }

    private async program(): Promise<void> {
        const { interrupt, isThere, note, size, suspend, value } = this.wish;
        if (isThere) {
            new MiniCluster(this.name, {
                image: this.namespace.image,
                size,
                minSize: 1,
                maxSize: 2,
                suspend,
                interrupt,
                environment: { VALUE: String(value) },
                annotations: { note: String(note) },
                restful: { enabled: false },
            });
        }
    }

    /** Makes one random change while random jobs run. */
    async change(): Promise<Outcome> {
        const [change, interrupt] = [this.random.of(CHANGES), this.random.of([Interrupt.Allow, Interrupt.Refuse])];
        this.wish = { ...this.wish, isThere: true, suspend: false, size: change === "larger" ? 1 : 2, interrupt };
        await this.stack.up();
        await this.namespace.untilCounted(this.name, this.wish.size);
        await this.submit(this.random.of(JOBS.slice(0, this.wish.size === 1 ? 2 : undefined)));
        const [before, uid] = [await this.running(), await this.uid()];
        this.decide(change);
        const told = await this.preview(change);
        const refused = await this.apply(change);
        const left = new Set(await this.left(uid));
        const ended = before.filter((id) => !left.has(id));
        await this.empty();
        return {
            change,
            interrupt,
            before: before.length,
            refused,
            named: ended.filter((id) => told.includes(id)),
            silent: ended.filter((id) => !told.includes(id)),
        };
    }

    private async submit(jobs: readonly (readonly string[])[]): Promise<void> {
        for (const options of jobs) {
            await this.flux("submit", ...options, "sleep", "inf");
        }
        if (jobs.length > 0) {
            await until("a job runs", async () => (await this.running()).length > 0 || undefined);
        }
    }

    private async running(): Promise<string[]> {
        const list = await this.flux("jobs", "--filter=run", "--no-header", "--format={id.f58plain}");
        return list.split("\n").filter((line) => line !== "");
    }

    private decide(change: Change): void {
        const { note, value } = this.wish;
        const effects: Readonly<Partial<Record<Change, Partial<BlastHistory["wish"]>>>> = {
            annotation: { note: note + 1 },
            image: { value: value + 1 },
            larger: { size: 2 },
            leave: { isThere: false },
            smaller: { size: 1 },
            suspend: { suspend: true },
        };
        this.wish = { ...this.wish, ...effects[change] };
    }

    /** What a user reads before the change: the preview, and `minicluster plan`. */
    private async preview(change: Change): Promise<string> {
        if (change === "destroy") {
            return this.plan(await this.stack.digest("destroy"));
        }
        const replace = change === "replace by name" ? { replace: [this.urn()] } : {};
        const from = this.stack.printed.length;
        const done = await this.stack
            .run((stack, onEvent, onOutput) => stack.preview({ onEvent, onOutput, ...replace }))
            .catch((error: Error & { events?: EngineEvent[] }) => ({ events: error.events ?? [] }));
        const steps = (done.events as EngineEvent[]).flatMap(({ resourcePreEvent }) =>
            resourcePreEvent === undefined
                ? []
                : [
                      {
                          op: resourcePreEvent.metadata.op,
                          urn: resourcePreEvent.metadata.urn,
                          oldState: resourcePreEvent.metadata.old,
                          newState: resourcePreEvent.metadata.new,
                      },
                  ],
        );
        return `${this.stack.printed.slice(from)}\n${await this.plan(JSON.stringify({ steps }))}`;
    }

    private async plan(digest: string): Promise<string> {
        const { clusters } = parseDigest(digest);
        const { kubeconfig } = this.namespace;
        return JSON.stringify(await Promise.all(clusters.map((change) => planCluster(change, { kubeconfig }))));
    }

    private urn(): string {
        return this.stack.resources().find(({ urn }) => urn.endsWith(`::${this.name}-job`))?.urn ?? "";
    }

    /** True if Pulumi refuses the change because of running work. */
    private async apply(change: Change): Promise<boolean> {
        const from = this.stack.printed.length;
        try {
            if (change === "destroy") {
                await this.stack.destroy();
            } else if (change === "replace by name") {
                await this.stack.replace(this.urn());
            } else {
                await this.stack.up();
            }
            return false;
        } catch (error) {
            const text = `${this.stack.printed.slice(from)}${(error as Error).message}`;
            assert.match(text, / Flux jobs?( \(\d+\))? runs?: /, `${change} failed: ${text}`);
            return true;
        }
    }

    /** The jobs that run on in the same cluster. */
    private async left(uid: string | undefined): Promise<string[]> {
        const job = await this.liveJob();
        const isSame = job?.metadata?.uid === uid && job?.spec?.suspend !== true;
        return isSame ? this.running() : [];
    }

    /** Cancels all jobs, so that the next change begins with its own. */
    private async empty(): Promise<void> {
        if ((await this.liveJob())?.spec?.suspend === false) {
            await this.flux("cancel", "--all");
        }
    }
}
