import type fc from "fast-check";

import { describeFault, type Fault, type FaultKind } from "./support/fault";
import type { UpOptions } from "./support/steps";
import type { Stack } from "./support/stack";
import type { Wish } from "./support/wish";
import type { World } from "./support/world";

/** The length of a history. */
export interface Model {
    commands: number;
}

export type Part = "job" | "key" | "run-submission" | "status";

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

/** `pulumi up`, also with `--replace`, `--target` and both, which is `--target-replace`. */
export class Up extends StackCommand {
    constructor(
        at: number,
        readonly replace: Part | undefined,
        readonly targets: boolean,
        readonly faults: readonly Fault[],
    ) {
        super(at);
    }

    protected describe(): string {
        const named = this.replace === undefined ? "" : ` --${this.targets ? "target-" : ""}replace ${this.replace}`;
        return `pulumi up${named}${withFaults(this.faults)}`;
    }

    protected async operate(stack: Stack): Promise<void> {
        const names =
            this.replace !== undefined && stack.find(this.replace) !== undefined
                ? [`${stack.name}-${this.replace}`]
                : undefined;
        const options: UpOptions = { replace: names, target: this.targets ? names : undefined };
        await stack.up(options, this.faults);
    }
}

export class Preview extends StackCommand {
    protected describe(): string {
        return "pulumi preview";
    }

    protected async operate(stack: Stack): Promise<void> {
        await stack.up({ preview: true });
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

/** I7: without changes since the last up, a preview shows no changes, except that it runs a failed command again. */
export async function requireUnchanged(stack: Stack, world: World): Promise<void> {
    const uid = stack.find("job")?.id.split("/")[2] ?? "";
    if (world.jobs.outcomes.get(uid) === "failed") {
        return;
    }
    const { error, ops } = await stack.up({ preview: true });
    const changes = [...ops].filter(([, op]) => op !== "same");
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

    protected async operate(stack: Stack): Promise<void> {
        await stack.destroy(this.faults);
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
        const next = { ...stack.wish, ...this.change };
        stack.wish =
            next.command === undefined
                ? { ...next, deadline: undefined, ttl: undefined }
                : { ...next, fluxJob: undefined, elastic: false };
        stack.settled = false;
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
        readonly kind: FaultKind | "service deleted",
    ) {
        super(at);
    }

    protected describe(): string {
        return `outside Pulumi: ${this.kind}`;
    }

    protected operate(stack: Stack, world: World): Promise<void> {
        if (this.kind === "service deleted") {
            world.deleteService(stack.name);
        } else {
            world.act(this.kind, stack.name);
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

export type Decisions = Partial<
    Pick<World, "commandSeconds" | "elsewhere" | "jobSeconds" | "jobSucceeds" | "removal" | "succeeds" | "webhook">
>;

/** Changes the decisions of the world for all later steps. */
export class Decide extends Command {
    constructor(readonly decisions: Decisions) {
        super();
    }

    toString(): string {
        return `from now on ${JSON.stringify(this.decisions)}`;
    }

    protected act(world: World): Promise<void> {
        if (this.decisions.elsewhere !== undefined || this.decisions.webhook !== undefined) {
            world.disturb();
        }
        Object.assign(world, this.decisions);
        return Promise.resolve();
    }
}

function withFaults(faults: readonly Fault[]): string {
    return faults.length === 0 ? "" : ` (${faults.map(describeFault).join("; ")})`;
}
