import { processes } from "./clock";
import type { Host } from "./host";

/** The verbs of a resource as the engine calls them. */
export interface Provider {
    check(
        olds: object,
        news: object,
    ): Promise<{ inputs: object; failures?: readonly { property: string; reason: string }[] }>;
    /** Without `changes` the engine compares the inputs itself. */
    diff(id: string, olds: object, news: object): Promise<Diff>;
    create(inputs: object): Promise<{ id: string; outs: object }>;
    read(id: string, props: object): Promise<{ id?: string; props?: object; inputs?: object }>;
    update(id: string, olds: object, news: object): Promise<{ outs: object }>;
    delete(id: string, props: object): Promise<void>;
}

export interface Diff {
    readonly changes?: boolean;
    readonly replaces?: readonly string[];
    /** The changed inputs. */
    readonly diffs?: readonly string[];
    readonly deleteBeforeReplace?: boolean;
}

/** What a provider may know of a resource besides the arguments of its verbs. */
export interface About {
    readonly key: string;
    readonly oldInputs: Readonly<Record<string, any>>;
    readonly ignoreChanges: readonly string[];
}

export type FindProvider = (type: string, about: About) => Provider;

/** Stops a running operation, because the CLI was killed. */
export class CliGone extends Error {}

/** Ctrl-C has stopped the operation. In some moments the CLI nevertheless reports a success. */
export class Interrupted extends Error {
    constructor(readonly reported: boolean) {
        super("the operation was cancelled");
    }
}

/** The calls of the provider by an operation, which a kill ends. */
export class Calls {
    /** Set by the first Ctrl-C. Running steps end, and no step starts (step_executor.go). */
    interrupted = false;
    /** The CLI was killed and saves nothing more. */
    protected gone = false;
    private die!: (error: Error) => void;
    private readonly died = new Promise<never>((_resolve, reject) => (this.die = reject));

    constructor(
        private readonly provider: FindProvider,
        private readonly host: Host,
        /** Gets the texts that the CLI shows. */
        private readonly show: (text: string) => void,
    ) {
        this.died.catch(() => undefined);
    }

    /** Ends the operation as a kill of the CLI or a second Ctrl-C does. */
    kill(): void {
        this.gone = true;
        this.die(new CliGone("the CLI is gone"));
    }

    /** Runs a verb in its host. The engine waits for it, unless the CLI or the host is killed. */
    protected async call<T>(
        type: string,
        verb: string,
        about: About,
        act: (verbs: Provider) => Promise<T>,
    ): Promise<T> {
        this.host.verb = `${type}.${verb}`;
        this.host.request = 0;
        const result = processes.run(this.host, () => act(this.provider(type, about)));
        try {
            // As on the wire.
            const answer = await Promise.race([result, this.host.died, this.died]);
            return answer === undefined ? answer : (JSON.parse(JSON.stringify(answer)) as T);
        } catch (error) {
            result.catch(() => undefined);
            if (!(error instanceof CliGone)) {
                this.show(`${type}: ${(error as Error).message}`);
            }
            throw error;
        }
    }
}
