/** What the dynamic provider host calls. @see https://www.pulumi.com/docs/iac/concepts/resources/dynamic-providers/ */
export interface Verbs<Inputs extends object, Outputs extends Inputs> {
    check(olds: Partial<Inputs>, news: Inputs): Promise<CheckResult<Inputs>>;
    /** `olds` are the last outputs. */
    diff(id: string, olds: Outputs, news: Inputs): Promise<DiffResult>;
    create(inputs: Inputs): Promise<{ id: string; outs: Outputs }>;
    read(id: string, props: Outputs): Promise<ReadResult<Inputs, Outputs>>;
    update(id: string, olds: Outputs, news: Inputs): Promise<{ outs: Outputs }>;
    delete(id: string, props: Outputs): Promise<void>;
}

export interface CheckResult<Inputs> {
    readonly inputs: Inputs;
    readonly failures?: { readonly property: string; readonly reason: string }[];
}

export interface DiffResult {
    readonly changes: boolean;
    readonly replaces?: string[];
    readonly deleteBeforeReplace?: boolean;
}

/** Without an id, the resource is gone. */
export interface ReadResult<Inputs, Outputs> {
    readonly id?: string;
    readonly props?: Outputs;
    readonly inputs?: Inputs;
}

/**
 * An error for something that exists but isn't as it should be: Pulumi keeps it in the state, with these outputs.
 * A plain Error, because the host looks at its fields.
 */
export function partialFailure(message: string, id: string, outputs: object): Error {
    return Object.assign(new Error(message), { id, properties: defined(outputs), reasons: [message] });
}

/** The same without what is undefined, which the host can't send. */
export function defined<T>(value: T): T {
    return JSON.parse(JSON.stringify(value)) as T;
}

/** The inputs among the outputs of a resource. */
export function pick<Inputs extends object>(outputs: Inputs, names: readonly (keyof Inputs)[]): Inputs {
    const entries = names.filter((name) => outputs[name] !== undefined).map((name) => [name, outputs[name]]);
    return Object.fromEntries(entries) as Inputs;
}
