import { randomBytes } from "node:crypto";
import { chmodSync, lstatSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { keptInOperation, type Operation, operationAt } from "../contract/operation";
import type { ClusterAccess } from "../kube/clusterAccess";
import { engineAddress } from "./cancel";

/*
 * In `pulumi destroy --run-program` and `pulumi refresh --run-program`, the engine gives the verbs nothing but the state: no
 * check, no diff and no inputs of the program. So the process of the program answers that of the verbs on a socket. Nothing
 * is written to a file, because a kubeconfig may be a secret.
 */

/** The access that a program gives to one resource. */
export interface ProgramAccess extends ClusterAccess {
    readonly urn: string;
}

/** Milliseconds that the program has for its answer: it may be busy. */
const PATIENCE = 5000;

/** Milliseconds after which a socket that nobody answers was left by a program that was killed. */
const STARTED = 60_000;

/** The longest path of a folder with which the paths of its sockets fit into the 104 bytes of macOS; Linux has 108. */
const LONGEST = 80;

/** Keeps the access that a program gives to a resource, for the verbs in this process and in another one. */
export function giveAccess(operation: Operation, access: ProgramAccess): void {
    accessesOf(operation).set(access.urn, access);
    serve();
}

/** What the program that runs in this operation has given so far; nothing if no program runs. */
export async function programAccesses(): Promise<readonly ProgramAccess[]> {
    const engine = engineAddress().join(":");
    const own = given(engine);
    const sockets = own.length > 0 || !engine.includes(":") ? [] : socketsIn(folder());
    const answers = await Promise.all(sockets.map((path) => ask(path, engine)));
    return [...own, ...answers.flat()];
}

function accessesOf(operation: Operation): Map<string, ProgramAccess> {
    return keptInOperation<ProgramAccess>("accesses of the program", operation);
}

function given(engine: string): ProgramAccess[] {
    const operation = operationAt(engine);
    return operation === undefined ? [] : [...accessesOf(operation).values()];
}

/** A folder that only this user can read; undefined if there is none, as on Windows, which has no such sockets. */
function folder(): string | undefined {
    const uid = process.getuid?.();
    if (uid === undefined) {
        return undefined;
    }
    const own = join(tmpdir(), `flux-minicluster-${uid}`);
    const path = Buffer.byteLength(own) > LONGEST ? `/tmp/flux-minicluster-${uid}` : own;
    try {
        mkdirSync(path, { recursive: true, mode: 0o700 });
        const found = lstatSync(path);
        // Another user must neither read the kubeconfigs nor give one: it may name a program to run.
        return found.isDirectory() && found.uid === uid && (found.mode & 0o077) === 0 ? path : undefined;
    } catch {
        return undefined;
    }
}

let isServed = false;

/** Answers the processes of the verbs until this process ends. */
function serve(): void {
    const place = isServed ? undefined : folder();
    isServed = true;
    if (place === undefined) {
        return;
    }
    const path = join(place, `${randomBytes(6).toString("hex")}.sock`);
    const server = createServer({ allowHalfOpen: true }, (socket) => void answer(socket));
    // Without it the verbs use what the state has.
    server.on("error", () => undefined);
    server.listen(path, () => chmodSync(path, 0o600));
    server.unref();
    process.once("exit", () => rmSync(path, { force: true }));
}

async function answer(socket: Socket): Promise<void> {
    socket.unref();
    try {
        socket.end(JSON.stringify(given(await read(socket))));
    } catch {
        socket.destroy();
    }
}

function socketsIn(path: string | undefined): string[] {
    const names = path === undefined ? [] : readdirSync(path);
    return names.filter((name) => name.endsWith(".sock")).map((name) => join(path ?? "", name));
}

/** What a program has given; nothing if it belongs to another engine, or doesn't answer. */
async function ask(path: string, engine: string): Promise<readonly ProgramAccess[]> {
    const socket = connect({ path, allowHalfOpen: true });
    const patience = setTimeout(() => socket.destroy(new Error("no answer")), PATIENCE);
    try {
        socket.end(engine);
        return JSON.parse(await read(socket)) as ProgramAccess[];
    } catch (error) {
        if ((error as NodeJS.ErrnoException).code === "ECONNREFUSED") {
            removeLeft(path);
        }
        return [];
    } finally {
        clearTimeout(patience);
        socket.destroy();
    }
}

function removeLeft(path: string): void {
    try {
        if (Date.now() - lstatSync(path).mtimeMs > STARTED) {
            rmSync(path);
        }
    } catch {
        // Another process has removed it.
    }
}

/** The text until the other end has sent all of its own. Iterators and their consumers would also close this end. */
function read(socket: Socket): Promise<string> {
    return new Promise((resolve, reject) => {
        let text = "";
        socket.setEncoding("utf8");
        socket.on("data", (part) => (text += part));
        socket.once("end", () => resolve(text));
        socket.once("error", reject);
        socket.once("close", () => reject(new Error("the connection ended")));
    });
}
