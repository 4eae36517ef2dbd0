import { Calls, CliGone, type FindProvider, Interrupted } from "./calls";
import { ANY, type Chance } from "./chance";
import { edgesOf, Graph } from "./graph";
import type { Host } from "./host";
import { NEWEST_RULES, type Rules } from "./rules";
import type { Mutable, Snapshot, State } from "./snapshot";

export interface UpOptions {
    readonly preview?: boolean;
    /** `--replace`: names or keys of resources. */
    readonly replace?: readonly string[];
    /** `--target`. With `--target-replace` the names are in both. */
    readonly target?: readonly string[];
    readonly targetDependents?: boolean;
    readonly exclude?: readonly string[];
    readonly excludeDependents?: boolean;
    /** `--refresh` before an update. */
    readonly refresh?: boolean;
    readonly continueOnError?: boolean;
    /** `destroy --run-program`. */
    readonly runProgram?: boolean;
}

/** A step of an operation. */
export type Op = "create" | "delete" | "replace" | "same" | "update";

/** A step that is planned. */
export interface Step {
    /** The resource that it concerns. */
    readonly state: Mutable<State>;
    /** The step's end is the end of the registration. */
    readonly registers?: boolean;
    run(): Promise<void>;
}

/** A step that Pulumi refuses. The operation continues, and fails at its end. */
export class DeleteProtected extends Error {}

/** What the step generator (step_generator.go) and the executor remember during an operation. */
export class OperationState extends Calls {
    readonly ops = new Map<string, Op>();
    /** Further registrations that the engine still reads after a Ctrl-C. The real engine decides by chance. */
    afterwards = 0;
    chance: Chance = ANY;
    protected options: UpOptions = {};
    protected previous: Mutable<State>[] = [];
    protected olds = new Map<string, Mutable<State>>();
    protected graph = new Graph<Mutable<State>>([]);
    /** Keys of registered resources, and of the old ones that untargeted resources need. */
    protected readonly registered = new Set<string>();
    protected readonly created = new Set<string>();
    protected readonly unchanged = new Set<string>();
    protected readonly updated = new Set<string>();
    protected readonly replaced = new Set<string>();
    protected readonly deleted = new Set<string>();
    protected readonly skippedCreates = new Set<string>();
    /** Resources that wait for their deletion and are already deleted. */
    protected readonly pendingDeletes = new Set<State>();
    /** New keys by the former ones, and the reverse. */
    protected readonly aliased = new Map<string, string>();
    protected readonly former = new Map<string, string>();
    protected readonly news = new Map<string, Mutable<State>>();
    /** `destroy --run-program` deletes these at the end. */
    protected readonly toDelete: Mutable<State>[] = [];
    protected readonly erroredSteps: Step[] = [];
    protected readonly skipped = new Set<string>();
    /** Providers that can get calls, by key and id. */
    private readonly loaded = new Set<string>();
    /** The operation fails at its end. */
    protected failed = false;

    constructor(
        protected readonly snapshot: Snapshot,
        provider: FindProvider,
        host: Host,
        show: (text: string) => void,
        protected readonly rules: Rules = NEWEST_RULES,
    ) {
        super(provider, host, show);
    }

    protected begin(options: UpOptions): void {
        this.options = options;
        this.index(this.snapshot.open());
    }

    /** Ends the operation, which may have failed. */
    protected end(): void {
        this.snapshot.close(this.gone || this.options.preview === true);
    }

    protected index(states: Mutable<State>[]): void {
        this.previous = states;
        this.graph = new Graph(states);
        this.olds = new Map(states.filter((state) => state.delete !== true).map((state) => [state.key, state]));
    }

    /** Runs the steps of a registration, or a set of deletions. Returns false if a step failed or was skipped. */
    protected async execute(steps: readonly Step[]): Promise<boolean> {
        this.erroredSteps.forEach(({ state }) => this.skipped.add(state.key));
        let whole = true;
        for (const step of steps) {
            if (edgesOf(step.state).some(({ key }) => this.skipped.has(key))) {
                this.skipped.add(step.state.key);
                whole &&= step.registers !== true;
            } else if (!(await this.executeStep(step, steps))) {
                return false;
            }
        }
        return whole;
    }

    protected async executeStep(step: Step, chain: readonly Step[]): Promise<boolean> {
        if (this.interrupted) {
            throw new Interrupted(true);
        }
        try {
            await step.run();
            return true;
        } catch (error) {
            if (error instanceof CliGone || error instanceof Interrupted) {
                throw error;
            }
            this.failed = true;
            this.save();
            if (this.options.continueOnError !== true && !(error instanceof DeleteProtected)) {
                throw error;
            }
            this.erroredSteps.push(step);
            if (chain.some(({ registers }) => registers) && step.registers !== true) {
                throw new Error("the engine waits forever: the step that answers the registration never runs");
            }
            return false;
        }
    }

    protected save(): void {
        if (this.options.preview !== true && !this.gone) {
            this.snapshot.save();
        }
    }

    protected load({ alias, id, key }: Pick<State, "alias" | "id" | "key">): void {
        this.loaded.add(`${key}::${id}`);
        if (alias !== undefined) {
            this.loaded.add(`${alias}::${id}`);
        }
    }

    /** Whether the provider of a state can get calls. */
    protected isLoaded({ provider }: Pick<State, "provider">): boolean {
        return provider === undefined || this.loaded.has(`${provider.key}::${provider.id}`);
    }

    /** EnsureProvider: loads the provider of an old state. */
    protected ensureProvider({ key, provider }: Pick<State, "key" | "provider">): void {
        if (provider !== undefined && !this.isLoaded({ provider })) {
            if (!this.previous.some((state) => state.key === provider.key && state.id === provider.id)) {
                throw new Error(`the provider of ${key} isn't in the state`);
            }
            this.load(provider);
        }
    }

    /** isOperatedOn: the program has the resource, maybe by another key. */
    protected isOperatedOn(key: string): boolean {
        const of = this.aliased.get(key) ?? key;
        return this.unchanged.has(of) || this.updated.has(of) || this.replaced.has(of);
    }

    protected hasGeneratedStep(key: string): boolean {
        return this.created.has(key) || this.deleted.has(key) || this.isUnaliasedOperation(key);
    }

    protected isNamed(names: readonly string[] | undefined, { key, name }: Pick<State, "key" | "name">): boolean {
        return names?.some((of) => of === key || of === name) ?? false;
    }

    private isUnaliasedOperation(key: string): boolean {
        return this.unchanged.has(key) || this.updated.has(key) || this.replaced.has(key);
    }
}
