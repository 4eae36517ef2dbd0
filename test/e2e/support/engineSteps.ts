import { performance } from "node:perf_hooks";

import type { EngineEvent } from "@pulumi/pulumi/automation";

import { recordStep } from "../../../scripts/tests/measure";

/** The longest wait in an operation on one of the package's resources. */
const WAITS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    JobStatus: { create: "wait for pods", update: "wait for pods" },
    IndexedJob: { delete: "end pods, with their grace periods" },
    FluxSubmission: { create: "wait for a Flux job" },
};

/**
 * Measures the steps of a Pulumi command by the arrival of its events. This is exact to 0.2 s, because the Automation
 * API reads the events from a file.
 */
export class EngineSteps {
    private readonly began = new Map<string, number>();
    private last = performance.now();
    private program: number | undefined;

    see({ preludeEvent, resOutputsEvent, resourcePreEvent, summaryEvent }: EngineEvent): void {
        if (preludeEvent !== undefined) {
            this.step("start the engine");
        }
        if (resourcePreEvent !== undefined) {
            if (this.program === undefined) {
                this.step("start plugins and the program");
                this.program = performance.now();
            }
            this.began.set(resourcePreEvent.metadata.urn, performance.now());
        }
        if (resOutputsEvent !== undefined) {
            const { op, type, urn } = resOutputsEvent.metadata;
            const step = WAITS[type.replace(/^.*:/, "")]?.[op.replace(/^(create|delete)-replace(ment|d)$/, "$1")];
            const since = this.began.get(urn);
            if (step !== undefined && since !== undefined) {
                recordStep(step, (performance.now() - since) / 1000);
            }
        }
        if (summaryEvent !== undefined) {
            this.step("all resources, waits included");
        }
    }

    end(): void {
        this.step("end the engine");
    }

    private step(name: string): void {
        const now = performance.now();
        recordStep(name, (now - this.last) / 1000);
        this.last = now;
    }
}
