import assert from "node:assert/strict";

import { MiniCluster } from "flux-minicluster";

import { fakeResources } from "../support/fakeResources";
import { type Look, sortedLines } from "./look";

const SHOW = ["sh", "-c", 'echo "$HOSTNAME ${CUDA_VISIBLE_DEVICES-unset} ${ROCR_VISIBLE_DEVICES-unset}"'];
/** A resource of a vendor, one that is only known by its name, and one that a program has to name. */
const DEVICES = { "amd.com/gpu": 4, "example.com/gpu": 4, "example.com/npu": 4 };

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
                command: ["flux", "resource", "list", "--no-header", "--format={ngpus}"],
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
        it("divides the GPUs of each rank among its tasks", () => {
            assert.deepEqual(sortedLines(outputs.divided), [
                "gpus-divided-0 0,1 unset",
                "gpus-divided-0 0,1 unset",
                "gpus-divided-1 0,1 unset",
                "gpus-divided-1 0,1 unset",
            ]);
        });

        it("describes GPUs without a CPU limit, and sets the variable of their vendor", () => {
            assert.equal(outputs.ofAmd, "gpus-amd-0 unset 0,1\n");
        });

        it("schedules on resources that the program names", () => {
            assert.deepEqual(outputs.named.trim().split("\n"), ["3"]);
        });

        it("shows the one GPU of a rank to both of its tasks, and says so", () => {
            const [said, ...tasks] = sortedLines(outputs.shared).reverse();
            assert.match(said, /^minicluster: all tasks of a rank share its GPUs: it has fewer GPUs than tasks/);
            assert.equal(tasks.length, 2);
            for (const line of tasks) {
                assert.doesNotMatch(line, /-1/);
            }
        });
    },
};
