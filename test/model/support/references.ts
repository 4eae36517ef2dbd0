import type { Registration } from "./program";
import type { State } from "./snapshot";
import { UNKNOWN } from "./unknown";

interface Registered {
    readonly key: string;
    readonly id: string;
    readonly outputs: Readonly<Record<string, any>>;
}

/** What the running program knows: the resources that it has registered, and their outputs. */
export class References {
    private readonly known = new Map<string, Registered>();

    /** Keeps the engine's answer to a registration. */
    learn(name: string, { id, key, outputs }: State): void {
        this.known.set(name, { key, id, outputs });
    }

    has(name: string): boolean {
        return this.known.has(name);
    }

    /** The key of a resource by its name. A key stays the same. */
    keyOf(name: string): string;
    keyOf(name: string | undefined): string | undefined;
    keyOf(name: string | undefined): string | undefined {
        return name === undefined ? undefined : (this.known.get(name)?.key ?? name);
    }

    /** The program does not register a resource if another one of its resources, which it needs, has failed. */
    isReady(wanted: Registration, names: ReadonlySet<string>): boolean {
        const { deletedWith, dependencies, parent, provider, replaceWith = [] } = wanted;
        return [...dependencies, ...replaceWith, parent, provider, deletedWith].every(
            (name) => name === undefined || this.known.has(name) || !names.has(name),
        );
    }

    /** The new state of a registration. */
    stateOf(wanted: Registration, key: string, inputs: State["inputs"]): State {
        const { component, ignoreChanges, name, protect, replaceOnChanges, retainOnDelete, type } = wanted;
        const id = this.known.get(wanted.provider ?? "")?.id ?? "";
        return {
            key,
            name,
            type,
            component,
            id: "",
            inputs,
            outputs: {},
            parent: this.keyOf(wanted.parent),
            provider: wanted.provider === undefined ? undefined : { key: this.keyOf(wanted.provider), id },
            dependencies: wanted.dependencies.map((of) => this.keyOf(of)),
            propertyDependencies: Object.fromEntries(
                Object.entries(wanted.propertyDependencies ?? dependenciesOf(wanted)).map(([input, of]) => [
                    input,
                    of.map((each) => this.keyOf(each)),
                ]),
            ),
            deletedWith: this.keyOf(wanted.deletedWith),
            replaceWith: wanted.replaceWith?.map((of) => this.keyOf(of)),
            secretNames: [...wanted.secretInputs, ...wanted.secretOutputs],
            protect,
            retainOnDelete,
            ignoreChanges,
            replaceOnChanges,
        };
    }

    /** Replaces references in inputs with outputs of earlier resources. Some are unknown at preview. */
    resolve(value: unknown, preview: boolean): unknown {
        if (typeof value === "string") {
            return value.includes("<<") ? this.fill(value, preview) : value;
        }
        if (typeof value !== "object" || value === null || !hasReferences(value)) {
            return value;
        }
        if (Array.isArray(value)) {
            return value.map((item) => this.resolve(item, preview));
        }
        const entries = Object.entries(value).map(([key, item]) => [key, this.resolve(item, preview)] as const);
        return Object.fromEntries(entries.filter(([, item]) => item !== undefined));
    }

    private fill(value: string, preview: boolean): string | undefined {
        let known = true;
        const text = value.replace(/<<([^.>]+)\.([^>]+)>>/g, (_all, name: string, output: string) => {
            const found = this.output(name, output);
            known &&= found !== undefined;
            return String(found);
        });
        if (known || preview) {
            return known ? text : UNKNOWN;
        }
        if (/^<<[^>]*>>$/.test(value)) {
            // The resource is not created. No target may depend on it.
            return undefined;
        }
        throw new Error(`the model has no value for ${value}`);
    }

    /** An output that a reference names. The last part of an id is the UID. */
    private output(name: string, output: string): unknown {
        const { id = "", outputs = {} } = this.known.get(name) ?? {};
        const own: Record<string, unknown> = id === "" ? {} : { id, uid: id.split("/").at(-1) };
        return output === "id" ? own["id"] : (outputs[output] ?? own[output]);
    }
}

/** Caches for programs, which are the same objects in all histories. */
const referring = new WeakMap<object, boolean>();
const depending = new WeakMap<Registration, State["propertyDependencies"]>();

function hasReferences(value: object): boolean {
    return remember(referring, value, () => referencesIn(value).length > 0);
}

/** The resources that each input of a resource refers to. */
function dependenciesOf(wanted: Registration): State["propertyDependencies"] {
    return remember(depending, wanted, () => {
        const inputs = Object.entries(wanted.inputs).map(([key, value]) => [key, referencesIn(value)] as const);
        return Object.fromEntries(inputs.filter(([, of]) => of.length > 0));
    });
}

function remember<K extends object, V>(known: WeakMap<K, V>, key: K, find: () => V): V {
    const value = known.get(key) ?? find();
    known.set(key, value);
    return value;
}

function referencesIn(value: unknown): string[] {
    return [...JSON.stringify(value).matchAll(/<<([^.>]+)\./g)].map(([, name]) => name);
}
