import type { Alias, Document, LineCounter, Node, Pair, YAMLMap } from "yaml";
import { type Plain, plainValue } from "./scalar";
import type { Json } from "../../provider/contract/object";

/** A YAML document as values, with the places of its fields. */
export interface ReadDocument {
    readonly value: Json;
    /** The line in which the document starts. */
    readonly line: number;
    /** Line of each field, by its path: `spec.containers[0].image`. */
    readonly lines: ReadonlyMap<string, number>;
    /** Text of each scalar in the file, by its path, if its value is no text. */
    readonly sources: ReadonlyMap<string, string>;
    /** Keys that a map has more than once. The last one counts, as for kubectl. */
    readonly repeated: readonly { readonly path: string; readonly lines: readonly number[] }[];
    /** Keys that YAML doesn't read as the texts in the file. */
    readonly renamed: readonly { readonly path: string; readonly source: string }[];
}

type YamlModule = typeof import("yaml");

/** More values than any MiniCluster has. Aliases can make billions of values out of a short text. */
const MOST_VALUES = 100_000;
const STANDARD = "tag:yaml.org,2002:";

/** Reads the nodes of one document. */
export class DocumentReader {
    readonly lines = new Map<string, number>();
    readonly sources = new Map<string, string>();
    readonly repeated: { path: string; lines: number[] }[] = [];
    readonly renamed: { path: string; source: string }[] = [];
    private count = 0;
    private readonly open = new Set<Node>();

    constructor(
        private readonly yaml: YamlModule,
        private readonly text: string,
        private readonly document: Document,
        private readonly counter: LineCounter,
    ) {}

    read(): ReadDocument {
        const { lines, renamed, repeated, sources } = this;
        const { contents } = this.document;
        return { value: this.valueOf(contents, ""), line: this.lineOf(contents), lines, renamed, repeated, sources };
    }

    private valueOf(node: Node | null, path: string): Json {
        this.count += 1;
        if (this.count > MOST_VALUES) {
            throw this.failure(node, `it has more than ${MOST_VALUES} values, with its aliases`);
        }
        if (node === null) {
            return null;
        }
        if (this.yaml.isAlias(node)) {
            return this.within(node, () => this.valueOf(this.target(node), path));
        }
        if (this.yaml.isMap(node)) {
            return this.within(node, () => this.mapOf(node as YAMLMap<Node, Node | null>, path));
        }
        if (this.yaml.isSeq(node)) {
            return this.within(node, () =>
                (node.items as Node[]).map((item, index) => {
                    this.note(`${path}[${index}]`, item);
                    return this.valueOf(item, `${path}[${index}]`);
                }),
            );
        }
        return this.scalarOf(node, path);
    }

    private target(node: Alias): Node {
        const target = node.resolve(this.document);
        if (target === undefined) {
            throw this.failure(node, `there is no anchor &${node.source} before the alias *${node.source}`);
        }
        return target;
    }

    /** Refuses an anchor that contains its own alias. */
    private within(node: Node, read: () => Json): Json {
        if (this.open.has(node)) {
            throw this.failure(node, "an anchor contains its own alias");
        }
        this.open.add(node);
        const value = read();
        this.open.delete(node);
        return value;
    }

    private mapOf(map: YAMLMap<Node, Node | null>, path: string): Json {
        const values: Record<string, Json> = {};
        const given = new Map<string, number>();
        for (const pair of map.items) {
            if (this.isMerge(pair)) {
                this.merge(pair.value, path, values);
                continue;
            }
            const key = this.keyOf(pair.key, path);
            const inner = path === "" ? key : `${path}.${key}`;
            const before = given.get(key);
            this.note(inner, pair.key);
            const line = this.lineOf(pair.key);
            if (before !== undefined) {
                this.repeated.push({ path: inner, lines: [before, line] });
            }
            given.set(key, line);
            this.sources.delete(inner);
            define(values, key, this.valueOf(pair.value, inner));
        }
        return values;
    }

    /** As for kubectl, the merged map replaces fields before it, and fields after it replace those of the map. */
    private merge(node: Node | null, path: string, values: Record<string, Json>): void {
        const merged = this.valueOf(node, path);
        for (const map of Array.isArray(merged) ? [...merged].reverse() : [merged]) {
            if (typeof map !== "object" || map === null || Array.isArray(map)) {
                throw this.failure(node, "the value of << is no map");
            }
            Object.entries(map).forEach(([key, value]) => define(values, key, value as Json));
        }
    }

    private isMerge({ key }: Pair<Node, Node | null>): boolean {
        return this.yaml.isScalar(key) && key.type === "PLAIN" && key.value === "<<";
    }

    /** A key as JSON has it: YAML reads N, for example, as false. */
    private keyOf(node: Node, path: string): string {
        const resolved = this.yaml.isAlias(node) ? this.target(node) : node;
        if (!this.yaml.isScalar(resolved)) {
            throw this.failure(node, "a map or a list is the key of a map");
        }
        const key = String(this.scalarOf(resolved, undefined));
        if (key !== String(resolved.value)) {
            this.renamed.push({ path: path === "" ? key : `${path}.${key}`, source: String(resolved.value) });
        }
        return key;
    }

    private scalarOf(node: Node, path: string | undefined): Plain {
        const { tag, type, value } = node as { tag?: string; type?: string; value?: unknown };
        const source = value instanceof Uint8Array ? Buffer.from(value).toString() : String(value ?? "");
        const read =
            tag === undefined || tag === "!" ? this.implied(tag ?? type, source) : this.tagged(node, tag, source);
        if (path !== undefined && typeof read !== "string") {
            this.sources.set(path, source);
        }
        return read;
    }

    private implied(type: string | undefined, source: string): Plain {
        return type === "PLAIN" ? plainValue(source) : source;
    }

    private tagged(node: Node, tag: string, source: string): Plain {
        if (tag === `${STANDARD}str` || tag === `${STANDARD}binary`) {
            return source;
        }
        const value = plainValue(source);
        const types: Record<string, string> = { bool: "boolean", float: "number", int: "number", null: "object" };
        if (typeof value !== types[tag.slice(STANDARD.length)]) {
            throw this.failure(node, `"${source}" doesn't fit its tag ${tag.replace(STANDARD, "!!")}`);
        }
        return value;
    }

    private note(path: string, node: Node): void {
        this.lines.set(path, this.lineOf(node));
    }

    private lineOf(node: Node | null): number {
        return this.counter.linePos(node?.range?.[0] ?? 0).line;
    }

    private failure(node: Node | null, reason: string): Error {
        return yamlError(this.text, this.lineOf(node), reason);
    }
}

/** Sets a field, also one that is called __proto__. */
function define(values: Record<string, Json>, key: string, value: Json): void {
    Object.defineProperty(values, key, { value, configurable: true, enumerable: true, writable: true });
}

/** An item of a document that is a list of objects, as a document of its own. */
export function within(document: ReadDocument, path: string, index: number): ReadDocument {
    const inner = (key: string) => key.slice(path.length + 1);
    const isInside = (key: string) => key.startsWith(`${path}.`);
    const cut = <T>(places: ReadonlyMap<string, T>) =>
        new Map([...places].filter(([key]) => isInside(key)).map(([key, place]) => [inner(key), place]));
    const cutKeys = <T extends { readonly path: string }>(keys: readonly T[]): T[] =>
        keys.filter((key) => isInside(key.path)).map((key) => ({ ...key, path: inner(key.path) }));
    return {
        value: document.value.items[index],
        line: document.lines.get(path) ?? document.line,
        lines: cut(document.lines),
        renamed: cutKeys(document.renamed),
        repeated: cutKeys(document.repeated),
        sources: cut(document.sources),
    };
}

/** A placeholder of Helm or Jinja, which isn't in a comment. */
const TEMPLATE = /^[^#\n]*(\{\{|\{%)/m;

/** An error in a YAML text, with its place and its cure. */
export function yamlError(text: string, line: number, reason: string, column?: number): Error {
    const place = column === undefined ? `line ${line}` : `line ${line}, column ${column}`;
    const cure = TEMPLATE.test(text)
        ? "The text is a template: render it first, for example with helm template."
        : "Correct the text there.";
    return new Error(`The YAML has an error at ${place}: ${reason.replace(/[.:]?$/, ".")} ${cure}`);
}
