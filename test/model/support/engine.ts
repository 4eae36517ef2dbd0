import type { Registration } from "./program";
import type { State } from "./snapshot";
import { Steps, UNKNOWN, type UpOptions } from "./steps";

/**
 * Pulumi's engine for resources, after pkg/resource/deploy of pulumi/pulumi 3.259 (step_generator.go, step.go), and
 * backend/snapshot.go for the moments of saving. Resources run one after the other, in the order of the program.
 */
export class Engine extends Steps {
    /** `pulumi up`, or `pulumi preview`. */
    async up(program: readonly Registration[], options: UpOptions = {}): Promise<void> {
        for (const wanted of program) {
            await this.register(wanted, options);
        }
        // GenerateDeletes: resources that the program no longer has, and those whose replacement exists.
        const gone = this.snapshot
            .reversed()
            .filter((state) => state.delete || !program.some(({ name }) => name === state.name));
        for (const state of gone.filter(({ name }) => isTargeted(name, options))) {
            await this.deleteStep(state, options);
        }
    }

    /** `pulumi refresh`: reads all resources in the state (RefreshStep). */
    async refresh(): Promise<void> {
        for (const state of this.snapshot.states) {
            // RefreshStep.Apply: a refresh never changes a resource that is pending replacement.
            if (!state.pendingReplacement) {
                await this.refreshStep(state);
            }
        }
    }

    /** `pulumi destroy`. */
    async destroy(): Promise<void> {
        for (const state of this.snapshot.reversed()) {
            await this.deleteStep(state, {});
        }
    }

    private async register(wanted: Registration, options: UpOptions): Promise<void> {
        const old = this.snapshot.find(wanted.name) ?? this.deleted.get(wanted.name);
        if (!isTargeted(wanted.name, options)) {
            return this.passBy(wanted, old, options);
        }
        const news = this.resolve(wanted.inputs, options) as Record<string, any>;
        const named = isNamed(wanted.name, old, options);
        const recreating = this.deleted.has(wanted.name);
        const inputs = await this.checkRegistered(wanted, news, recreating || named ? undefined : old);
        if (old === undefined || recreating) {
            // Cases 1 and 4 of continueStepsFromImport: recreated, and not in the state.
            await this.createStep(wanted, inputs, options, old);
        } else {
            await this.change({ wanted, old, news, inputs, named, options });
        }
    }

    /** continueStepsFromImport: without `old`, which means a new creation, the old inputs have no effect. */
    private checkRegistered(
        wanted: Registration,
        news: Record<string, any>,
        old: State | undefined,
    ): Promise<Record<string, any>> {
        return old === undefined
            ? this.check(wanted, {}, news)
            : this.check(wanted, old.inputs, ignoreChanges(news, old.inputs, wanted.ignoreChanges));
    }

    /** continueStepsFromDiff. */
    private async change({ inputs, named, news, old, options, wanted }: Changing): Promise<void> {
        // The engine does not call `diff` for a resource that is named for replacement.
        const diff = named
            ? { changes: true, replaces: ["id"], deleteBeforeReplace: undefined }
            : await this.call(wanted.type, "diff", (verbs) => verbs.diff(old.id, old.outputs, inputs));
        if (asksForReplacement(diff) || old.pendingReplacement) {
            const deletesFirst = wanted.deleteBeforeReplace ?? diff.deleteBeforeReplace ?? false;
            await this.replace({ wanted, old, news, inputs, named, options }, deletesFirst);
        } else if (diff.changes || (old.initErrors ?? []).length > 0) {
            await this.updateStep(wanted, old, inputs, options);
        } else {
            this.same(wanted, old, inputs);
        }
    }

    private async replace(
        { inputs, named, news, old, options, wanted }: Changing,
        deletesFirst: boolean,
    ): Promise<void> {
        this.ops.set(wanted.name, "replace");
        const checked = named ? inputs : await this.check(wanted, {}, news);
        if (!deletesFirst) {
            await this.createStep(wanted, checked, options, old, true);
            return;
        }
        await this.deleteDependents(old, options);
        if (!old.pendingReplacement) {
            await this.deleteStep(old, options, true);
        }
        await this.createStep(wanted, checked, options, this.snapshot.find(wanted.name) ?? old);
    }

    /** calculateDependentReplacements: deletes dependents that the change replaces. Registration recreates them. */
    private async deleteDependents(root: State, options: UpOptions): Promise<void> {
        const replaced = new Set([root.name]);
        const doomed: State[] = [];
        for (const state of this.snapshot.dependents(root.name)) {
            const unknown = Object.entries(state.propertyDependencies).filter(([, from]) =>
                from.some((name) => replaced.has(name)),
            );
            if (unknown.length === 0 || this.ops.has(state.name)) {
                continue;
            }
            const inputs = { ...state.inputs, ...Object.fromEntries(unknown.map(([name]) => [name, UNKNOWN])) };
            const diff = await this.call(state.type, "diff", (verbs) => verbs.diff(state.id, state.outputs, inputs));
            if ((diff.replaces ?? []).length > 0) {
                replaced.add(state.name);
                doomed.push(state);
            }
        }
        for (const state of doomed.reverse()) {
            if (!state.pendingReplacement) {
                await this.deleteStep(state, options, true);
            }
            this.deleted.set(state.name, this.snapshot.find(state.name) ?? state);
        }
    }

    private async check(wanted: Registration, olds: object, news: object): Promise<Record<string, any>> {
        const { failures = [], inputs } = await this.call(wanted.type, "check", (verbs) => verbs.check(olds, news));
        if (failures.length > 0) {
            // issueCheckFailures shows the value of a named property, even of a secret one.
            const texts = failures.map(({ property, reason }) =>
                property === ""
                    ? reason
                    : `property ${property} value {${JSON.stringify((inputs as any)[property])}} has a problem: ${reason}`,
            );
            throw new Error(`${wanted.name}: ${texts.join("; ")}`);
        }
        return inputs as Record<string, any>;
    }
}

interface Changing {
    readonly wanted: Registration;
    readonly old: State;
    readonly news: Record<string, any>;
    readonly inputs: Record<string, any>;
    readonly named: boolean;
    readonly options: UpOptions;
}

function isNamed(name: string, old: State | undefined, { replace }: UpOptions): boolean {
    return old !== undefined && (replace?.includes(name) || old.taint === true);
}

function asksForReplacement({ changes, replaces = [] }: { changes: boolean; replaces?: readonly string[] }): boolean {
    return changes && replaces.length > 0;
}

function isTargeted(name: string, { target }: UpOptions): boolean {
    return target === undefined || target.includes(name);
}

/** processIgnoreChanges: these properties keep their old values. */
function ignoreChanges(
    news: Record<string, any>,
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
        }
    }
    return result;
}
