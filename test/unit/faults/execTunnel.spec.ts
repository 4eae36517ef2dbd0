import assert from "node:assert/strict";

import { heldUntilStatus } from "../../e2e/support/execTunnel";

/** A WebSocket frame as a server sends it: a byte for the channel, and a text. */
function frame(channel: number, text: string): Buffer {
    const payload = Buffer.concat([Buffer.from([channel]), Buffer.from(text)]);
    const { length } = payload;
    const head = length < 126 ? [0x82, length] : [0x82, 126, length >> 8, length & 0xff];
    return Buffer.concat([Buffer.from(head), payload]);
}

describe("heldUntilStatus", () => {
    const [output, status] = [frame(1, "x".repeat(300)), frame(3, '{"status":"Success"}')];

    async function pass(chunks: readonly Buffer[], goesOn: boolean): Promise<[passed: Buffer, asked: number]> {
        let asked = 0;
        const stream = heldUntilStatus(async () => {
            asked++;
            return goesOn;
        });
        chunks.forEach((chunk) => stream.write(chunk));
        stream.end();
        return [Buffer.concat(await stream.toArray()), asked];
    }

    for (const goesOn of [true, false]) {
        it(`passes the output of a command, ${goesOn ? "and" : "but not"} its status`, async () => {
            const all = Buffer.concat([output, status]);
            const bytes = Array.from(all, (_, at) => all.subarray(at, at + 1));
            assert.deepEqual(await pass(bytes, goesOn), [goesOn ? all : output, 1]);
        });
    }
});
