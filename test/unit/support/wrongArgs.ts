import * as pulumi from "@pulumi/pulumi";
import fc from "fast-check";

import type { Shape } from "../../../components/arguments/fields";
import { ARGUMENTS } from "../../../components/generated/shapes";
import { RUN_OPTION_NAMES } from "../../../provider/contract/runOptions";
import { rightArgs } from "./rightArgs";

/** Arguments with one wrong value or name, and the property that an error has to name. */
export interface Wrong {
    readonly kind: string;
    readonly args: Readonly<Record<string, unknown>>;
    readonly property: string;
}

/** Right arguments to which the wrong value is added. They are made only once, because that takes time. */
const among = fc.constantFrom(...fc.sample(rightArgs, { numRuns: 200, seed: 1 }));

type Path = readonly (number | string)[];

interface Place {
    readonly path: Path;
    readonly shape: Shape;
}

/** A key that is right in any map. */
const KEY = "A";

/** Every place in the description of the arguments, with one item for each list and map. */
function placesIn(shape: Shape, path: Path): Place[] {
    const here = { path, shape };
    if (typeof shape === "string" || "choice" in shape) {
        return [here];
    }
    if ("list" in shape) {
        return [here, ...placesIn(shape.list, [...path, 0])];
    }
    return "map" in shape
        ? [here, ...placesIn(shape.map, [...path, KEY])]
        : [here, ...Object.entries(shape.fields).flatMap(([name, field]) => placesIn(field, [...path, name]))];
}

export const PLACES: readonly Place[] = Object.entries(ARGUMENTS).flatMap(([name, shape]) => placesIn(shape, [name]));

/** A path as errors write it. */
export function pathText(path: Path): string {
    return path
        .map((step, index) => (typeof step === "number" ? `[${step}]` : index === 0 ? step : `.${step}`))
        .join("");
}

/** The same arguments with another value at a path. Missing objects and lists around it are added. */
export function withValue(args: object, [step, ...rest]: Path, value: unknown): any {
    const old = (args as any)[step];
    const around =
        typeof rest[0] === "number"
            ? Array.isArray(old)
                ? old
                : []
            : typeof old === "object" && old !== null
              ? old
              : {};
    const made = rest.length === 0 ? value : withValue(around, rest, value);
    if (Array.isArray(args)) {
        return Object.assign([...args], { [step]: made });
    }
    // A key such as __proto__ is a key like any other.
    return Object.fromEntries([...Object.entries(args).filter(([name]) => name !== step), [step, made]]);
}

/** Texts that are long, or with characters that terminals, files and APIs can't handle. */
const odd = fc.oneof(
    fc.constantFrom(
        "",
        " ",
        "\0",
        "\n",
        "\u001b[31m",
        "\u202e",
        "\ud800",
        "../..",
        "a:b",
        "é",
        "😀",
        "-",
        ".",
        "A".repeat(300),
    ),
    fc.string({ unit: "binary", minLength: 1, maxLength: 50 }),
    fc.constant("x".repeat(200_000)),
);

const isText = (value: unknown) => typeof value === "string";
const isObject = (value: unknown) => typeof value === "object" && value !== null && !Array.isArray(value);
const FITS: Readonly<Record<string, (value: unknown) => boolean>> = {
    boolean: (value) => typeof value === "boolean",
    integer: Number.isSafeInteger,
    number: Number.isFinite,
    object: isObject,
    kubeconfig: (value) => isText(value) || isObject(value),
    script: isText,
    seconds: Number.isSafeInteger,
    secret: isText,
    text: isText,
};

function hasShape(value: unknown, shape: Shape): boolean {
    if (typeof shape === "string") {
        return FITS[shape](value);
    }
    return "choice" in shape
        ? shape.choice.includes(value as string)
        : "list" in shape
          ? Array.isArray(value)
          : isObject(value);
}

const anything = fc.oneof(
    fc.constantFrom<unknown>(
        NaN,
        Infinity,
        -Infinity,
        0.5,
        2 ** 53,
        -(2 ** 60),
        1n,
        Symbol("s"),
        () => 1,
        true,
        false,
        0,
        new Date(0),
        new Map([[1, 2]]),
    ),
    fc.constantFrom<unknown>(
        [],
        {},
        [[]],
        [undefined],
        {
            toJSON: () => {
                throw new Error("no JSON");
            },
        },
        Object.create(null),
        "true",
        "1",
    ),
    fc.jsonValue(),
    odd,
    fc.double(),
);

const typed = PLACES.filter(({ shape }) => shape !== "any");
const wrongTypes = fc
    .tuple(among, fc.constantFrom(...typed), anything)
    .filter(([, { shape }, value]) => value !== undefined && value !== null && !hasShape(value, shape))
    .map(
        ([args, { path }, value]): Wrong => ({
            kind: "a value of another type",
            args: withValue(args, path, value),
            property: pathText(path),
        }),
    );

const holders = [
    { path: [] as Path, fields: ARGUMENTS },
    ...PLACES.flatMap(({ path, shape }) =>
        typeof shape === "object" && "fields" in shape ? [{ path, fields: shape.fields }] : [],
    ),
];
const strange = fc.oneof(
    odd,
    fc.constantFrom("__proto__", "constructor", "toString", "hasOwnProperty", "then", "Image", "imag", "sizes"),
);
const unknownNames = fc
    .tuple(among, fc.constantFrom(...holders), strange, fc.jsonValue())
    .filter(([, { fields }, name]) => !Object.hasOwn(fields, name))
    .map(
        ([args, { path }, name, value]): Wrong => ({
            kind: "an unknown name",
            args: withValue(args, [...path, name], value),
            property: pathText([...path, name]),
        }),
    );

const items = PLACES.filter(({ path, shape }) => shape !== "any" && [0, KEY].includes(path.at(-1)!));
const required: Path[] = [
    ["image"],
    ["volumes", 0, "mountPath"],
    ["volumes", 0, "name"],
    ["sidecars", 0, "image"],
    ["services", 0, "name"],
    ["view", "image"],
];
const nulls = fc
    .tuple(among, fc.constantFrom(...items.map(({ path }) => path), ...required), fc.constantFrom(null, undefined))
    .map(
        ([args, path, value]): Wrong => ({
            kind: "null in place of a value",
            args: withValue(args, path, value),
            property: pathText(path),
        }),
    );

const below = (limit: number) => fc.integer({ min: -1000, max: limit - 1 });
const beyond = (limit: number) => fc.integer({ min: limit + 1, max: Number.MAX_SAFE_INTEGER });
const outside = (min: number, max = 2147483647) => fc.oneof(below(min), beyond(max));
const RANGES: readonly [string, fc.Arbitrary<number>, object?][] = [
    ["archive.period", outside(0), { command: undefined }],
    ["backoffLimit", outside(0)],
    ["broker.logLevel", outside(0, 7)],
    ["broker.port", outside(1, 65535)],
    ["broker.connectTimeout", outside(1)],
    ["cores", outside(1, 65_536)],
    ["coresPerTask", outside(1)],
    ["activeDeadlineSeconds", outside(1)],
    ["drainTimeout", outside(0)],
    ["elastic.cooldown", outside(1), { command: undefined }],
    ["elastic.sleepAfter", outside(10), { command: undefined }],
    ["gpus", outside(0, 65536)],
    ["gpusPerTask", outside(0)],
    ["maxSize", beyond(100_000)],
    ["minSize", outside(1)],
    ["nodes", outside(1)],
    ["output.maxBytes", outside(0)],
    ["rendezvous.port", outside(1, 65535), { command: ["a"], launcher: undefined }],
    ["restful.port", outside(1, 65535), { command: undefined, restful: {} }],
    ["restful.workers", outside(1), { command: undefined, restful: {} }],
    ["services[0].ports", outside(1, 65535).map((port) => [port] as unknown as number)],
    ["signal.timeLeft", outside(1), { signal: {} }],
    ["size", outside(1, 100_000), { maxSize: undefined }],
    ["tasks", outside(1)],
    ["tasksPerNode", outside(1)],
    ["terminationGracePeriodSeconds", outside(0)],
    ["timeLimit", outside(1)],
    ...["completed", "delete", "imagePull", "podCreation", "podStart", "ready", "unschedulable"].map(
        (name): [string, fc.Arbitrary<number>] => [`timeouts.${name}`, outside(1)],
    ),
    ["tolerations[0].tolerationSeconds", outside(0)],
    ["ttlSecondsAfterFinished", outside(0)],
    ["urgency", outside(0, 31)],
    ["user.uid", outside(1)],
];

/** The path of a property in an error. */
function pathOf(property: string): Path {
    return property
        .split(/[.[\]]+/)
        .filter((step) => step !== "")
        .map((step) => (/^\d+$/.test(step) ? Number(step) : step));
}

const ranges = fc
    .tuple(
        among,
        fc
            .constantFrom(...RANGES)
            .chain(([property, numbers, others]) => fc.tuple(fc.constant(property), numbers, fc.constant(others))),
    )
    .map(([args, [property, value, others]]): Wrong => {
        return {
            kind: "a number out of range",
            args: withValue({ ...args, ...others }, pathOf(property), value),
            property,
        };
    });

const NO_RUN_OPTIONS = Object.fromEntries(RUN_OPTION_NAMES.map((name) => [name, null]));
const program = { name: "a", image: "a", command: ["a"], ports: [9000] };
const volume = { name: "a", mountPath: "/a" };
/** Arguments that contradict each other, and the property that an error names. */
const CONTRADICTIONS: readonly [string, object][] = [
    ["broker.extraConfig", { broker: { extraConfig: "[tbon" } }],
    ["broker.extraConfig", { broker: { extraConfig: 'tbon.topo = "kary:2"' } }],
    ["broker.extraConfig", { broker: { config: "", extraConfig: "" } }],
    ["broker.scheduler", { broker: { scheduler: "a b" } }],
    ["archive", { command: ["a"], archive: { hostPath: "/a" } }],
    ["archive", { command: null, archive: {} }],
    ["archive", { command: null, archive: { hostPath: "/a", persistentVolumeClaim: "b" } }],
    ["certificateSecret", { certificate: "a", certificateSecret: "b" }],
    ["drainTimeout", { command: ["a"], drainTimeout: 1 }],
    ["elastic", { command: ["a"], elastic: {} }],
    ["elastic", { command: null, elastic: {}, broker: null, resources: null }],
    ["elastic", { command: null, elastic: {}, maxSize: 3, minSize: 3 }],
    ["elastic.sleepAfter", { command: null, archive: null, elastic: { sleepAfter: 60 } }],
    ["exclusive", { command: null, exclusive: true }],
    ["fqdn", { fqdn: true, hostNetwork: true }],
    [
        "gpusPerTask",
        {
            command: ["a"],
            ...NO_RUN_OPTIONS,
            launcher: null,
            gpus: null,
            gpuResources: null,
            gpusPerTask: 1,
            resources: { limits: { cpu: "1" } },
        },
    ],
    ["gpuResources[0]", { resources: { limits: { cpu: "1" } }, gpuResources: ["example.com/npu"] }],
    ["keygen", { certificate: "a", keygen: "pod" }],
    ["keygen", { certificateSecret: "a", certificate: null, keygen: "native" }],
    ["launcher", { command: null, launcher: true }],
    ["minSize", { size: 2, minSize: 3, maxSize: 4 }],
    ["mungeSecret", { munge: false, mungeSecret: "a" }],
    ["nodes", { command: ["a"], size: 2, maxSize: null, nodes: 3 }],
    ["nodes", { command: ["a"], size: 2, nodes: 2, tasks: 1 }],
    ["outputFile", { outputFile: "none" }],
    ["podSecurityContext.runAsUser", { user: { uid: 5 }, podSecurityContext: { runAsUser: 6 } }],
    ["requires", { requires: "rank:0 and" }],
    ["resources.requests.cpu", { resources: { limits: { cpu: "1" }, requests: { cpu: "1500m" } } }],
    [
        "resources.requests.example.com/a",
        { resources: { limits: { "example.com/a": "2" }, requests: { "example.com/a": "1" } } },
    ],
    ["resources.requests.example.com/a", { resources: { requests: { "example.com/a": "1" } } }],
    ["rendezvous", { command: null, rendezvous: {} }],
    ["rendezvous", { command: ["a"], launcher: true, rendezvous: {} }],
    ["restful", { command: ["a"], restful: {} }],
    ["restful.clients", { command: null, networkPolicy: false, restful: { clients: [{ podSelector: {} }] } }],
    ["restful.clients[0]", { command: null, networkPolicy: true, restful: { clients: [{}] } }],
    ["restful.port", { command: null, broker: { port: 5000 }, restful: {} }],
    ["restful.port", { command: null, network: "hosts", broker: { port: 5000 }, restful: { port: 5001 } }],
    ["restful.version", { command: null, restful: { version: "1.2.0" } }],
    ["services", { network: "hosts", services: [program] }],
    ["services[1].name", { services: [program, { ...program, ports: [1] }] }],
    ["services[1].ports", { services: [program, { ...program, name: "b" }] }],
    ["shellOptions.signal", { shellOptions: { signal: "1" } }],
    ["sidecars[0].leadOnly", { sidecars: [{ name: "a", image: "a", leadOnly: true }] }],
    ["signal", { signal: {}, timeLimit: null }],
    ["signal.timeLeft", { signal: { timeLeft: 9 }, timeLimit: 9 }],
    ["size", { size: 3, maxSize: 2 }],
    ["suspend", { queueName: "a", suspend: true }],
    ["tasks", { command: null, tasks: 1 }],
    ["tasks", { command: ["a"], launcher: true, tasks: 1 }],
    [
        "tasks",
        {
            command: ["a"],
            ...NO_RUN_OPTIONS,
            launcher: null,
            size: 1,
            minSize: null,
            tasks: 9,
            resources: { limits: { cpu: "8" } },
        },
    ],
    ["terminationGracePeriodSeconds", { command: null, drainTimeout: 9, terminationGracePeriodSeconds: 9 }],
    ["timeouts.delete", { command: null, drainTimeout: 400, terminationGracePeriodSeconds: null, timeouts: {} }],
    ["tolerations[0].tolerationSeconds", { tolerations: [{ key: "a", effect: "NoSchedule", tolerationSeconds: 1 }] }],
    ["tolerations[0].value", { tolerations: [{ key: "a", operator: "Exists", value: "b" }] }],
    ["tolerations[0].key", { tolerations: [{ effect: "NoExecute" }] }],
    ["volumes[0]", { volumes: [volume] }],
    ["volumes[0]", { volumes: [{ ...volume, hostPath: "/a", secret: "b" }] }],
    ["volumes[0].items", { volumes: [{ ...volume, hostPath: "/a", items: { a: "b" } }] }],
    ["volumes[0].readOnly", { volumes: [{ ...volume, image: "a", readOnly: false }] }],
    ["volumes[0].mountPath", { user: {}, volumes: [{ ...volume, mountPath: "/etc/passwd", hostPath: "/a" }] }],
    [
        "volumes[0].mountPath",
        { network: "hosts", services: null, volumes: [{ ...volume, mountPath: "/etc/hosts", hostPath: "/a" }] },
    ],
    ["volumes[0].mountPath", { view: { image: "a", prefix: "/a" }, volumes: [{ ...volume, hostPath: "/a" }] }],
    [
        "volumes[1].mountPath",
        {
            volumes: [
                { ...volume, hostPath: "/a" },
                { name: "b", mountPath: "/a", hostPath: "/b" },
            ],
        },
    ],
    [
        "volumes[1].name",
        {
            volumes: [
                { ...volume, hostPath: "/a" },
                { ...volume, mountPath: "/b", hostPath: "/b" },
            ],
        },
    ],
    ["waitFor", { command: null, waitFor: "completed" }],
];
const contradictions = fc.tuple(among, fc.constantFrom(...CONTRADICTIONS)).map(([args, [property, others]]): Wrong => {
    return { kind: "a contradiction", args: { ...args, broker: undefined, cores: undefined, ...others }, property };
});

const never = (allowed: RegExp) => odd.filter((some) => !allowed.test(some));
const notALabel = never(/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/);
const noName = never(/^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/);
const noVariable = never(/^[A-Za-z_][A-Za-z0-9_]*$/);
const noQualified = never(/^[-A-Za-z0-9_./]+$/);
const noQuantity = never(/\d/);
const tooLong = fc.constant("x".repeat(200_000));
/** Properties with a form of their own, and texts of another form. */
const TEXTS: readonly [string, fc.Arbitrary<string>, object?][] = [
    ["archive.folder", never(/^[\w.-]+$/), { command: null }],
    ["broker.topology", odd],
    ["certificateSecret", noName, { certificate: null, keygen: null }],
    ["clusterDomain", noName],
    ["image", never(/^\S+$/)],
    ["imagePullSecrets[0]", noName],
    ["name", notALabel],
    ["priorityClassName", noName],
    ["queueName", never(/^([\w]([-\w.]*[\w])?)$/)],
    ["resources.limits.cpu", noQuantity],
    ["restful.user", never(/^[\w.@-]+$/), { command: null, restful: {} }],
    ["restful.tlsSecret", noName, { command: null, restful: {} }],
    ["runtimeClassName", noName],
    ["serviceAccountName", noName],
    ["sharedMemory", noQuantity],
    ["mungeSecret", noName, { munge: null }],
    ["user.name", never(/^[a-z_]/)],
    ["view.prefix", never(/^\//)],
    ["volumes[0].name", notALabel],
    ["volumes[0].mountPath", never(/^\//)],
    ["volumes[0].persistentVolumeClaim", noName],
    ["sidecars[0].name", notALabel],
    ["sidecars[0].image", never(/^\S+$/)],
    ["tolerations[0].effect", never(/^$/)],
    ["tolerations[0].operator", never(/^$/)],
    ["command[0]", fc.constantFrom("", "\0", "a\0b")],
    ["command[0]", tooLong],
    ["environment.A", tooLong],
    ["environment.A", fc.constant("a\0b")],
    ["hooks", tooLong.map((long) => ({ pre: long.repeat(6) }) as unknown as string)],
];
const texts = fc
    .tuple(
        among,
        fc
            .constantFrom(...TEXTS)
            .chain(([property, values, others]) => fc.tuple(fc.constant(property), values, fc.constant(others))),
    )
    .map(([args, [property, value, others]]): Wrong => {
        const base = withValue({ ...args, ...others }, pathOf(property), value);
        return { kind: "a malformed text", args: base, property };
    });

const KEYS: readonly [string, fc.Arbitrary<string>][] = [
    ["annotations", noQualified],
    ["environment", noVariable],
    ["podAnnotations", noQualified],
    ["labels", noQualified],
    ["nodeSelector", noQualified],
    ["resources.limits", noQualified],
];
const keys = fc
    .tuple(
        among,
        fc.constantFrom(...KEYS).chain(([property, names]) => fc.tuple(fc.constant(property), names)),
    )
    .map(
        ([args, [property, name]]): Wrong => ({
            kind: "a malformed name",
            args: withValue(args, [...pathOf(property), name], "1"),
            property: `${property}.${name}`,
        }),
    );

/** Every kind of wrong arguments. */
export const WRONG_ARGS: readonly fc.Arbitrary<Wrong>[] = [
    wrongTypes,
    unknownNames,
    nulls,
    ranges,
    contradictions,
    texts,
    keys,
];

/** Whether an Output can carry a value: Pulumi loses some values of JavaScript. */
function isJson(value: unknown): boolean {
    if (typeof value !== "object" || value === null) {
        return value === null || typeof value === "string" || typeof value === "boolean" || Number.isFinite(value);
    }
    const isPlain = Array.isArray(value) || [Object.prototype, null].includes(Object.getPrototypeOf(value));
    return isPlain && Object.entries(value).every(([name, item]) => name !== "__proto__" && isJson(item));
}

/**
 * Wrong arguments of all kinds, with the wrong part in an Output. An argument that can't be an Output is refused as
 * one. Triggers are left out: they are only compared, whatever their values.
 */
export const lateArgs: fc.Arbitrary<Wrong> = fc
    .oneof(...WRONG_ARGS)
    // The component doesn't open these two.
    .filter(({ property }) => !["context", "triggers"].includes(topOf(property)))
    .filter(({ args, property }) => Object.hasOwn(ARGUMENTS, topOf(property)) && isJson(args[topOf(property)]))
    .map(({ args, kind, property }) => {
        const top = topOf(property);
        return { kind, args: { ...args, [top]: pulumi.output(Promise.resolve(args[top])) }, property: top };
    });

/** The argument that a property is part of. */
function topOf(property: string): string {
    return property.split(/[.[]/)[0];
}
