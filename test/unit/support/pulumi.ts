import * as pulumi from "@pulumi/pulumi";

/** The SDK's mark of a secret value in a request. */
const SECRET = "4dabf18193072939515e22adb298388d";

/** A resource as the program registers it. */
export interface Registered {
    readonly type: string;
    readonly name: string;
    readonly parent: string;
    readonly dependencies: string[];
    /** URNs of the resources from which each input comes. */
    readonly sources: Readonly<Record<string, readonly string[]>>;
    readonly ignoreChanges: string[];
    readonly deleteBeforeReplace: boolean;
    readonly additionalSecretOutputs: string[];
    /** With secrets as plain values. */
    readonly inputs: any;
    /** Paths of the secrets among them, such as `stringData` or `a.b`. */
    readonly secrets: string[];
}

/** Outputs of the mocked resources, by type. */
export interface Answers {
    readonly [type: string]: (inputs: any) => object;
}

/** Mocks Pulumi's engine, and records every resource that is registered. */
export async function mockPulumi(answers: Answers = {}, { preview = false } = {}): Promise<Registered[]> {
    const registered: Registered[] = [];
    const mocks: pulumi.runtime.Mocks = {
        newResource: ({ id, inputs, name, type }) => ({
            id: id || `${name}-id`,
            state: { ...inputs, ...answers[type]?.(open(inputs)) },
        }),
        call: ({ inputs }) => inputs,
    };
    await pulumi.runtime.setMocks(mocks, "project", "stack", preview);
    const monitor = pulumi.runtime.getMonitor() as any;
    const register = monitor.registerResource.bind(monitor);
    monitor.registerResource = (request: any, callback: unknown) => {
        const object = request.getObject().toJavaScript();
        registered.push({
            type: request.getType(),
            name: request.getName(),
            parent: request.getParent(),
            dependencies: request.getDependenciesList(),
            sources: sourcesOf(request.getPropertydependenciesMap()),
            ignoreChanges: request.getIgnorechangesList(),
            deleteBeforeReplace: request.getDeletebeforereplace(),
            additionalSecretOutputs: request.getAdditionalsecretoutputsList(),
            inputs: open(object),
            secrets: secretPaths(object),
        });
        return register(request, callback);
    };
    return registered;
}

function sourcesOf(map: any): Record<string, string[]> {
    const entries: [string, any][] = map.toArray();
    return Object.fromEntries(entries.map(([input]) => [input, map.get(input).getUrnsList()]));
}

function isSecret(value: unknown): value is { value: unknown } {
    return typeof value === "object" && value !== null && SECRET in value;
}

function open(value: unknown): unknown {
    if (isSecret(value)) {
        return open(value.value);
    }
    if (Array.isArray(value)) {
        return value.map(open);
    }
    if (typeof value !== "object" || value === null) {
        return value;
    }
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, open(item)]));
}

function secretPaths(value: unknown, path = ""): string[] {
    if (isSecret(value)) {
        return [path];
    }
    if (typeof value !== "object" || value === null) {
        return [];
    }
    return Object.entries(value).flatMap(([key, item]) => secretPaths(item, path === "" ? key : `${path}.${key}`));
}

/** The value of an Output, as soon as it has one. */
export function valueOf<T>(output: pulumi.Output<T>): Promise<T> {
    return new Promise((resolve) => pulumi.output(output).apply((value) => resolve(value as T)));
}

/** Resolves when all started registrations are done. */
export async function settled(): Promise<void> {
    await pulumi.runtime.disconnect();
}
