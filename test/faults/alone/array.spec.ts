import assert from "node:assert/strict";

import { FluxJob, MiniCluster } from "flux-minicluster";

import { jobsOf } from "../../e2e/support/jobsOf";
import { useNamespace } from "../../e2e/support/namespace";

import { costOf, type Costs, tenths } from "../support/cost";
import { report } from "../support/report";

/** Elements of the largest array. `ARRAY_ELEMENTS=10000` takes minutes. */
const LARGEST = Number(process.env["ARRAY_ELEMENTS"] ?? 1000);

interface Measured extends Costs {
    readonly elements: number;
    /** Seconds from the first submission to the last one, and to the end of the last element. */
    readonly submitted: number;
    readonly ended: number;
    /** Bytes of the array in the state. */
    readonly bytes: number;
}

describe("array of many elements", () => {
    const namespace = useNamespace();
    const measured: Measured[] = [];
    let cluster: any;

    before(async function () {
        this.timeout(3_600_000);
        const stack = namespace.stack("cluster", async () => ({
            cluster: new MiniCluster("flux", { image: namespace.image, size: 2, restful: { enabled: false } }),
        }));
        cluster = (await stack.up()).outputs.cluster;
        for (const elements of [...new Set([10, 1000, LARGEST])]) {
            measured.push(await measure(elements));
        }
        report("array", "Seconds of arrays whose elements run `true`, on two ranks", measured.map(row), [
            ["pulumi up", "up"],
            ["all elements submitted", "submitted"],
            ["pulumi destroy", "destroy"],
        ]);
    });

    async function measure(elements: number): Promise<Measured> {
        const name = `array-${elements}`;
        const args = { cluster, array: { count: elements }, command: ["true"] };
        const stack = namespace.stack(name, async () => ({ elements: new FluxJob(name, args).elements }));
        const up = await costOf(namespace, stack, () => stack.up());
        assert.equal(up.outputs.elements.succeeded, elements);
        const state = stack.resources().find(({ urn }) => urn.endsWith(`${name}-submission`));
        const format = "{t_submit} {t_inactive}";
        const times = (await jobsOf(namespace, "flux", name, format)).map((line) => line.split(" ").map(Number));
        assert.equal(times.length, elements);
        const first = Math.min(...times.map(([submit]) => submit));
        const again = await costOf(namespace, stack, () => stack.up(true));
        const destroy = await costOf(namespace, stack, () => stack.destroy());
        assert.deepEqual(await jobsOf(namespace, "flux", name), []);
        return {
            elements,
            submitted: Math.max(...times.map(([submit]) => submit)) - first,
            ended: Math.max(...times.map(([, inactive]) => inactive)) - first,
            bytes: JSON.stringify(state).length,
            up,
            again,
            destroy,
        };
    }

    it("has as many bytes in the state as a small one", () => {
        for (const { bytes, elements } of measured) {
            assert(bytes <= 4096, `${bytes} bytes for ${elements} elements`);
        }
    });

    it("needs one command in the lead for a thousand elements, and one in some seconds of the wait", () => {
        for (const { destroy, elements, up } of measured) {
            const [submitting, waiting] = [Math.ceil(elements / 1000), Math.ceil(up.seconds / 20)];
            // Also the first short look, the logs, and a repeated call.
            const most = submitting + waiting + 4;
            assert(commands(up) <= most, `${commands(up)} commands for ${elements} elements, above ${most}`);
            assert(
                commands(destroy) <= 2 + Math.ceil(destroy.seconds / 20),
                `${commands(destroy)} commands to destroy`,
            );
        }
    });
});

function commands({ requests }: Costs["up"]): number {
    return requests.filter(({ resource }) => resource === "pods/exec").length;
}

function row({ again, bytes, destroy, elements, ended, submitted, up }: Measured) {
    return {
        elements,
        // The chart is logarithmic.
        submitted: Math.max(0.1, tenths(submitted)),
        ended: tenths(ended),
        up: tenths(up.seconds),
        requests: up.requests.length,
        commands: commands(up),
        "no-op up": tenths(again.seconds),
        destroy: tenths(destroy.seconds),
        "requests of destroy": destroy.requests.length,
        "bytes in the state": bytes,
    };
}
