import assert from "node:assert/strict";

import { FluxJob, MiniCluster } from "flux-minicluster";

import {
    endLeftovers,
    INTERRUPTIONS,
    type Interruption,
    outcome,
    recover,
    runningPulumi,
} from "../e2e/support/interruptions";
import { useNamespace } from "../e2e/support/namespace";
import { until } from "../e2e/support/until";

describe("interrupted FluxJob", () => {
    const namespace = useNamespace();
    let cluster: any;

    before(async () => {
        const stack = namespace.stack("cluster", async () => ({
            cluster: new MiniCluster("flux", { image: namespace.image, restful: { enabled: false } }),
        }));
        cluster = (await stack.up()).outputs.cluster;
    });

    async function jobs(name: string, filter: string): Promise<string[]> {
        const list = await namespace.exec("flux", [
            "flux",
            "jobs",
            `--filter=${filter}`,
            "-no",
            "{id.f58plain}",
            `--name=${name}`,
        ]);
        return list
            .trim()
            .split("\n")
            .filter((line) => line !== "");
    }

    for (const interruption of Object.keys(INTERRUPTIONS) as Interruption[]) {
        it(`is submitted once, and resumed by the next update, after ${interruption}`, async () => {
            const name = interruption.toLowerCase().replaceAll(/\W+/g, "-");
            const command = ["sh", "-c", `until test -e /tmp/${name}; do sleep 0.2; done`];
            const stack = namespace.stack(name, async () => ({ job: new FluxJob(name, { cluster, command }) }));
            const ending = outcome(stack, "up");
            const [id] = await until("the job runs", async () => {
                const running = await jobs(name, "run");
                return running.length > 0 ? running : undefined;
            });
            await INTERRUPTIONS[interruption](await runningPulumi(stack), stack);
            const { succeeded, text } = await ending;
            assert.equal(succeeded, false);
            if (interruption === "SIGINT once") {
                assert.match(
                    text,
                    new RegExp(
                        `Flux job ${id} .* was interrupted \\(phase: \\w+\\)\\. The next update resumes the wait`,
                    ),
                );
            }
            await endLeftovers(stack);
            await namespace.exec("flux", ["touch", `/tmp/${name}`]);
            const again = await recover(stack, "up");
            assert(again.succeeded, again.text);
            assert.deepEqual(await jobs(name, "pending,running,inactive"), [id]);
            await stack.preview(true);
        });
    }
});
