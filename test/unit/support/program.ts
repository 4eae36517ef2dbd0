import { createServer, type Server } from "node:net";
import { once } from "node:events";

import { type Line, useEngine } from "../../../provider/host/engine";

/** The URN of a stack's resource. */
const STACK = "urn:pulumi:stack::project::pulumi:pulumi:Stack::project-stack";

/** Stays open as long as the process: a verb is cancelled if nothing listens at the engine's address. */
let server: Server | undefined;

/**
 * Puts the verbs of this process into an operation in which a program runs, as in `pulumi up`, or none does, as in
 * `pulumi destroy`. The caller restores process.argv.
 */
export async function operate(isProgram: boolean, log: (line: Line) => void = () => undefined): Promise<void> {
    if (server === undefined) {
        server = createServer((socket) => socket.destroy()).listen(0, "127.0.0.1");
        server.unref();
        await once(server, "listening");
    }
    const { port } = server.address() as { port: number };
    process.argv = ["node", "host", `127.0.0.1:${port}`];
    useEngine(() => ({ log: async (line) => log(line), rootResource: async () => (isProgram ? STACK : "") }));
}
