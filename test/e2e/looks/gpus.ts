import assert from "node:assert/strict";

import { MiniCluster } from "flux-minicluster";

import { minorIn, SCHEDULES_GPUS } from "../../double/support/version";
import { fakeResources } from "../support/fakeResources";
import { type Look, sortedLines } from "./look";

const SHOW = ["sh", "-c", 'echo "$HOSTNAME ${CUDA_VISIBLE_DEVICES-unset} ${ROCR_VISIBLE_DEVICES-unset}"'];
/** A resource of a vendor, one that is only known by its name, and one that a program has to name. */
const DEVICES = { "amd.com/gpu": 4, "example.com/gpu": 4, "example.com/npu": 4 };

/** Lines of the tasks. A broker may print others on a busy machine. */
function tasksIn(output: string): string[] {
    return sortedLines(output).filter((line) => line.startsWith("gpus-"));
}

export const gpus: Look = {
    subject: "with GPUs",

    prepare: ({ kube }) => fakeResources(kube, DEVICES),

    clusters({ image }) {
        const limits = (amounts: Record<string, string>) => ({ resources: { limits: amounts } });
        return {
            divided: new MiniCluster("gpus-divided", {
                image,
                size: 2,
                tasks: 4,
                command: SHOW,
                resources: { limits: { cpu: "2", "example.com/gpu": "2" }, requests: { cpu: "100m" } },
            }).output,
            ofAmd: new MiniCluster("gpus-amd", { image, command: SHOW, ...limits({ "amd.com/gpu": "2" }) }).output,
            named: new MiniCluster("gpus-named", {
                image,
                command: ["sh", "-c", "flux version; flux resource list --no-header --format={ngpus}"],
                launcher: true,
                gpuResources: ["example.com/npu"],
                ...limits({ "example.com/npu": "3" }),
            }).output,
            shared: new MiniCluster("gpus-shared", {
                image,
                tasks: 2,
                command: SHOW,
                ...limits({ "example.com/gpu": "1" }),
            }).output,
        };
    },

    tests(outputs) {
        /** Before, Flux' own scheduler gives no job a GPU, also not one that it describes. */
        const needsGpus = (context: Mocha.Context) => {
            if (minorIn(outputs.named) < SCHEDULES_GPUS) {
                context.skip();
            }
        };

        it("divides the GPUs of each rank among its tasks", function () {
            needsGpus(this);
            assert.deepEqual(tasksIn(outputs.divided), [
                "gpus-divided-0 0,1 unset",
                "gpus-divided-0 0,1 unset",
                "gpus-divided-1 0,1 unset",
                "gpus-divided-1 0,1 unset",
            ]);
        });

        it("describes GPUs without a CPU limit, and sets the variable of their vendor", function () {
            needsGpus(this);
            assert.deepEqual(tasksIn(outputs.ofAmd), ["gpus-amd-0 unset 0,1"]);
        });

        it("schedules on resources that the program names", () => {
            assert.match(outputs.named, /^3$/m);
        });

        it("shows the one GPU of a rank to both of its tasks, and says so", function () {
            needsGpus(this);
            assert.match(
                outputs.shared,
                /^minicluster: all tasks of a rank share its GPUs: it has fewer GPUs than tasks/m,
            );
            const tasks = tasksIn(outputs.shared);
            assert.equal(tasks.length, 2);
            assert.ok(
                tasks.every((line) => !line.includes("-1")),
                outputs.shared,
            );
        });
    },
};
