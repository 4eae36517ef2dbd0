import { processes } from "./clock";
import { type Cluster, type Item, type Kind, merge } from "./cluster";
import type { Fault } from "./fault";
import type { FluxInstances } from "./fluxInstances";
import { Host } from "./host";

/** A request of a verb. */
export interface Request {
    readonly method: "DELETE" | "GET" | "PATCH" | "POST" | "WATCH";
    readonly kind: Kind | "exec" | "log" | "namespaces" | "version";
    readonly namespace: string;
    readonly name?: string;
    readonly body?: any;
    /** Aborts when the caller stops waiting. */
    readonly signal?: AbortSignal;
    /** The credentials. */
    readonly token?: string;
}

/** The world behind the API server. */
export interface ApiWorld {
    /** The cluster that answers at an address. */
    clusterAt(server: string): Cluster;
    /** Checks each request before its effect. */
    inspect(request: Request, cluster: Cluster, host: Host | undefined): void;
    /** Takes the fault that is due at a host's next request. */
    takeFault(request: Request, host: Host): Fault | undefined;
    /** Refuses a request for its credentials or for want of a right. */
    refuse(request: Request, host: Host): Error | undefined;
    /** Causes an event of another client, the user or the machine. */
    strike(fault: Fault, request: Request, host: Host): void;
    admit(kind: Kind, body: any): any;
    /** Takes a line of progress or a warning. */
    say(line: string): void;
    /** Reports a call that the model's client doesn't have. */
    lack(call: string): void;
    /** Counts something that happened. */
    note(what: string): void;
    /** True if a command runs in the Job of this UID. */
    isRunning(uid: string): boolean;
    readonly flux: FluxInstances;
}

const LATENCY = 3;

/** An error answer. */
export function refusal(code: number, reason: string, message: string, details: object = {}): Error {
    return Object.assign(new Error(`HTTP-Code: ${code}`), {
        code,
        body: { kind: "Status", code, reason, message, details },
        headers: {},
    });
}

export function unauthorized(): Error {
    return refusal(401, "Unauthorized", "Unauthorized");
}

export function forbidden({ kind, method }: Request): Error {
    return refusal(403, "Forbidden", `the user cannot ${method.toLowerCase()} ${kind}`);
}

const connectionReset = () =>
    Object.assign(new TypeError("fetch failed"), {
        cause: Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET" }),
    });

/** Never resolves: the code of a killed process stops here. */
const never = () => new Promise<never>(() => undefined);

/** Sends a request, with its latency and its fault. `effect` does the request in the cluster. */
export async function send<T>(
    world: ApiWorld,
    server: string,
    request: Request,
    effect: (cluster: Cluster) => T | Promise<T>,
): Promise<T> {
    const host = processes.getStore();
    const first = world.clusterAt(server);
    await first.clock.sleep(LATENCY);
    if (!(host instanceof Host)) {
        return effect(first);
    }
    const fault = world.takeFault(request, host);
    host.request++;
    const failure =
        world.refuse(request, host) ?? (fault === undefined ? undefined : await before(world, fault, request, host));
    if (failure !== undefined) {
        throw failure;
    }
    const cluster = world.clusterAt(server);
    world.inspect(request, cluster, host);
    const result = await effect(cluster);
    if (fault !== undefined) {
        await after(world, fault, request, host);
    }
    return result;
}

async function before(world: ApiWorld, fault: Fault, request: Request, host: Host): Promise<Error | undefined> {
    if (fault.kind === "401" || fault.kind === "403") {
        return fault.kind === "401" ? unauthorized() : forbidden(request);
    }
    return failing(world, fault, request, host);
}

async function failing(world: ApiWorld, fault: Fault, request: Request, host: Host): Promise<Error | undefined> {
    switch (fault.kind) {
        case "404":
            return Object.assign(new Error("HTTP-Code: 404"), { code: 404, body: "404 page not found", headers: {} });
        case "429":
            return refusal(429, "TooManyRequests", "too many requests");
        case "503 briefly":
            return refusal(503, "ServiceUnavailable", "the server is currently unable to handle the request");
        case "500":
        case "away":
            return refusal(500, "InternalError", "etcdserver: request timed out");
        case "conflict":
            return refusal(
                409,
                "Conflict",
                "the object has been modified; please apply your changes to the latest version",
            );
        case "reset":
            return connectionReset();
        case "timeout":
            return timeout(request);
        default:
            world.strike(fault, request, host);
            return host.alive ? undefined : never();
    }
}

async function after(world: ApiWorld, fault: Fault, request: Request, host: Host): Promise<void> {
    switch (fault.kind) {
        case "500 after":
            throw refusal(500, "InternalError", "etcdserver: request timed out");
        case "reset after":
            throw connectionReset();
        case "timeout after":
            throw await timeout(request);
        case "kill CLI after":
        case "kill host after":
            world.strike({ ...fault, kind: fault.kind === "kill CLI after" ? "kill CLI" : "kill host" }, request, host);
            if (!host.alive) {
                await never();
            }
            return;
        default:
    }
}

/** Resolves only when the caller's timeout aborts the request. */
function timeout({ signal }: Request): Promise<Error> {
    return new Promise((resolve) => {
        signal?.addEventListener("abort", () => resolve(signal.reason as Error), { once: true });
        if (signal?.aborted) {
            resolve(signal.reason as Error);
        }
    });
}

export function find(cluster: Cluster, kind: Kind, namespace: string, name: string): Item {
    const item = cluster.get(kind, namespace, name);
    if (item === undefined) {
        throw refusal(404, "NotFound", `${kind} "${name}" not found`, { name, kind });
    }
    return item;
}

/** Fails as the API server does if the cluster lacks the namespace. The other cluster has no namespace. */
export function requireNamespace(cluster: Cluster, namespace: string): void {
    if (!cluster.namespaces.has(namespace)) {
        throw refusal(404, "NotFound", `namespaces "${namespace}" not found`);
    }
}

export function createObject(world: ApiWorld, cluster: Cluster, kind: Kind, namespace: string, body: any): Item {
    requireNamespace(cluster, namespace);
    if (cluster.get(kind, namespace, body.metadata.name) !== undefined) {
        throw refusal(409, "AlreadyExists", `${kind} "${body.metadata.name}" already exists`);
    }
    const owners = (body.metadata.ownerReferences ?? []) as { uid: string; kind: string; name: string }[];
    const created = cluster.create(
        kind,
        world.admit(kind, structuredClone({ ...body, metadata: { ...body.metadata, namespace } })),
    );
    // The garbage collector deletes an object whose owner does not exist.
    if (owners.some(({ name, uid }) => cluster.get("services", namespace, name)?.metadata.uid !== uid)) {
        cluster.remove(kind, created);
    }
    return created;
}

export function patchObject(cluster: Cluster, kind: Kind, namespace: string, name: string, patch: any): Item {
    const item = find(cluster, kind, namespace, name);
    requireUid(item, patch.metadata?.uid);
    requireVersion(item, patch.metadata?.resourceVersion);
    const { resourceVersion: _version, uid: _uid, ...metadata } = patch.metadata ?? {};
    return cluster.update(kind, item, merge(item, structuredClone({ ...patch, metadata })));
}

export function deleteObject(cluster: Cluster, kind: Kind, namespace: string, name: string, body: any): void {
    const item = find(cluster, kind, namespace, name);
    requireUid(item, body?.preconditions?.uid);
    requireVersion(item, body?.preconditions?.resourceVersion);
    if (item.metadata.deletionTimestamp === undefined) {
        const deletionTimestamp = new Date(cluster.clock.now).toISOString();
        cluster.update(kind, item, { ...item, metadata: { ...item.metadata, deletionTimestamp } });
    }
}

/** Deletes an object without a controller at once. */
export function removeObject(cluster: Cluster, kind: Kind, namespace: string, name: string, body: any): void {
    const item = find(cluster, kind, namespace, name);
    requireUid(item, body?.preconditions?.uid);
    cluster.remove(kind, item);
}

function requireVersion({ metadata: { resourceVersion } }: Item, version: string | undefined): void {
    if (version !== undefined && version !== resourceVersion) {
        throw refusal(409, "Conflict", `the version in the precondition (${version}) is not that of the record`);
    }
}

function requireUid(item: Item, uid: string | undefined): void {
    if (uid !== undefined && uid !== item.metadata.uid) {
        throw refusal(409, "Conflict", `the UID in the precondition (${uid}) does not match the UID in record`);
    }
}
