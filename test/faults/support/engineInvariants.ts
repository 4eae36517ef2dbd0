import assert from "node:assert/strict";

import type { V1Job, V1ObjectMeta } from "@kubernetes/client-node";

import { ANNOTATIONS } from "../../../provider/contract/labels";
import type { TestNamespace } from "../../e2e/support/namespace";
import { until } from "../../e2e/support/until";
import type { Fault } from "../../model/support/fault";
import type { Wish } from "../../model/support/wish";
import { endOf, type EngineStack } from "./engineStack";

/*
 * The invariants of the model that a test can check from outside. Of I3 only a part: objects of another client, and a
 * size that is left to other clients. I6 and I7 are checked at the end of a history.
 */

/** I1: no two live Jobs have the same nonce. */
export async function requireOneJob({ kube, name: namespace }: TestNamespace): Promise<void> {
    const { items } = await kube.batch.listNamespacedJob({ namespace });
    const live = items.filter(({ metadata }) => metadata?.deletionTimestamp === undefined);
    const nonces = live.flatMap(({ metadata }) => nonceOf(metadata) ?? []);
    assert.deepEqual(
        nonces.filter((nonce, at) => nonces.indexOf(nonce) !== at),
        [],
        "I1: two live Jobs have one nonce",
    );
}

/** I2, after a successful up without --replace. */
export async function requireStateHolds(stack: EngineStack): Promise<void> {
    const { wish } = stack;
    const job = await stack.liveJob();
    if (job === undefined) {
        assert(wish.ttl !== undefined, "I2: the Job of the state isn't in the cluster");
        return;
    }
    assert.equal(stack.knownUid(), job.metadata?.uid, "I2: the cluster has another Job than the state");
    if (waitsForCommand(wish)) {
        // The lead's pod shows the end of the command sooner than the Job.
        const end = await until("I2: the Job ends after an up that waited for its command", async () =>
            endOf(await stack.liveJob()),
        );
        assert.equal(end, "succeeded", "I2: an up that waits for the command succeeded, but the command did not");
        return;
    }
    assert.equal(endOf(job) === undefined ? differences(job, wish) : "", "", "I2: the Job differs from the arguments");
}

function waitsForCommand({ command, suspend, waitFor }: Wish): boolean {
    return command !== undefined && waitFor === undefined && !suspend;
}

function differences({ metadata, spec }: V1Job, wish: Wish): string {
    const { activeDeadlineSeconds, parallelism, suspend = false, ttlSecondsAfterFinished } = spec!;
    const compared: [string, unknown, unknown][] = [
        ["size", wish.elastic ? wish.size : parallelism, wish.size],
        // An annotation that the program does not set may belong to another client.
        ["annotation", wish.annotation && metadata?.annotations?.["note"], wish.annotation],
        ["activeDeadlineSeconds", activeDeadlineSeconds, wish.deadline],
        ["ttlSecondsAfterFinished", ttlSecondsAfterFinished, wish.ttl],
        ["suspend", suspend, wish.suspend],
    ];
    return compared
        .filter(([, is, wanted]) => is !== wanted)
        .map(([name, is, wanted]) => `${name} is ${is} and not ${wanted}`)
        .join(", ");
}

/** I4. Objects of an interrupted create are removed with their Service, a little later. */
export async function requireNothingLeft(namespace: TestNamespace, stack: EngineStack): Promise<void> {
    assert.deepEqual(stack.stack.resources(), [], "I4: the state has resources after a destroy");
    const left = async () =>
        (await namespace.objects()).filter((object) => new RegExp(`/${stack.name}(-|$)`).test(object));
    await until(
        "I4: no object is left after a destroy",
        async () => (await left()).length === 0 || undefined,
        stack.interrupted ? 60 : 20,
    ).catch(async (error: Error) => {
        assert.fail(`${error.message} ${(await left()).join(", ")}`);
    });
}

/** I3: an up keeps a size that ignoreChanges leaves to other clients. */
export function requireSameSize({ wish }: EngineStack, before: V1Job | undefined, now: V1Job | undefined): void {
    const [old, same] = [before ?? {}, now ?? {}];
    if (wish.elastic && old.metadata?.uid === same.metadata?.uid) {
        assert.equal(
            same.spec?.parallelism,
            old.spec?.parallelism,
            "I3: an up changes a size that is left to other clients",
        );
    }
}

/** The Job of a running command that must not be ended. */
export interface Protected {
    readonly uid: string | undefined;
    readonly pods: readonly (string | undefined)[];
}

/** I5, before an operation: the command that it must not end. Undefined if other clients act, who may end it too. */
export async function protectedCommand(
    stack: EngineStack,
    faults: readonly Fault[],
    named: boolean,
): Promise<Protected | undefined> {
    const isAlone = faults.every(({ kind, verb }) => verb !== "IndexedJob.check" && /^(SIGINT|kill)/.test(kind));
    const { command, interrupt } = stack.wish;
    const mayEnd = command === undefined || interrupt !== "refuse" || named || stack.tainted.has("job");
    const job = mayEnd || !isAlone ? undefined : await stack.liveJob();
    return isRunning(job) ? { uid: job?.metadata?.uid, pods: await stack.podUids() } : undefined;
}

const isRunning = (job: V1Job | undefined): boolean => Number(job?.status?.ready) > 0 && endOf(job) === undefined;

/** I5, after an operation. A command may end by itself. */
export async function requireRuns(stack: EngineStack, before: Protected | undefined): Promise<void> {
    const job = await stack.liveJob();
    if (before === undefined || (job?.metadata?.uid === before.uid && endOf(job) !== undefined)) {
        return;
    }
    assert.equal(job?.metadata?.uid, before.uid, "I5: the Job of a running command was replaced");
    const pods = await stack.podUids();
    assert.deepEqual(
        before.pods.filter((uid) => !pods.includes(uid)),
        [],
        "I5: pods of a running command have ended",
    );
}

/** I9: a FluxJob has one ticket, so its queue has at most one job of it. */
export async function requireOneSubmission(namespace: TestNamespace, stack: EngineStack): Promise<void> {
    const script = `flux jobs -ano "{id.f58plain}" --name=${stack.name}-run`;
    const list = await namespace.exec(stack.name, ["sh", "-c", script]).catch(() => "");
    const ids = list.split("\n").filter((line) => /^f\w+$/.test(line));
    assert(ids.length <= 1, `I9: Flux has the jobs ${ids.join(", ")} for one ticket`);
}

function nonceOf(metadata: V1ObjectMeta | undefined): string | undefined {
    return metadata?.annotations?.[ANNOTATIONS.nonce];
}
