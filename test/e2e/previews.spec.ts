import assert from "node:assert/strict";

import type { EngineEvent } from "@pulumi/pulumi/automation";
import { FluxJob } from "flux-minicluster";

import { ChangingCluster } from "./support/changing";
import { useNamespace } from "./support/namespace";

/** A cluster with a job on it. */
class ClusterWithJob extends ChangingCluster {
    protected override program() {
        const { cluster } = super.program();
        return { cluster, job: new FluxJob("solve", { cluster, command: ["true"] }) };
    }
}

describe("preview of a MiniCluster and a FluxJob on it", () => {
    const namespace = useNamespace();
    let cluster: ClusterWithJob;

    before(async () => {
        cluster = new ClusterWithJob(namespace, "shown", { size: 1 });
        await cluster.stack.up();
    });

    it("shows nothing if nothing has changed: neither a step nor an output", async () => {
        const { events, text } = await cluster.stack.preview(true);
        assert.deepEqual(outputsShown(events), outputsInState(cluster));
        assert.doesNotMatch(text, /unknown/);
    });

    it("shows of a replacement only the changes of the update", async () => {
        cluster.set({ size: 1, triggers: ["again"] });
        const { text } = await cluster.stack.run((stack, onEvent, onOutput) => stack.preview({ onEvent, onOutput }));
        const shown = changesIn(text);
        assert.deepEqual([shown["shown-job"], shown["solve-submission"]], ["+triggers", "~cluster"]);
        assert.deepEqual(shown, changesIn((await cluster.stack.up()).text));
    });
});

/** The names of the outputs of each component, by the component's name. */
type OutputNames = Record<string, string[]>;

function outputsShown(events: readonly EngineEvent[]): OutputNames {
    const steps = events.flatMap(({ resOutputsEvent }) => resOutputsEvent?.metadata ?? []);
    return namesOf(steps.map(({ new: state, type, urn }) => ({ type, urn, outputs: state?.outputs })));
}

function outputsInState({ stack }: ClusterWithJob): OutputNames {
    return namesOf(stack.resources());
}

function namesOf(resources: readonly { type: string; urn: string; outputs?: object }[]): OutputNames {
    const components = resources.filter(({ type }) => type.startsWith("flux-minicluster:index:"));
    return Object.fromEntries(components.map(({ outputs = {}, urn }) => [nameOf(urn), Object.keys(outputs).sort()]));
}

function nameOf(urn: string): string {
    return urn.split("::").at(-1) ?? "";
}

/** The changed inputs in the rows of a command, by the resource's name. */
function changesIn(text: string): Record<string, string> {
    const rows = [...text.matchAll(/ ([\w-]+) [\w-]+ .*\[diff: ([^\]]*)\]/g)];
    return Object.fromEntries(rows.map(([, name, changes]) => [name, changes]));
}
