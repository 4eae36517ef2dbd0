import { requireUnchanged } from "./commands";
import { FORGETS } from "./support/advice";
import type { Done, Stack } from "./support/stack";
import type { World } from "./support/world";

/** Seconds between two tries. */
const PAUSE = 600;

/**
 * The end of a history, without faults: two tries of an update and of a destroy are enough (I6) and leave nothing (I4).
 */
export async function conclude(world: World): Promise<void> {
    await world.heal();
    for (const stack of world.stacks) {
        stack.wish = { ...stack.wish, protect: undefined };
        stack.unprotect();
    }
    for (const stack of world.stacks) {
        const rivals = world.stacks.filter(
            (other) => other !== stack && (other.name === stack.name || other.kubeName === stack.kubeName),
        );
        if (rivals.every(({ snapshot }) => snapshot.states.length === 0)) {
            await converge(stack, world);
        }
    }
    for (const stack of world.stacks) {
        if (stack.expiredAccess) {
            // Only an update gets new credentials into the state. Without one, the user renews the old ones.
            world.validFrom = 0;
        }
        await vanish(stack, world);
    }
}

/** I6 for an up, then I7. It starts with a refresh if other clients have changed something. */
export async function converge(stack: Stack, world: World): Promise<void> {
    if (stack.uncertain || stack.awaitsFluxJob) {
        // A refresh has only the credentials of the state, and those of the environment.
        world.ambient ||= stack.expiredAccess;
        const { error } = await stack.refresh();
        if (error !== undefined && stack.expiredAccess) {
            // Those of the environment count only where the Service is. So the user renews the old ones.
            world.validFrom = 0;
            await stack.refresh();
        }
    }
    // A cure may lead to an error that needs another one.
    for (let cures = 0; cures < 2; cures++) {
        await cure(stack, await stack.up());
    }
    await twice(world, () => stack.up());
    await stack.refresh();
    await requireUnchanged(stack, world);
    world.invariants.require();
}

/** I6 for a destroy. */
export async function vanish(stack: Stack, world: World): Promise<void> {
    await twice(
        world,
        () => stack.destroy(),
        (message) => forget(stack, message),
    );
}

/** The user sees that no cluster has the Job any more, and allows to drop it. */
function forget(stack: Stack, message: string): void {
    stack.world.forgets ||= stack.isLost(message);
}

async function twice(
    world: World,
    act: () => ReturnType<Stack["up"]>,
    follow: (message: string) => void = () => undefined,
): Promise<void> {
    const first = await act();
    world.invariants.require();
    if (first.error === undefined) {
        return;
    }
    follow(first.error.message);
    await world.clock.pass(PAUSE * 1000);
    const second = await act();
    if (second.error !== undefined) {
        world.invariants.break("I6", `two tries fail: ${first.error.message}; then ${second.error.message}`);
    }
    world.invariants.require();
}

/** Errors that only the user can cure, with the cure. */
const CURES: readonly [RegExp, (stack: Stack, message: string) => unknown][] = [
    // Failed work that doesn't run again by itself fails each update.
    [
        /failed|Exceeded|PodFailurePolicy|ended with exit code/,
        (stack) => (stack.wish = { ...stack.wish, rerunFailed: undefined, jobRerunFailed: undefined }),
    ],
    // The end of the command was not seen.
    [/[Cc]hange triggers/, (stack) => (stack.wish = { ...stack.wish, trigger: "again" })],
    // The key was replaced after an interrupted create, so the Job's owner is unknown.
    [/belongs to another MiniCluster .*delete that one/, (stack) => stack.world.removeJob(stack.kubeName)],
    [FORGETS, forget],
    // The state has the Service of another stack, which a refresh found under the name of the deleted one.
    [/another client has deleted both, run pulumi refresh/, (stack) => stack.refresh()],
];

/** Follows the advice of an error, as a user does. */
async function cure(stack: Stack, { error, operation }: Done): Promise<void> {
    const message = error?.message ?? "";
    for (const [, act] of CURES.filter(([text]) => text.test(message))) {
        await act(stack, message);
    }
    const isAsked = [...operation.checked].some((of) => of.startsWith("IndexedJob"));
    const isLeft = stack.members.length > 1 && stack.wish.twin !== true;
    if (/Unauthorized/.test(message) && (!isAsked || isLeft)) {
        // The engine deletes without telling the provider the new credentials, so the user renews the old ones.
        stack.world.validFrom = 0;
    }
}
