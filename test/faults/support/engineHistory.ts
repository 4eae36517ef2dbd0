import assert from "node:assert/strict";

import {
    endLeftovers,
    interruptIfAt,
    type Outcome,
    outcome,
    type PulumiCommand,
    unlock,
} from "../../e2e/support/interruptions";
import { requireNoSecret } from "../../e2e/support/secrets";
import { until } from "../../e2e/support/until";
import {
    Act,
    type Decide,
    Destroy,
    Edit,
    Expire,
    Pass,
    Preview,
    Refresh,
    Taint,
    Up,
    WrongContext,
} from "../../model/commands";
import type { Decisions } from "../../model/support/world";
import type { Fault } from "../../model/support/fault";
import { type Interrupted, type LeftOut, strike } from "./engineFaults";
import {
    protectedCommand,
    requireNothingLeft,
    requireOneJob,
    requireOneSubmission,
    requireRuns,
    requireSameSize,
    requireStateHolds,
} from "./engineInvariants";
import { endOf, type EngineStack } from "./engineStack";
import type { Deed, EngineWorld } from "./engineWorld";

interface Operation {
    readonly command: PulumiCommand;
    readonly faults: readonly Fault[];
    /** The operation may end a running command: the user has named the Job, or destroys the stack. */
    readonly mayEnd?: boolean;
}

/** Runs a history of the model with the real engine on a real cluster. */
export class EngineHistory {
    readonly leftOut: LeftOut[] = [];

    constructor(readonly world: EngineWorld) {}

    /** Runs a command of the model. */
    async live(command: unknown): Promise<void> {
        if (command instanceof Expire || command instanceof WrongContext) {
            this.leftOut.push(command instanceof Expire ? "credentials that expire" : "other cluster");
            return;
        }
        const stack = this.world.stacks[((command as { at?: number }).at ?? 0) % this.world.stacks.length];
        await this.act(command, stack);
        await requireOneJob(this.world.namespace);
    }

    private async act(command: unknown, stack: EngineStack): Promise<void> {
        if (command instanceof Up) {
            await this.up(stack, command);
        } else if (command instanceof Preview) {
            await this.operate(stack, { command: () => stack.stack.preview(), faults: [] });
        } else if (command instanceof Refresh) {
            await this.refresh(stack, command.faults);
        } else if (command instanceof Destroy) {
            await this.destroy(stack, command.faults);
        } else if (command instanceof Edit) {
            const next = { ...stack.wish, ...command.change };
            // As in the model's Edit: deadline and TTL are for ephemeral clusters, FluxJobs for persistent ones.
            stack.wish =
                next.command === undefined
                    ? { ...next, deadline: undefined, ttl: undefined }
                    : { ...next, fluxJob: undefined, elastic: false };
            stack.settled = false;
        } else if (command instanceof Taint) {
            await this.taint(stack, command);
        } else if (command instanceof Act) {
            await this.deed(command, stack);
        } else if (command instanceof Pass) {
            await this.world.pass(command.seconds);
        } else {
            this.decide((command as Decide).decisions);
        }
    }

    private async deed({ kind }: Act, stack: EngineStack): Promise<void> {
        if (kind === "flux submit") {
            this.leftOut.push("a job that a user submits");
            return;
        }
        await this.world.act(kind as Deed, stack);
        stack.settled = false;
    }

    private async up(
        stack: EngineStack,
        { faults, replace, targets }: Pick<Up, "faults" | "replace" | "targets">,
    ): Promise<Outcome> {
        const urn = replace === undefined ? undefined : stack.urn(replace);
        const command: PulumiCommand = urn === undefined ? "up" : () => stack.stack.replace(urn, targets);
        const before = await stack.liveJob();
        const ended = await this.operate(stack, { command, faults, mayEnd: urn !== undefined && replace === "job" });
        const isWhole = ended.succeeded && (urn === undefined || !targets);
        stack.settled = isWhole;
        if (isWhole) {
            await this.requireSettled(stack);
        }
        if (faults.every(({ kind }) => kind !== "job resized")) {
            requireSameSize(stack, before, await stack.liveJob());
        }
        return ended;
    }

    /** The invariants after a successful up of all resources. */
    private async requireSettled(stack: EngineStack): Promise<void> {
        stack.tainted.clear();
        if (!stack.uncertain) {
            await requireStateHolds(stack);
            await requireOneSubmission(this.world.namespace, stack);
        }
    }

    /** Runs a refresh and requires I7: without changes since the last up, a preview shows no change. */
    private async refresh(stack: EngineStack, faults: readonly Fault[]): Promise<void> {
        const quiet = stack.settled && !stack.uncertain;
        const before = stack.uncertain;
        const ended = await this.operate(stack, { command: "refresh", faults });
        stack.uncertain ||= before && !ended.succeeded;
        if (quiet && ended.succeeded && !stack.uncertain) {
            await this.requireUnchanged(stack);
        }
    }

    private async requireUnchanged(stack: EngineStack): Promise<void> {
        const job = await stack.liveJob();
        // A failed command runs again, which is a change.
        if (endOf(job) === "failed" || (job === undefined && stack.wish.ttl !== undefined)) {
            return;
        }
        const { succeeded, text } = await outcome(stack.stack, () => stack.stack.preview(true));
        assert(succeeded, `I7: a preview after an up and a refresh shows changes:\n${text}`);
    }

    private async destroy(stack: EngineStack, faults: readonly Fault[]): Promise<Outcome> {
        const ended = await this.operate(stack, { command: "destroy", faults, mayEnd: true });
        stack.settled = false;
        // After a Ctrl-C the CLI reports that everything is deleted, and exits with 0, although resources are left.
        if (ended.succeeded && !ended.text.includes("^C received; cancelling")) {
            await requireNothingLeft(this.world.namespace, stack);
            stack.tainted.clear();
            stack.interrupted = false;
        }
        return ended;
    }

    private async taint(stack: EngineStack, { part }: Taint): Promise<void> {
        const urn = stack.urn(part);
        if (urn !== undefined) {
            await unlock(stack.stack);
            await stack.stack.mark("taint", urn);
            stack.tainted.add(part);
            stack.settled = false;
        }
    }

    private decide({ commandSeconds, elsewhere, jobSucceeds, removal, succeeds, webhook }: Decisions): void {
        Object.assign(this.world, {
            commandSeconds: commandSeconds ?? this.world.commandSeconds,
            succeeds: succeeds ?? this.world.succeeds,
        });
        const left: [unknown, LeftOut][] = [
            [elsewhere, "other cluster"],
            [jobSucceeds, "outcomes of Flux jobs"],
            [removal, "seconds in which pods end"],
            [webhook, "a webhook"],
        ];
        this.leftOut.push(...left.filter(([value]) => value !== undefined).map(([, what]) => what));
    }

    /** Runs a Pulumi command while the faults happen. It first removes the lock that a killed CLI may have left. */
    private async operate(stack: EngineStack, { command, faults, mayEnd = false }: Operation): Promise<Outcome> {
        await unlock(stack.stack);
        const before = await protectedCommand(stack, faults, mayEnd);
        const disturbed = stack.uncertain;
        // A refresh may miss changes that happen while it runs.
        stack.uncertain &&= command !== "refresh";
        const interrupted = strike(this.world, stack, faults, (what) => this.leftOut.push(what));
        const ended = await this.world.endCommandsDuring(stack, this.run(stack, command, interrupted));
        this.world.proxy.behave();
        await endLeftovers(stack.stack);
        if (!ended.succeeded && command !== "refresh") {
            stack.uncertain = true;
        } else if (!ended.succeeded) {
            stack.uncertain ||= disturbed;
        }
        await requireRuns(stack, before);
        return ended;
    }

    private async run(
        stack: EngineStack,
        command: PulumiCommand,
        interrupted: Interrupted | undefined,
    ): Promise<Outcome> {
        if (interrupted === undefined) {
            return outcome(stack.stack, command);
        }
        const ended = await interruptIfAt(stack.stack, command, interrupted.hold, interrupted.by);
        stack.interrupted ||= ended.reached;
        return ended;
    }

    /** Requires that two tries of an update and of a destroy without faults are enough (I6) and leave nothing (I4). */
    async conclude(): Promise<void> {
        this.world.proxy.behave();
        this.world.succeeds = true;
        for (const stack of this.world.stacks) {
            // A suspended cluster takes no jobs.
            stack.wish = { ...stack.wish, suspend: stack.wish.suspend && stack.wish.fluxJob === undefined };
            await this.world.endCommand(stack, true);
            await this.converge(stack);
            await this.vanish(stack);
            // Secrets are encrypted in the files.
            requireNoSecret([stack.stack.printed, ...stack.stack.files()], [this.world.secret]);
        }
    }

    /** Destroys the resources that a failed history has left, while the proxy still runs. */
    async leave(): Promise<void> {
        this.world.proxy.behave();
        for (const stack of this.world.stacks) {
            await endLeftovers(stack.stack);
            await unlock(stack.stack);
            if (stack.stack.resources().length > 0) {
                await outcome(stack.stack, "destroy");
            }
        }
    }

    private async converge(stack: EngineStack): Promise<void> {
        const up = () => this.up(stack, { faults: [], replace: undefined, targets: false });
        if (stack.uncertain || stack.interrupted) {
            await unlock(stack.stack);
            await (await stack.stack.open()).refresh({ clearPendingCreates: true });
            stack.uncertain = false;
        }
        await this.cure(stack, await up());
        await this.twice(stack, up);
        await this.world.endCommand(stack, true);
        await this.refresh(stack, []);
    }

    private async vanish(stack: EngineStack): Promise<void> {
        await this.twice(stack, () => this.destroy(stack, []));
    }

    private async twice(stack: EngineStack, act: () => Promise<Outcome>): Promise<void> {
        const first = await act();
        if (!first.succeeded) {
            await this.world.endCommand(stack, true);
            const second = await act();
            assert(
                second.succeeded,
                `I6: two tries fail, the first with\n${first.text}\n\nthe second with\n${second.text}`,
            );
        }
    }

    /** Follows the advice of an error, as a user does. */
    private async cure(stack: EngineStack, { text }: Outcome): Promise<void> {
        if (/[Cc]hange triggers/.test(text)) {
            stack.wish = { ...stack.wish, trigger: "again" };
        }
        if (/belongs to another MiniCluster [^]*delete that one/.test(text)) {
            await this.world.act("job deleted", stack);
            await until("the Job is removed", async () => (await stack.liveJob()) === undefined || undefined);
            stack.uncertain = false;
        }
    }
}
