import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";

import fc from "fast-check";

import { FaultProxy } from "../e2e/support/faultProxy";
import { useNamespace } from "../e2e/support/namespace";
import { beginnings, histories } from "../model/draw";
import { Up } from "../model/commands";
import type { Wish } from "../model/support/wish";
import { LEFT_OUT, type LeftOut } from "./support/engineFaults";
import { EngineHistory } from "./support/engineHistory";
import { EngineStack } from "./support/engineStack";
import { EngineWorld } from "./support/engineWorld";
import { through } from "./support/subjects";

/** MODEL_HISTORIES=10 runs fewer histories, MODEL_SEED=... other histories. */
const HISTORIES = Number(process.env["MODEL_HISTORIES"] ?? 50);
const SEED = Number(process.env["MODEL_SEED"] ?? 14);
const [LEAST_COMMANDS, MOST_COMMANDS] = [4, 6];

interface Drawn {
    readonly wishes: readonly Wish[];
    readonly commands: readonly unknown[];
}

/** Draws histories of the model that start with an up, because without a cluster little can happen. */
function draw(): Drawn[] {
    const drawn = fc.tuple(beginnings, histories(MOST_COMMANDS)).map(([wishes, commands]) => ({
        wishes,
        commands: [...commands].map((wrapper) => (wrapper as unknown as { cmd: unknown }).cmd),
    }));
    const wanted = drawn.filter(({ commands }) => commands.length >= LEAST_COMMANDS && commands[0] instanceof Up);
    return fc.sample(wanted, { numRuns: HISTORIES, seed: SEED });
}

describe("Pulumi engine in random histories", function () {
    this.timeout(0);
    const namespace = useNamespace();
    const secret = `pass-${randomBytes(12).toString("hex")}`;

    it("keeps the model's invariants", async () => {
        console.log(`      MODEL_HISTORIES=${HISTORIES} MODEL_SEED=${SEED}`);
        const leftOut: LeftOut[] = [];
        const failures: string[] = [];
        const proxy = await FaultProxy.start(namespace.kubeconfig);
        try {
            // One history after the other, because an interrupted inline program makes others in its process fail too.
            for (const [index, drawn] of draw().entries()) {
                await live(proxy, { ...drawn, index }).catch((error: Error) => failures.push(error.message));
            }
        } finally {
            await proxy.close();
        }
        for (const what of [...new Set(leftOut)].sort()) {
            const times = leftOut.filter((each) => each === what).length;
            console.log(`      left out ${times} times: ${what}, because ${LEFT_OUT[what]}`);
        }
        assert.deepEqual(failures, []);

        async function live(
            proxy: FaultProxy,
            { commands, index, wishes }: Drawn & { readonly index: number },
        ): Promise<void> {
            const world = new EngineWorld(namespace, proxy, secret);
            // An up that does not wait for the command leaves the command running for later steps.
            world.commandSeconds = wishes[0]?.waitFor === undefined ? 30 : 600;
            const history = new EngineHistory(world);
            for (const wish of wishes) {
                const name = `h${index}-${wish.name}`;
                if (world.stacks.some((stack) => stack.name === name)) {
                    leftOut.push("the same name in two stacks");
                } else {
                    world.stacks.push(through(namespace, proxy, () => new EngineStack(namespace, name, wish, secret)));
                }
            }
            const done: string[] = [JSON.stringify(wishes)];
            const begun = Date.now();
            try {
                for (const command of commands) {
                    done.push(String(command));
                    await history.live(command);
                }
                done.push("the end");
                await history.conclude();
            } catch (error) {
                throw new Error(`history ${index}:\n${done.join("\n")}\n${(error as Error).message}`, { cause: error });
            } finally {
                await history.leave();
                leftOut.push(...history.leftOut);
                console.log(
                    `        history ${index}: ${commands.length} commands, ${((Date.now() - begun) / 1000).toFixed(0)} s`,
                );
            }
        }
    });
});
