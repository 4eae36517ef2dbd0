import type { About, Provider } from "./calls";
import type { Engine } from "./engine";
import { nameOf, typeOf } from "./keys";
import { UNKNOWN } from "./unknown";

export type Values = Readonly<Record<string, string>>;

/** A fault at a call of the provider. `at` counts the calls of the operation from 0. */
export interface ScriptedFault {
    readonly at: number;
    readonly kind: "cancel" | "fail" | "kill after" | "kill" | "partial";
}

/** A call of the provider, as test/engine records it. */
export interface Call {
    readonly verb: string;
    readonly key: string;
    readonly id?: string;
    readonly olds?: Values;
    readonly news?: Values;
}

/** The objects of the provider by id, with their outputs. */
export interface Objects {
    readonly outputs: Map<string, Record<string, string>>;
    created: number;
}

/**
 * A provider whose answers follow from the type and the inputs of a resource, and that records each call.
 * test/engine/recorder.go has the same answers. The letters at the end of a type mean: D replacements delete first,
 * P an unknown input doesn't replace, A check adds an input, O an update changes the outputs, Z diff has no answer.
 */
export class Recorder {
    readonly calls: Call[] = [];
    /** The operation that runs. */
    engine!: Engine;

    constructor(
        private readonly objects: Objects,
        private readonly faults: readonly ScriptedFault[],
    ) {}

    verbs(about: About): Provider {
        const { key, oldInputs } = about;
        const flags = typeOf(key).split(":").at(-1)!;
        return {
            check: (olds, news) => this.check(key, flags, olds as Values, news as Values),
            diff: (id, _olds, news) => this.diff(about, flags, id, news as Values),
            create: (inputs) =>
                this.record({ verb: "create", key, news: inputs as Values }, (partial) => {
                    const id = `${nameOf(key)}-${this.objects.created++}`;
                    const outs = { ...(inputs as Values), out: `out-${id}` };
                    this.objects.outputs.set(id, outs);
                    return finish(partial, { id, outs }, { id, properties: outs });
                }),
            update: (id, olds, news) =>
                this.record({ verb: "update", key, id, olds: oldInputs, news: news as Values }, (partial) => {
                    const { u } = news as Values;
                    const out = flags.includes("O") ? `out-${id}-${u ?? ""}` : ((olds as Values)["out"] ?? "");
                    const outs = { ...(news as Values), out };
                    this.objects.outputs.set(id, outs);
                    return finish(partial, { outs }, { id, properties: outs });
                }),
            delete: (id) =>
                this.record({ verb: "delete", key, id, olds: oldInputs }, (partial) => {
                    if (partial) {
                        throw new Error("scripted failure");
                    }
                    this.objects.outputs.delete(id);
                }),
            read: (id) =>
                this.record({ verb: "read", key, id, olds: oldInputs }, (partial) => {
                    const props = this.objects.outputs.get(id);
                    if (props === undefined) {
                        return {};
                    }
                    const drift = props["drift"];
                    const inputs = drift === undefined ? oldInputs : { ...oldInputs, u: drift };
                    return finish(partial, { id, props, inputs }, { id, properties: props, inputs });
                }),
        };
    }

    private check(key: string, flags: string, olds: Values, news: Values): ReturnType<Provider["check"]> {
        return this.record({ verb: "check", key, olds, news }, () => ({
            inputs: flags.includes("A") ? { ...news, auto: olds["auto"] ?? `auto-${this.calls.length - 1}` } : news,
            failures: news["f"] === "bad" ? [{ property: "f", reason: "scripted check failure" }] : [],
        }));
    }

    private diff({ ignoreChanges, key, oldInputs }: About, flags: string, id: string, news: Values) {
        return this.record({ verb: "diff", key, id, olds: oldInputs, news }, () => {
            if (flags.includes("Z")) {
                return {};
            }
            const compared: Record<string, string | undefined> = { ...news };
            ignoreChanges.forEach((name) => (compared[name] = oldInputs[name] as string | undefined));
            const diffs = ["r", "u"].filter((name) => oldInputs[name] !== compared[name]);
            const replaces = diffs.filter(
                (name) => name === "r" && (compared[name] !== UNKNOWN || !flags.includes("P")),
            );
            return { changes: diffs.length > 0, diffs, replaces, deleteBeforeReplace: flags.includes("D") };
        });
    }

    /** Notes a call and applies the fault at it. `effect` does the call's work. */
    private record<T>(call: Call, effect: (partial: boolean) => T): Promise<T> {
        const at = this.calls.push(call) - 1;
        const kind = this.faults.findLast((fault) => fault.at === at)?.kind;
        switch (kind) {
            case "fail":
                return Promise.reject(new Error("scripted failure"));
            case "kill after":
            case "kill":
                if (kind === "kill after") {
                    effect(false);
                }
                this.engine.kill();
                return new Promise(() => undefined);
            case "cancel":
                this.engine.interrupted = true;
                break;
            default:
        }
        return new Promise((resolve) => resolve(effect(kind === "partial")));
    }
}

/** The answer, or the failure of an object that exists and is not ready. */
function finish<T>(partial: boolean, answer: T, failure: object): T {
    if (partial) {
        throw Object.assign(new Error("scripted partial failure"), { reasons: ["scripted"] }, failure);
    }
    return answer;
}
