import fc from "fast-check";

import type { Model } from "./commands";
import { conclude } from "./conclusion";
import { beginnings, histories, type Meeting, meetings, stepsTo, switchingHistories } from "./draw";
import type { Coverage } from "./support/fault";
import { Stack } from "./support/stack";
import type { Wish } from "./support/wish";
import { World } from "./support/world";

const MOST_COMMANDS = 14;

/** The seed that a user gives: a number, or `random`. */
export function seedOf(text: string): number {
    return text === "random" ? Date.now() % 2 ** 31 : Number(text);
}

type Steps = Iterable<fc.AsyncCommand<Model, World, false>>;
type Drawn = [wishes: Wish[], meeting: Meeting | undefined, commands: Steps];

/** Runs a history to its conclusion. Returns its length. */
export async function live(coverage: Coverage, wishes: readonly Wish[], ...steps: [Drawn[1], Steps]): Promise<number> {
    const [meeting, commands] = steps;
    const world = new World(coverage);
    // An up that does not wait for the command leaves the command running for later steps.
    world.commandSeconds = wishes[0].waitFor === undefined ? 30 : 600;
    world.jobSeconds = wishes[0].jobWait === false ? 600 : 5;
    world.ambient = wishes.some(({ ambient }) => ambient === true);
    wishes.forEach((wish) => new Stack(world, wish));
    const model: Model = { commands: 0 };
    const setup = () => ({ model, real: world });
    await fc.asyncModelRun(setup, meeting === undefined ? [] : stepsTo(meeting));
    await fc.asyncModelRun(setup, commands);
    await conclude(world);
    return model.commands;
}

/** Random histories of programs that give no kubeconfig, in which the user takes another context in the middle of commands. */
export function switchingContexts(coverage: Coverage): fc.IAsyncProperty<[Wish[], Steps]> {
    const wishes = beginnings.map((all) => all.map((wish) => ({ ...wish, ambient: true, twin: false })));
    return fc.asyncProperty(wishes, switchingHistories(MOST_COMMANDS), async (of, commands) => {
        await live(coverage, of, undefined, commands);
    });
}

/** Random histories, which must keep the invariants. `lengths` gets the length of each. */
export function livedHistories(coverage: Coverage, lengths: number[] = []): fc.IAsyncProperty<Drawn> {
    return fc.asyncProperty(beginnings, meetings, histories(MOST_COMMANDS), async (...drawn) => {
        lengths.push(await live(coverage, ...drawn));
    });
}
