import { CliGone, Interrupted } from "./calls";
import { isProviderType } from "./keys";
import type { UpOptions } from "./operationState";
import type { Registration } from "./program";
import { Refreshes } from "./refreshes";
import { Targets } from "./targets";

/**
 * Pulumi's engine for resources, after pkg/resource/deploy of pulumi/pulumi 3.259 (step_generator.go, step.go), and
 * backend/snapshot.go for the moments of saving. Resources run one after the other, in the order of the program.
 * test/model/engine.spec.ts compares it with the real engine.
 */
export class Engine extends Refreshes {
    /** The provider of resources that name none. Without it, the state doesn't contain their provider. */
    defaultProvider: Registration | undefined;

    /** `pulumi up`, or `pulumi preview`. */
    up(program: readonly Registration[], options: UpOptions = {}): Promise<void> {
        return this.operate(options, async () => {
            if (options.refresh === true) {
                await this.refreshAll();
            }
            this.requireKnown(options.replace);
            await this.run(program);
        });
    }

    /** `pulumi refresh`: reads all resources in the state (RefreshStep). */
    refresh(options: UpOptions = {}): Promise<void> {
        return this.operate(options, async () => {
            this.requireKnown([...(options.target ?? []), ...(options.exclude ?? [])]);
            await this.refreshAll();
        });
    }

    /** `pulumi destroy`. The program is run only with the option. */
    destroy(options: UpOptions = {}, program: readonly Registration[] = []): Promise<void> {
        return this.operate(options, async () => {
            this.requireKnown([...(options.target ?? []), ...(options.exclude ?? [])]);
            await this.run(options.runProgram === true ? program : []);
        });
    }

    private async operate(options: UpOptions, act: () => Promise<void>): Promise<void> {
        this.begin(options);
        this.targets = new Targets(options);
        try {
            await act();
        } finally {
            this.end();
        }
        if (this.failed) {
            throw new Error("a step has failed");
        }
    }

    /** Runs the program, and at its end deletes the rest. */
    private async run(program: readonly Registration[]): Promise<void> {
        const names = new Set(program.map(({ name }) => name));
        let missing = false;
        for (const wanted of program) {
            if (this.program.isReady(wanted, names)) {
                await this.register(wanted);
            } else {
                missing = true;
            }
        }
        if (missing) {
            throw new Error("the program has ended with an error, because a resource failed");
        }
        this.countEvent();
        const unknown = this.unknownTargets();
        await this.deleteRest();
        if (unknown) {
            throw new Error("a target does not exist");
        }
    }

    private async register(wanted: Registration): Promise<void> {
        const { defaultProvider } = this;
        if (defaultProvider === undefined || isProviderType(wanted.type) || wanted.component || wanted.provider) {
            return this.registerOne(wanted);
        }
        if (!this.program.has(defaultProvider.name)) {
            await this.registerOne(defaultProvider);
        }
        await this.registerOne({ ...wanted, provider: defaultProvider.name });
    }

    private async registerOne(wanted: Registration): Promise<void> {
        this.countEvent();
        const steps = await this.plan(wanted);
        const whole = await this.execute(steps);
        const result = steps.findLast(({ registers }) => registers)?.state;
        if (whole && result !== undefined) {
            this.program.learn(wanted.name, result);
        }
    }

    /** After a Ctrl-C, the engine may still read some registrations before it notices. */
    private countEvent(): void {
        if (this.gone) {
            throw new CliGone("the CLI is gone");
        }
        if (this.interrupted && this.afterwards-- <= 0) {
            throw new Interrupted(true);
        }
    }

    private unknownTargets(): boolean {
        return (this.options.target ?? []).some(
            (of) => !this.isInState(of) && ![...this.registered].some((key) => key === of || key.endsWith(`::${of}`)),
        );
    }
}
