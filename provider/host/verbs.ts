import { foreignLines } from "../contract/foreignText";
import { withoutMarkup } from "./markup";

/**
 * The calls of the dynamic provider host.
 * @see https://www.pulumi.com/docs/iac/concepts/resources/dynamic-providers/
 */
export interface Verbs<Inputs extends object, Outputs extends Inputs> {
    check(olds: Partial<Inputs>, news: Inputs): Promise<CheckResult<Inputs>>;
    /** `olds` are the resource's last outputs. */
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

/** Without an id, the resource doesn't exist any more. */
export interface ReadResult<Inputs, Outputs> {
    readonly id?: string;
    readonly props?: Outputs;
    readonly inputs?: Inputs;
}

/**
 * An error for a resource that exists but isn't in the wanted condition: Pulumi keeps it in the state, with these
 * outputs. A plain Error, because the host reads its fields.
 */
export function partialFailure(text: string, id: string, outputs: object): Error {
    const message = readable(text);
    return Object.assign(new Error(message), { id, properties: defined(outputs), reasons: [message] });
}

/** An error's message as Pulumi may show it: it may have any text of a job, a pod or a server. */
function readable(message: string): string {
    return withoutMarkup(foreignLines(message));
}

const NAMES = ["check", "create", "delete", "diff", "read", "update"] as const;

/** The same verbs, whose errors are readable. */
export function readably<Inputs extends object, Outputs extends Inputs>(
    verbs: Verbs<Inputs, Outputs>,
): Verbs<Inputs, Outputs> {
    const all = verbs as unknown as Record<string, (...words: unknown[]) => Promise<unknown>>;
    const guarded = NAMES.map((name) => [name, (...words: unknown[]) => all[name](...words).catch(rethrow)]);
    return Object.fromEntries(guarded) as Verbs<Inputs, Outputs>;
}

function rethrow(error: unknown): never {
    if (error instanceof Error) {
        error.message = readable(error.message);
    }
    throw error;
}

/** A copy without undefined fields, which the host can't send. */
export function defined<T>(value: T): T {
    return JSON.parse(JSON.stringify(value)) as T;
}
