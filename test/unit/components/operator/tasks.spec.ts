import assert from "node:assert/strict";

import { assertPreview, convert } from "./support";

const limits = (cpu: string, container: object = {}) => ({
    command: "a",
    resources: { limits: { cpu } },
    ...container,
});
const sees = "Flux has only these cores in a rank; with the operator, it has all cores of the node.";

describe("tasks of the operator's resource", () => {
    it("stay as they are if the limit has enough cores, or if there is none", () => {
        const found = [limits("2"), { command: "a" }, limits("1500m", { command: "a" })].map((container, index) => {
            const { args, warnings } = convert({ tasks: index === 2 ? 2 : 4 }, container);
            assertPreview(args);
            return [args["tasks"], args["tasksPerNode"], warnings];
        });
        assert.deepEqual(found, [
            [4, undefined, []],
            [4, undefined, []],
            [2, undefined, []],
        ]);
    });

    for (const [what, spec, shown] of [
        ["a number that isn't the same on each rank", { tasks: 3 }, "is 3 with 1 cores each, more than 2 ranks have"],
        [
            "cores of one task on each rank",
            { tasks: 0, flux: { optionFlags: "-c 2" } },
            "is 2 with 2 cores each, more than 2 ranks have",
        ],
        [
            "cores of each task",
            { tasks: 4, flux: { optionFlags: "-c 2" } },
            "is 4 with 2 cores each, more than 2 ranks have",
        ],
    ] as const) {
        it(`get all cores of the node for ${what}, as in the operator: the limit moves into podTemplate`, () => {
            const { args, warnings } = convert(spec, limits("1", { ports: [80] }));
            const [container] = args["podTemplate"].spec.containers;
            assert.deepEqual(
                [args["tasks"], args["resources"], container.resources, container.ports.length],
                [spec.tasks || undefined, { limits: {}, requests: { cpu: "1" } }, { limits: { cpu: "1" } }, 1],
            );
            assert.deepEqual(warnings, [
                `spec.tasks: ${shown} with resources.limits.cpu "1". ${sees} So the limit is now in podTemplate, which Flux doesn't count; or raise the limit.`,
            ]);
            assertPreview(args);
        });
    }

    for (const [what, spec, container] of [
        ["a launcher", {}, { launcher: true }],
        ["a batch", {}, { batch: true }],
        ["an interactive cluster", { interactive: true }, { command: "" }],
    ] as const) {
        it(`of ${what} get a warning about the cores that Flux has`, () => {
            const { args, warnings } = convert(spec, limits("2", container));
            assert.deepEqual(warnings, [
                `spec.containers[0].resources.limits.cpu: is "2". ${sees} Jobs that need more tasks share the cores with flux run --tasks-per-node.`,
            ]);
            assertPreview(args);
        });
    }
});

describe("arguments that preview refuses", () => {
    it("get a warning with the words of the preview", () => {
        const { warnings } = convert({ maxSize: 1, pod: { labels: { "no label!": "a" } } });
        assert.ok(warnings.length >= 2, warnings.join("\n"));
        assert.ok(
            warnings.every((warning) => /^args\.\S.*: preview refuses it: /.test(warning)),
            warnings.join("\n"),
        );
        assert.match(
            warnings.join("\n"),
            /^args\.size: preview refuses it: is 2, above maxSize 1\. Lower it or raise maxSize\.$/m,
        );
    });
});
