import type { Diff } from "./calls";
import { isProviderType } from "./keys";
import type { Step } from "./operationState";
import type { Mutable, State } from "./snapshot";
import { Steps, UNKNOWN } from "./steps";

/** The dependents that a replacement with deletion replaces too. */
export class Dependents extends Steps {
    /** The steps that delete the dependents, those that depend most first. Their registrations recreate them. */
    protected async deletionsBefore(root: Mutable<State>, key: string): Promise<Step[]> {
        const doomed = [...(await this.replacedWith(root)), ...this.chance.cascade(this.named(key))];
        const steps: Step[] = [];
        for (const state of doomed.reverse()) {
            if (this.pendingDeletes.has(state) || (this.rules.neverDeletesTwice && state.pendingReplacement)) {
                continue;
            }
            if (state.delete === true) {
                steps.push(this.deleteStep(state));
            } else if (state.protect === true) {
                throw new Error(`${key} can't be replaced, because ${state.key} is protected`);
            } else {
                steps.push(this.deleteStep(state, { pending: true, replacing: true }));
            }
            this.deleted.add(state.key);
            this.pendingDeletes.add(state);
        }
        return steps;
    }

    /** calculateDependentReplacements. */
    protected async replacedWith(root: Mutable<State>): Promise<Mutable<State>[]> {
        const found = new Set([root.key]);
        const impossible = new Set([
            ...this.created,
            ...this.unchanged,
            ...this.updated,
            ...this.deleted,
            ...this.replaced,
        ]);
        const doomed: Mutable<State>[] = [];
        for (const state of this.rules.replacesDependents ? this.graph.dependingOn(root, impossible, false) : []) {
            if (state.component !== true && (await this.isReplacedWith(state, found))) {
                found.add(state.key);
                doomed.push(state);
            }
        }
        return doomed;
    }

    private async isReplacedWith(state: Mutable<State>, found: ReadonlySet<string>): Promise<boolean> {
        if (found.has(state.provider?.key ?? "")) {
            this.ensureProvider(state);
            return true;
        }
        if (this.rules.newer && found.has(state.deletedWith ?? "")) {
            return true;
        }
        const unknown = Object.keys(state.inputs).filter((name) =>
            state.propertyDependencies[name]?.some((key) => found.has(key)),
        );
        if (unknown.length === 0) {
            return false;
        }
        this.ensureProvider(state);
        const inputs = { ...state.inputs, ...Object.fromEntries(unknown.map((name) => [name, UNKNOWN])) };
        const ignored = this.rules.ignoresInDependents ? state.ignoreChanges : [];
        const diff = await this.diffOf({ ...state, ignoreChanges: ignored }, state, inputs);
        return (replaceOnChanges(diff, state.replaceOnChanges, false).replaces ?? []).length > 0;
    }

    /** findResourcesReplacedWith, and since version 3.274 those that are deleted with the resource. */
    protected named(key: string): Mutable<State>[] {
        const cascades = ({ deletedWith, replaceWith }: State) =>
            replaceWith?.includes(key) === true || (this.rules.newer && deletedWith === key);
        const fresh = [...this.news.values()].filter(cascades);
        const seen = new Set(fresh.map((state) => state.key));
        return [...fresh, ...[...this.olds.values()].filter((state) => cascades(state) && !seen.has(state.key))];
    }

    /** diffResource: without an answer of the provider, the engine compares the inputs. */
    protected async diffOf(
        about: Pick<State, "ignoreChanges" | "key" | "type">,
        old: State,
        inputs: Readonly<Record<string, any>>,
    ): Promise<Diff> {
        const diff = isProviderType(old.type)
            ? providerDiff(old.inputs, inputs)
            : await this.callFor(about, "diff", old.inputs, (verbs) => verbs.diff(old.id, old.outputs, inputs));
        if (diff.changes !== undefined) {
            return diff;
        }
        const changed = changedNames(old.inputs, ignoreChanges(inputs, old.inputs, about.ignoreChanges ?? []));
        return { ...diff, changes: changed.length > 0, diffs: changed };
    }
}

function changedNames(olds: Readonly<Record<string, any>>, news: Readonly<Record<string, any>>): string[] {
    const names = [...new Set([...Object.keys(olds), ...Object.keys(news)])];
    return names.filter((name) => JSON.stringify(olds[name]) !== JSON.stringify(news[name]));
}

/** DiffConfig of the recording provider: input r replaces a provider, and input u updates it. */
export function providerDiff(olds: Readonly<Record<string, any>>, news: Readonly<Record<string, any>>): Diff {
    const diffs = ["r", "u"].filter((name) => olds[name] !== news[name]);
    return { changes: diffs.length > 0, diffs, replaces: diffs.filter((name) => name === "r") };
}

/** applyReplaceOnChanges. */
export function replaceOnChanges(diff: Diff, paths: readonly string[] = [], hasInitErrors: boolean): Diff {
    if (diff.changes !== true && !hasInitErrors) {
        return diff;
    }
    const changed = (diff.diffs ?? []).filter((name) => paths.some((path) => path === name || path === "*"));
    const failed = hasInitErrors ? paths.filter((path) => path === "#initerror" || path === "*") : [];
    return {
        ...diff,
        changes: diff.changes === true || failed.length > 0,
        replaces: [...new Set([...(diff.replaces ?? []), ...changed, ...failed])],
    };
}

/** processIgnoreChanges: these properties keep their old values. */
export function ignoreChanges(
    news: Readonly<Record<string, any>>,
    olds: Readonly<Record<string, any>>,
    paths: readonly string[],
): Record<string, any> {
    const result = paths.length === 0 ? news : structuredClone(news);
    for (const path of paths) {
        const names = path.split(".");
        const last = names.pop()!;
        const from = names.reduce((at: any, name) => at?.[name], olds);
        const to = names.reduce((at: any, name) => at?.[name], result);
        if (to !== undefined && from?.[last] !== undefined) {
            to[last] = from[last];
        } else if (to !== undefined && from !== undefined) {
            delete to[last];
        }
    }
    return result as Record<string, any>;
}
