import type { FluxSubmissionOutputs } from "../fluxSubmission/properties";
import type { IndexedJobInputs, IndexedJobOutputs } from "../indexedJob/properties";
import { type DynamicType, tokensOf, typeIn } from "../host/shimText";

/** What an update or a destroy is to do with a resource. */
export type Operation = "create" | "delete" | "replace" | "update";

/** A change of one resource. */
export interface Change<Old, New = Old> {
    readonly urn: string;
    readonly operation: Operation;
    readonly old?: Old;
    readonly wanted?: New;
}

/** What `pulumi preview --json` says of this package's resources. */
export interface Digest {
    readonly clusters: readonly Change<IndexedJobOutputs, IndexedJobInputs>[];
    readonly jobs: readonly Change<FluxSubmissionOutputs>[];
    /** Why Pulumi refuses the change. */
    readonly errors: readonly string[];
}

interface State {
    readonly inputs?: object;
    readonly outputs?: object;
    readonly retainOnDelete?: boolean;
}

interface Step {
    readonly op: string;
    readonly urn: string;
    readonly oldState?: State | null;
    readonly newState?: State | null;
}

/** Pulumi's operations. A replacement is one step, or has a step for each of its parts. */
const OPERATIONS: Readonly<Record<string, Operation>> = {
    create: "create",
    "create-replacement": "replace",
    delete: "delete",
    "delete-replaced": "replace",
    replace: "replace",
    update: "update",
};

/** Reads what `pulumi preview --json` or `pulumi destroy --preview-only --json` has printed. */
export function parseDigest(text: string): Digest {
    const { diagnostics = [], steps = [] } = parse(text);
    return {
        clusters: changesOf(steps, "IndexedJob"),
        jobs: changesOf(steps, "FluxSubmission"),
        errors: diagnostics
            .filter(({ severity }) => severity === "error")
            .map(({ message, prefix = "" }) => `${prefix}${message}`.trim()),
    };
}

const FIELDS = ["changeSummary", "diagnostics", "duration", "steps"];

interface Printed {
    readonly diagnostics?: readonly { readonly message: string; readonly prefix?: string; readonly severity: string }[];
    readonly steps?: readonly Step[];
}

function parse(text: string): Printed {
    const source = "pulumi preview --json, or pulumi destroy --preview-only --json";
    let printed: Printed | null;
    try {
        printed = JSON.parse(text) as Printed | null;
    } catch {
        throw new Error(`The plan is no JSON. Give the output of ${source}.`);
    }
    // Pulumi leaves out both if nothing changes.
    if (printed === null || !FIELDS.some((field) => field in printed)) {
        throw new Error(`The plan has no steps. Give the output of ${source}.`);
    }
    return printed;
}

function changesOf<Old, New>(steps: readonly Step[], type: DynamicType): Change<Old, New>[] {
    const tokens = tokensOf(type);
    const changes = new Map<string, Change<Old, New>>();
    for (const step of steps.filter(({ urn }) => tokens.includes(typeIn(urn) ?? ""))) {
        const operation = operationOf(step);
        if (operation !== undefined) {
            const { newState, oldState, urn } = step;
            const { old = oldState?.outputs, wanted = newState?.inputs } = changes.get(urn) ?? {};
            changes.set(urn, { urn, operation, old: old as Old | undefined, wanted: wanted as New | undefined });
        }
    }
    return [...changes.values()];
}

/** Undefined if nothing happens to the objects of the resource. */
function operationOf({ oldState, op }: Step): Operation | undefined {
    return op === "delete" && oldState?.retainOnDelete === true ? undefined : OPERATIONS[op];
}
