import type fc from "fast-check";

import { useContext } from "./support/access";
import { describeFault, type Fault, type FaultKind } from "./support/fault";
import type { UpOptions } from "./support/steps";
import type { Stack } from "./support/stack";
import { resourceNameOf, type Wish } from "./support/wish";
import type { Decisions, World } from "./support/world";

/** The length of a history. */
export interface Model {
    commands: number;
}

export type Part = "job" | "key" | "lead" | "run-submission" | "status";

/** A step of a history. */
abstract class Command implements fc.AsyncCommand<Model, World> {
    check(): boolean {
        return true;
    }

    async run(model: Model, world: World): Promise<void> {
        model.commands++;
        await this.act(world);
        world.invariants.require();
    }

    abstract toString(): string;

    protected abstract act(world: World): Promise<void>;
}

/** A step of one stack. If there is only one stack, it is a step of that stack. */
abstract class StackCommand extends Command {
    constructor(readonly at: number) {
        super();
    }

    protected act(world: World): Promise<void> {
        return this.operate(world.stacks[this.at % world.stacks.length], world);
    }

    toString(): string {
        return `stack ${this.at + 1}: ${this.describe()}`;
    }

    protected abstract describe(): string;

    protected abstract operate(stack: Stack, world: World): Promise<void>;
}

/** `pulumi up`, also with `--replace`, `--target` and both, which is `--target-replace`; with or without a preview. */
export class Up extends StackCommand {
    constructor(
        at: number,
        readonly replace: Part | undefined,
        readonly targets: boolean,
        readonly faults: readonly Fault[],
        /** Whether a preview comes first, and the seconds before. */
        private readonly how: { readonly previews: boolean; readonly pause: number } = { previews: false, pause: 0 },
    ) {
        super(at);
    }

    protected describe(): string {
        const named = this.replace === undefined ? "" : ` --${this.targets ? "target-" : ""}replace ${this.replace}`;
        const since = this.how.pause === 0 ? "" : `${this.how.pause} s later, `;
        return `${since}pulumi up${named}${this.how.previews ? "" : " --skip-preview"}${withFaults(this.faults)}`;
    }

    protected async operate(stack: Stack, world: World): Promise<void> {
        await world.clock.pass(this.how.pause * 1000);
        const names =
            this.replace !== undefined && stack.find(this.replace) !== undefined
                ? [`${resourceNameOf(stack.wish)}-${this.replace}`]
                : undefined;
        const options: UpOptions = { replace: names, target: this.targets ? names : undefined };
        if (this.how.previews && (await stack.up({ ...options, preview: true })).error !== undefined) {
            return;
        }
        await stack.up(options, this.faults);
    }
}

export class Preview extends StackCommand {
    protected describe(): string {
        return "pulumi preview";
    }

    protected async operate(stack: Stack): Promise<void> {
        await stack.up({ preview: true });
        await stack.plan();
    }
}

/** `pulumi refresh`. If program and cluster have not changed since the last up, a preview after it shows no changes. */
export class Refresh extends StackCommand {
    constructor(
        at: number,
        readonly faults: readonly Fault[],
    ) {
        super(at);
    }

    protected describe(): string {
        return `pulumi refresh${withFaults(this.faults)}`;
    }

    protected async operate(stack: Stack, world: World): Promise<void> {
        const quiet = stack.settled && !stack.uncertain && !world.elsewhere;
        const { error } = await stack.refresh(this.faults);
        if (quiet && error === undefined && !world.elsewhere && !stack.uncertain) {
            await requireUnchanged(stack, world);
        }
    }
}

/** I7: without changes since the last up, a preview shows no changes, except that it runs failed work again. */
export async function requireUnchanged(stack: Stack, world: World): Promise<void> {
    const uid = stack.find("job")?.id.split("/")[2] ?? "";
    if (world.jobs.outcomes.get(uid) === "failed" || stack.find("run-submission")?.outputs["phase"] === "failed") {
        return;
    }
    const { error, ops } = await stack.up({ preview: true });
    // A refresh drops a job that isn't awaited and whose queue is lost: its end was never seen.
    const isDropped = (name: string, op: string) =>
        op === "create" && name.endsWith("-run-submission") && stack.wish.jobWait === false;
    const changes = [...ops].filter(([name, op]) => op !== "same" && !isDropped(name, op));
    if (error === undefined && changes.length > 0) {
        world.invariants.break(
            "I7",
            `a preview after an up and a refresh shows ${changes.map(([name, op]) => `${op} ${name}`).join(", ")}`,
        );
    }
}

export class Destroy extends StackCommand {
    constructor(
        at: number,
        readonly faults: readonly Fault[],
    ) {
        super(at);
    }

    protected describe(): string {
        return `pulumi destroy${withFaults(this.faults)}`;
    }

    protected async operate(stack: Stack, world: World): Promise<void> {
        const isQuiet =
            this.faults.length === 0 && world.forbidden === undefined && !stack.expiredAccess && !stack.isProtected;
        const { error } = await stack.destroy(this.faults);
        if (isQuiet && !world.elsewhere && error !== undefined && !stack.isLost(error.message)) {
            world.invariants.break("D", `a destroy without faults fails: ${error.message}`);
        }
    }
}

/** A command in the context of another Kubernetes cluster, which may have clusters of the same names. */
export class WrongContext extends StackCommand {
    constructor(
        at: number,
        private readonly kind: "destroy" | "preview" | "refresh" | "up",
        private readonly namesakes: boolean,
    ) {
        super(at);
    }

    protected describe(): string {
        return `pulumi ${this.kind} in the context of another cluster${this.namesakes ? " with the same names" : ""}`;
    }

    protected async operate(stack: Stack, world: World): Promise<void> {
        const before = { elsewhere: world.elsewhere, namesakes: world.namesakes };
        world.decide({ elsewhere: true, namesakes: this.namesakes });
        switch (this.kind) {
            case "destroy":
                await stack.destroy();
                break;
            case "preview":
                await stack.up({ preview: true });
                await stack.plan();
                break;
            case "refresh":
                await stack.refresh();
                break;
            case "up":
                await stack.up();
        }
        Object.assign(world, before);
    }
}

/** A command during which the user takes another context, in an environment whose kubeconfig has several. */
export class SwitchingContext extends StackCommand {
    constructor(
        at: number,
        private readonly kind: "destroy" | "preview" | "refresh" | "up",
        /** Requests before that. */
        private readonly after: number,
    ) {
        super(at);
    }

    protected describe(): string {
        return `pulumi ${this.kind}, and another context after ${this.after} requests`;
    }

    protected async operate(stack: Stack, world: World): Promise<void> {
        world.switchesAfter = this.after;
        const run = {
            destroy: () => stack.destroy(),
            preview: () => stack.up({ preview: true }),
            refresh: () => stack.refresh(),
            up: () => stack.up(),
        };
        await run[this.kind]();
        world.switchesAfter = undefined;
        useContext("main");
    }
}

/** The user edits the program. */
export class Edit extends StackCommand {
    constructor(
        at: number,
        readonly change: Partial<Wish>,
    ) {
        super(at);
    }

    protected describe(): string {
        return `the user edits the program: ${JSON.stringify(this.change, (_key, value: unknown) => value ?? null)}`;
    }

    protected operate(stack: Stack): Promise<void> {
        // Deadline and TTL are for ephemeral clusters, FluxJobs and the elastic size for persistent ones.
        stack.wish = allowed({ ...stack.wish, ...this.change });
        stack.settled = false;
        return Promise.resolve();
    }
}

/** A wish with the fields that its kind of cluster can have. */
export function allowed(asked: Wish): Wish {
    // Without a kubeconfig in the program, all is in one Kubernetes cluster.
    const wish = asked.ambient === true ? { ...asked, astray: false, twin: false } : asked;
    const isOfJob = wish.feed?.startsWith("job ") === true;
    const feed = isOfJob && wish.fluxJob === undefined ? undefined : wish.feed;
    return wish.command === undefined
        ? { ...wish, deadline: undefined, ttl: undefined, feed }
        : { ...wish, fluxJob: undefined, elastic: false, feed: isOfJob ? undefined : feed };
}

/** All credentials expire. The user gets new ones, which may come into the program later. */
export class Expire extends StackCommand {
    constructor(
        at: number,
        readonly renews: boolean,
    ) {
        super(at);
    }

    protected describe(): string {
        return `the credentials expire${this.renews ? ", and the program gets new ones" : ""}`;
    }

    protected operate(stack: Stack, world: World): Promise<void> {
        world.validFrom++;
        if (this.renews) {
            stack.wish = { ...stack.wish, token: world.validFrom };
            stack.settled = false;
        }
        return Promise.resolve();
    }
}

/** `pulumi state taint`: the next up replaces the resource, as with `--replace`. */
export class Taint extends StackCommand {
    constructor(
        at: number,
        readonly part: Part,
    ) {
        super(at);
    }

    protected describe(): string {
        return `pulumi state taint ${this.part}`;
    }

    protected operate(stack: Stack): Promise<void> {
        stack.taint(`${stack.name}-${this.part}`);
        return Promise.resolve();
    }
}

/** Another client or the cluster does something to the Job of a stack. */
export class Act extends StackCommand {
    constructor(
        at: number,
        readonly kind: FaultKind | "flux submit" | "service deleted",
    ) {
        super(at);
    }

    protected describe(): string {
        return `outside Pulumi: ${this.kind}`;
    }

    protected operate(stack: Stack, world: World): Promise<void> {
        if (this.kind === "service deleted") {
            world.deleteService(stack.kubeName);
        } else if (this.kind === "flux submit") {
            world.submitJob(stack.kubeName);
        } else {
            world.act(this.kind, stack.kubeName);
        }
        return Promise.resolve();
    }
}

export class Pass extends Command {
    constructor(readonly seconds: number) {
        super();
    }

    toString(): string {
        return `${this.seconds} s pass`;
    }

    protected act(world: World): Promise<void> {
        return world.clock.pass(this.seconds * 1000);
    }
}

/** Changes the decisions of the world for all later steps. */
export class Decide extends Command {
    constructor(readonly decisions: Decisions) {
        super();
    }

    toString(): string {
        return `from now on ${JSON.stringify(this.decisions)}`;
    }

    protected act(world: World): Promise<void> {
        world.decide(this.decisions);
        return Promise.resolve();
    }
}

function withFaults(faults: readonly Fault[]): string {
    return faults.length === 0 ? "" : ` (${faults.map(describeFault).join("; ")})`;
}
