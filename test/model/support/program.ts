import { isDeepStrictEqual } from "node:util";

import * as pulumi from "@pulumi/pulumi";

import { FluxJob, MiniCluster, type MiniClusterArgs } from "../../../components";
import { KUBECONFIG, kubeconfigOf, SERVERS } from "./access";
import type { ResourceOptions } from "./resourceOptions";
import { argsOf, type Feed, jobArgsOf, kubeNameOf, namesOf, optionsOf, resourceNameOf, type Wish } from "./wish";

/** A resource as the program registers it. Its inputs have references to outputs of other resources. */
export interface Registration extends ResourceOptions {
    readonly name: string;
    readonly type: string;
    readonly inputs: Readonly<Record<string, any>>;
    readonly dependencies: readonly string[];
    /** Names of the resources on which an input depends, by input, as the SDK tells the engine. */
    readonly propertyDependencies?: Readonly<Record<string, readonly string[]>>;
    readonly ignoreChanges: readonly string[];
    readonly deleteBeforeReplace: boolean | undefined;
    readonly secretOutputs: readonly string[];
    /** Names of inputs that are secret. */
    readonly secretInputs: readonly string[];
}

/** The SDK's mark of a secret value on the wire. */
const SECRET = "4dabf18193072939515e22adb298388d";

/** Stand for the names of the resource and of the cluster. */
const NAME = "qqq";
const KUBE_NAME = "kkk";

const BASE: Wish = { name: NAME, image: "image:1", size: 2, interrupt: "refuse", suspend: false, elastic: false };

/** The fields of a wish that change the set of resources, their options or what they depend on. */
const SHAPE = ["command", "elastic", "feed", "fluxJob"] as const;

/** The fields that are no argument of the cluster. */
const APART: readonly string[] = [
    "absent",
    "ambient",
    "astray",
    "content",
    "kubeName",
    "name",
    "plugin",
    "renamed",
    "token",
    "twin",
];

const captured = new Map<string, Promise<readonly Registration[]>>();
const composed = new Map<string, readonly Registration[]>();

/** Name of the second cluster of the same name in Kubernetes. */
export function twinOf({ name }: Pick<Wish, "name">): string {
    return `${name}-twin`;
}

/**
 * The resources of a wish, as the real components register them. Of the Kubernetes provider only the lead Service is
 * here. A run of the program takes long. So each shape runs once, each argument runs once, and the argument's changes
 * are laid over the shape.
 */
export async function registrations(wish: Wish): Promise<readonly Registration[]> {
    const key = JSON.stringify(wish);
    const result = composed.get(key) ?? (await compose(wish));
    composed.set(key, result);
    return result;
}

async function compose(wish: Wish): Promise<readonly Registration[]> {
    const { astray = false, token = 0, twin = false } = wish;
    if (wish.absent === true) {
        return [];
    }
    const first = named(await render(wish), wish, kubeconfigOf(astray ? SERVERS.second : SERVERS.main, token));
    if (!twin) {
        return first;
    }
    const name = twinOf(wish);
    const other: Wish = { ...wish, name, kubeName: kubeNameOf(wish), feed: undefined, fluxJob: undefined };
    const second = named(await render(other), other, kubeconfigOf(SERVERS.second, token));
    return [...first, ...second.map((of) => (of.type === "Service" ? at(SERVERS.second, of) : of))];
}

/** The Service of a Kubernetes provider with another cluster. */
function at(server: string, service: Registration): Registration {
    return { ...service, inputs: { ...service.inputs, server } };
}

function named(all: readonly Registration[], wish: Wish, kubeconfig: string): readonly Registration[] {
    const text = JSON.stringify(all)
        .replaceAll(inText(KUBECONFIG), inText(kubeconfig))
        .replaceAll(NAME, resourceNameOf(wish))
        .replaceAll(KUBE_NAME, kubeNameOf(wish))
        .replaceAll(CONTENT, wish.content ?? "a");
    const registered = JSON.parse(text) as readonly Registration[];
    const renamed = wish.renamed === undefined ? registered : registered.map(withAlias);
    const given = wish.ambient === true ? renamed.map(withoutKubeconfig) : renamed;
    return wish.protect === true ? given.map(protectedOne) : given;
}

function withoutKubeconfig({ inputs, ...registration }: Registration): Registration {
    const { kubeconfig: _kubeconfig, ...others } = inputs as Record<string, unknown>;
    return { ...registration, inputs: others };
}

function protectedOne(registration: Registration): Registration {
    return registration.type === "Settings" ? registration : { ...registration, protect: true };
}

/** The alias by the other name. The children of a component inherit it in this form. */
function withAlias(registration: Registration): Registration {
    const other = namesOf(registration.name).find((name) => name !== registration.name);
    return { ...registration, aliases: [{ name: other }] };
}

/** A text as a part of a JSON text. */
function inText(text: string): string {
    return JSON.stringify(text).slice(1, -1);
}

async function render(wish: Wish): Promise<readonly Registration[]> {
    const shape = Object.fromEntries(SHAPE.map((name) => [name, wish[name]])) as Partial<Wish>;
    const base: Wish = { ...BASE, command: shape.command, fluxJob: shape.fluxJob };
    const plain = await run(base);
    let all: any = await run({ ...base, ...shape });
    for (const [name, value] of Object.entries(wish)) {
        const isSame = value === base[name as keyof Wish] || APART.includes(name) || SHAPE.some((of) => of === name);
        if (!isSame) {
            all = overlay(all, plain, await run({ ...base, [name]: value }));
        }
    }
    return all;
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
            return value.map((item: Registration) => overlay(item, ofName(from, item.name), ofName(to, item.name)));
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

function ofName(all: readonly Registration[], wanted: string): Registration | undefined {
    return all.find(({ name }) => name === wanted);
}

function isTree(value: unknown): boolean {
    return typeof value === "object" && value !== null;
}

/** A reference to an output of a resource, or to the last part of its id. */
const reference = (name: string, output: string) => `<<${name}.${output}>>`;

/** The content of the user's resource. */
const CONTENT = "user-content";

/** Outputs of the user's resource, which arguments accept as names. */
const [LABEL, DIGEST, NAMESPACE] = ["output-label", "output-digest", "output-namespace"];

/** A resource of another package, whose provider deletes it before it replaces it, such as a named ConfigMap. */
class Settings extends pulumi.CustomResource {
    declare readonly label: pulumi.Output<string>;
    declare readonly digest: pulumi.Output<string>;
    declare readonly namespace: pulumi.Output<string>;

    constructor(name: string) {
        super("test:index:Settings", name, {
            content: CONTENT,
            label: undefined,
            digest: undefined,
            namespace: undefined,
        });
    }
}

/** The arguments that have an output of the user's resource. `label` and `namespace` stay the same, `digest` changes. */
const FEEDS: Readonly<Record<Feed, (settings: Settings) => { cluster?: Partial<MiniClusterArgs>; job?: object }>> = {
    environment: ({ digest }) => ({ cluster: { environment: { SETTINGS: digest } } }),
    "job command": ({ digest }) => ({ job: { command: ["true", digest] } }),
    "job environment": ({ label }) => ({ job: { environment: { SETTINGS: label } } }),
    namespace: ({ namespace }) => ({ cluster: { namespace } }),
    "pull secret": ({ label }) => ({ cluster: { imagePullSecrets: [label] } }),
    volume: ({ label }) => ({ cluster: { volumes: [{ name: "settings", mountPath: "/settings", configMap: label }] } }),
};

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
        case "Settings":
            return { id: name, state: { ...inputs, label: LABEL, digest: DIGEST, namespace: NAMESPACE } };
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
            type.startsWith("test:") ||
            (type === "kubernetes:core/v1:Service" && request.getName().endsWith("-lead"))
        ) {
            registered.push(describe(request));
        }
        return register(request, callback);
    };
    declare(wish);
    await pulumi.runtime.disconnect();
    return withReferences(registered, wish.name);
}

function withReferences(registered: readonly Registration[], name: string): readonly Registration[] {
    const outputs = { label: LABEL, digest: DIGEST, namespace: NAMESPACE };
    const text = Object.entries(outputs).reduce(
        (all, [output, text]) => all.replaceAll(text, reference(`${name}-settings`, output)),
        JSON.stringify(registered),
    );
    return JSON.parse(text) as readonly Registration[];
}

function declare(wish: Wish): void {
    const { feed, name } = wish;
    const fed = feed === undefined ? undefined : FEEDS[feed](new Settings(`${name}-settings`));
    const args: MiniClusterArgs = {
        ...argsOf(wish),
        image: wish.image,
        name: KUBE_NAME,
        namespace: "hpc",
        kubeconfig: pulumi.secret(KUBECONFIG),
        command: wish.command === undefined ? undefined : [wish.command],
        ...fed?.cluster,
    };
    const cluster = new MiniCluster(name, args, optionsOf(wish));
    if (wish.fluxJob !== undefined) {
        new FluxJob(`${name}-run`, { ...jobArgsOf(wish), cluster, ...fed?.job });
    }
}

function describe(request: any): Registration {
    const object = request.getObject().toJavaScript() as Record<string, unknown>;
    const urns: string[] = request.getDependenciesList();
    return {
        name: request.getName(),
        type: request.getType().split(":").at(-1),
        inputs: shorten(open(object)) as Record<string, any>,
        dependencies: urns.map(nameOf),
        propertyDependencies: propertyDependencies(request),
        ignoreChanges: request.getIgnorechangesList(),
        deleteBeforeReplace: request.getDeletebeforereplacedefined() ? request.getDeletebeforereplace() : undefined,
        secretOutputs: request.getAdditionalsecretoutputsList(),
        secretInputs: Object.keys(object).filter((name) => holdsSecret(object[name])),
    };
}

function propertyDependencies(request: any): Registration["propertyDependencies"] {
    const result: Record<string, readonly string[]> = {};
    request.getPropertydependenciesMap().forEach((of: { getUrnsList(): string[] }, property: string) => {
        const names = of.getUrnsList().map(nameOf);
        if (names.length > 0) {
            result[property] = names;
        }
    });
    return result;
}

function nameOf(urn: string): string {
    return urn.split("::").at(-1)!;
}

/**
 * Lists that the provider only copies. Of their entries, the first is kept, and one that has an output of the user's
 * resource. Copies took half of a history's time.
 */
const LONG = ["env", "volumeMounts"];

function shortened(list: readonly unknown[]): readonly unknown[] {
    return list.filter((item, index) => index === 0 || [LABEL, DIGEST].some((of) => JSON.stringify(item).includes(of)));
}

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
            key === "data" ? textOf(item) : shorten(LONG.includes(key) ? shortened(item) : item),
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
