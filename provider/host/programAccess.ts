import { randomBytes } from "node:crypto";
import { chmodSync, lstatSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { keptByCopy, keptInOperation, type Operation, operationAt } from "../contract/operation";
import type { ClusterAccess } from "../kubernetes/kubeconfig/clusterAccess";
import { engineAddress } from "./cancel";
import { warner } from "./log";
import { programRuns } from "./program";

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

interface Trouble {
    /** Why the last question may have missed what a program gives. */
    why?: string;
    isTold?: boolean;
}

const trouble = keptByCopy((): Trouble => ({}));

/** What the program that runs in this operation has given so far; nothing if no program runs. */
export async function programAccesses(): Promise<readonly ProgramAccess[]> {
    const engine = engineAddress().join(":");
    const own = given(engine);
    if (own.length > 0 || !engine.includes(":")) {
        trouble().why = undefined;
        return own;
    }
    try {
        const answers = await Promise.all(socketsIn(folder()).map((path) => ask(path, engine)));
        const accesses = answers.flatMap((answer) => (answer instanceof Error ? [] : answer));
        const failure = answers.find((answer) => answer instanceof Error);
        trouble().why = accesses.length > 0 ? undefined : failure?.message;
        return accesses;
    } catch (error) {
        trouble().why = (error as Error).message;
        return [];
    }
}

/** Warns once, on the row of this resource, if a program runs in this operation that couldn't be asked. */
export async function warnOfTrouble(urn: string | undefined): Promise<void> {
    const { isTold, why } = trouble();
    if (why !== undefined && !isTold && (await programRuns()) === true) {
        trouble().isTold = true;
        const words =
            "The kubeconfig of the state is used, because the one that the program gives now can't be asked for";
        warner(urn, "kubeconfig")(`${words}: ${why}.`);
    }
}

function accessesOf(operation: Operation): Map<string, ProgramAccess> {
    return keptInOperation<ProgramAccess>("accesses of the program", operation);
}

function given(engine: string): ProgramAccess[] {
    const operation = operationAt(engine);
    return operation === undefined ? [] : [...accessesOf(operation).values()];
}

/** A folder that only this user can read. Fails if there is none, as on Windows, which has no such sockets. */
function folder(): string {
    const uid = process.getuid?.();
    if (uid === undefined) {
        throw new Error("Node has no Unix sockets on Windows");
    }
    const own = join(tmpdir(), `flux-minicluster-${uid}`);
    const path = Buffer.byteLength(own) > LONGEST ? `/tmp/flux-minicluster-${uid}` : own;
    mkdirSync(path, { recursive: true, mode: 0o700 });
    const found = lstatSync(path);
    // Another user must neither read the kubeconfigs nor give one: it may name a program to run.
    if (!found.isDirectory() || found.uid !== uid || (found.mode & 0o077) !== 0) {
        throw new Error(
            `${path} is no folder that only this user can open. Remove it, or set TMPDIR to another folder`,
        );
    }
    return path;
}

let isServed = false;

/** Answers the processes of the verbs until this process ends. */
function serve(): void {
    if (isServed) {
        return;
    }
    isServed = true;
    try {
        const place = folder();
        // The engine kills the plugin, which then can't remove its own.
        sweep(place);
        const path = join(place, `${randomBytes(6).toString("hex")}.sock`);
        const server = createServer({ allowHalfOpen: true }, (socket) => void answer(socket));
        server.on("error", () => undefined);
        server.listen(path, () => chmodSync(path, 0o600));
        server.unref();
        process.once("exit", () => rmSync(path, { force: true }));
    } catch {
        // Without it the verbs use what the state has, and tell why if that fails.
    }
}

async function answer(socket: Socket): Promise<void> {
    socket.unref();
    try {
        socket.end(JSON.stringify(given(await read(socket))));
    } catch {
        socket.destroy();
    }
}

function socketsIn(path: string): string[] {
    return readdirSync(path)
        .filter((name) => name.endsWith(".sock"))
        .map((name) => join(path, name));
}

/** What a program has given; nothing if it belongs to another engine, or was killed. The error if it doesn't answer. */
async function ask(path: string, engine: string): Promise<readonly ProgramAccess[] | Error> {
    const socket = connect({ path, allowHalfOpen: true });
    const silence = new Error(`the program does not answer within ${PATIENCE / 1000} s`);
    const patience = setTimeout(() => socket.destroy(silence), PATIENCE);
    try {
        socket.end(engine);
        return JSON.parse(await read(socket)) as ProgramAccess[];
    } catch (error) {
        return isLeft(path, error as Error) ? [] : (error as Error);
    } finally {
        clearTimeout(patience);
        socket.destroy();
    }
}

/** Removes the sockets that programs have left which were killed. Doesn't keep this process running. */
function sweep(path: string): void {
    socketsIn(path)
        .filter(isOld)
        .forEach((name) => {
            const socket = connect(name, () => socket.destroy());
            socket.on("error", (error) => isLeft(name, error));
            socket.unref();
        });
}

/** True if nobody listens at this socket. Removes it, unless its program may be about to listen. */
function isLeft(path: string, { code }: NodeJS.ErrnoException): boolean {
    try {
        if (code === "ECONNREFUSED" && isOld(path)) {
            rmSync(path, { force: true });
        }
    } catch {
        // It stays. A program of this user doesn't fail for that.
    }
    return code === "ECONNREFUSED" || code === "ENOENT";
}

/** False if another process has removed it. */
function isOld(path: string): boolean {
    const { mtimeMs = Infinity } = lstatSync(path, { throwIfNoEntry: false }) ?? {};
    return Date.now() - mtimeMs > STARTED;
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
