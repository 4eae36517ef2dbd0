import { isDeepStrictEqual } from "node:util";

import * as pulumi from "@pulumi/pulumi";

import { FluxJob, MiniCluster, type MiniClusterArgs } from "../../..";
import type { ResourceOptions } from "./resourceOptions";
import { argsOf, optionsOf, type Wish } from "./wish";

/** A resource as the program registers it. Its inputs have references to outputs of other resources. */
export interface Registration extends ResourceOptions {
    readonly name: string;
    readonly type: string;
    readonly inputs: Readonly<Record<string, any>>;
    readonly dependencies: readonly string[];
    readonly ignoreChanges: readonly string[];
    readonly deleteBeforeReplace: boolean | undefined;
    readonly secretOutputs: readonly string[];
    /** Names of inputs that are secret. */
    readonly secretInputs: readonly string[];
}

/** The SDK's mark of a secret value on the wire. */
const SECRET = "4dabf18193072939515e22adb298388d";

export const TOKEN = "token-that-nobody-may-see";

/** The secret kubeconfig of the program. */
export const KUBECONFIG = JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "c", cluster: { server: "https://cluster" } }],
    users: [{ name: "u", user: { token: TOKEN } }],
    contexts: [{ name: "c", context: { cluster: "c", user: "u" } }],
    "current-context": "c",
});

const BASE: Wish = { name: "qqq", image: "image:1", size: 2, interrupt: "refuse", suspend: false, elastic: false };

/** The fields of a wish that change the set of resources or their options. All other fields only change inputs. */
const SHAPE = ["command", "elastic", "fluxJob"] as const;

const captured = new Map<string, Promise<readonly Registration[]>>();
const composed = new Map<string, readonly Registration[]>();

/**
 * The resources of a wish, as the real components register them. Of the Kubernetes provider only the lead Service is
 * here. A run of the program takes long. So each shape runs once, each argument runs once, and the argument's changes
 * are laid over the shape.
 */
export async function registrations(wish: Wish): Promise<readonly Registration[]> {
    const key = JSON.stringify(wish);
    const known = composed.get(key);
    if (known !== undefined) {
        return known;
    }
    const shape = Object.fromEntries(SHAPE.map((name) => [name, wish[name]])) as Partial<Wish>;
    const base: Wish = { ...BASE, command: shape.command };
    const plain = await run(base);
    let all: any = await run({ ...base, ...shape });
    for (const [name, value] of Object.entries(wish)) {
        const isSame = value === base[name as keyof Wish] || name === "name" || SHAPE.some((of) => of === name);
        if (!isSame) {
            all = overlay(all, plain, await run({ ...base, [name]: value }));
        }
    }
    const text = JSON.stringify(all).replaceAll("qqq", wish.name);
    const result = JSON.parse(text) as readonly Registration[];
    composed.set(key, result);
    return result;
}

function run(wish: Wish): Promise<readonly Registration[]> {
    const key = JSON.stringify(wish);
    const known = captured.get(key) ?? capture(wish);
    captured.set(key, known);
    return known;
}

/** Applies the changes between two values to a third value. Resources are matched by their names. */
function overlay(value: any, from: any, to: any): any {
    if (isDeepStrictEqual(from, to)) {
        return value;
    }
    if ([value, from, to].every(isTree) && Array.isArray(from) === Array.isArray(to)) {
        if (areRegistrations(to)) {
            return value.map((item: Registration) => overlay(item, named(from, item.name), named(to, item.name)));
        }
        const names = [...new Set([...Object.keys(value), ...Object.keys(to)])].filter(
            (name) => name in to || !(name in from),
        );
        const entries = names.map((name) => [name, overlay(value[name], from[name], to[name])]);
        return Array.isArray(to) ? entries.map(([, item]) => item) : Object.fromEntries(entries);
    }
    return to;
}

function areRegistrations(value: any): boolean {
    return Array.isArray(value) && value.length > 0 && "type" in value[0] && "inputs" in value[0];
}

function named(all: readonly Registration[], wanted: string): Registration | undefined {
    return all.find(({ name }) => name === wanted);
}

function isTree(value: unknown): boolean {
    return typeof value === "object" && value !== null;
}

/** A reference to an output of a resource, or to the last part of its id. */
const reference = (name: string, output: string) => `<<${name}.${output}>>`;

/** The outputs of the mocked resources. */
function answer(name: string, type: string, inputs: any): { id: string; state: object } {
    switch (type.split(":").at(-1)!) {
        case "CurveKey":
            return {
                id: name,
                state: {
                    ...inputs,
                    publicKey: "public",
                    secretKey: reference(name, "secretKey"),
                    nonce: reference(name, "nonce"),
                },
            };
        case "FluxTicket":
            return { id: name, state: { ...inputs, nonce: reference(name, "nonce"), key: reference(name, "key") } };
        case "IndexedJob":
            return { id: `hpc/${inputs.manifest.metadata.name}/${reference(name, "uid")}`, state: inputs };
        case "Service":
            return {
                id: name,
                state: {
                    ...inputs,
                    metadata: { ...inputs.metadata, namespace: "hpc", uid: reference(name, "uid") },
                    spec: { ...inputs.spec, clusterIP: reference(name, "address") },
                },
            };
        default:
            return { id: `${name}-id`, state: inputs };
    }
}

async function capture(wish: Wish): Promise<readonly Registration[]> {
    const registered: Registration[] = [];
    await pulumi.runtime.setMocks(
        { newResource: ({ inputs, name, type }) => answer(name, type, inputs), call: ({ inputs }) => inputs },
        "project",
        "stack",
        false,
    );
    const monitor = pulumi.runtime.getMonitor() as any;
    const register = monitor.registerResource.bind(monitor);
    monitor.registerResource = (request: any, callback: unknown) => {
        const type: string = request.getType();
        if (
            type.includes("dynamic") ||
            (type === "kubernetes:core/v1:Service" && request.getName().endsWith("-lead"))
        ) {
            registered.push(describe(request));
        }
        return register(request, callback);
    };
    declare(wish);
    await pulumi.runtime.disconnect();
    return registered;
}

function declare(wish: Wish): void {
    const { name } = wish;
    const args: MiniClusterArgs = {
        ...argsOf(wish),
        image: wish.image,
        name,
        namespace: "hpc",
        kubeconfig: pulumi.secret(KUBECONFIG),
        command: wish.command === undefined ? undefined : [wish.command],
    };
    const cluster = new MiniCluster(name, args, optionsOf(wish));
    if (wish.fluxJob !== undefined) {
        new FluxJob(`${name}-run`, { cluster, command: [wish.fluxJob] });
    }
}

function describe(request: any): Registration {
    const object = request.getObject().toJavaScript() as Record<string, unknown>;
    const urns: string[] = request.getDependenciesList();
    return {
        name: request.getName(),
        type: request.getType().split(":").at(-1),
        inputs: shorten(open(object)) as Record<string, any>,
        dependencies: urns.map((urn) => urn.split("::").at(-1)!),
        ignoreChanges: request.getIgnorechangesList(),
        deleteBeforeReplace: request.getDeletebeforereplacedefined() ? request.getDeletebeforereplace() : undefined,
        secretOutputs: request.getAdditionalsecretoutputsList(),
        secretInputs: Object.keys(object).filter((name) => holdsSecret(object[name])),
    };
}

/** Lists that the provider only copies. They are cut to one entry, because copies took half of a history's time. */
const LONG = ["env", "volumeMounts"];

function shorten(value: unknown): unknown {
    if (typeof value !== "object" || value === null) {
        return value;
    }
    if (Array.isArray(value)) {
        return value.map(shorten);
    }
    return Object.fromEntries(
        Object.entries(value).map(([key, item]) => [
            key,
            key === "data" ? textOf(item) : shorten(LONG.includes(key) ? item.slice(0, 1) : item),
        ]),
    );
}

/** Cuts a ConfigMap's data to one line of broker.toml, which is enough to tell versions apart. */
function textOf(data: Readonly<Record<string, string>>): object {
    const config = data["broker.toml"];
    return config === undefined ? data : { "broker.toml": /connect_timeout.*/.exec(config)?.[0] ?? "" };
}

function holdsSecret(value: unknown): boolean {
    return typeof value === "object" && value !== null && (SECRET in value || Object.values(value).some(holdsSecret));
}

function open(value: unknown): unknown {
    if (typeof value !== "object" || value === null) {
        return value;
    }
    if (SECRET in value) {
        return open((value as unknown as { value: unknown }).value);
    }
    return Array.isArray(value)
        ? value.map(open)
        : Object.fromEntries(Object.entries(value).map(([key, item]) => [key, open(item)]));
}
