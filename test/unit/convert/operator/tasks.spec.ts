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

    for (const [what, spec, shown, cores] of [
        ["a number that isn't the same on each rank", { tasks: 3 }, "is 3; a rank needs 2 cores for it", 2],
        ["some tasks on each rank", { tasks: 4 }, "is 4; a rank needs 2 cores for it", 2],
        ["cores of one task", { tasks: 0, flux: { optionFlags: "-c 2" } }, "is 2; a rank needs 2 cores for it", 2],
        ["the ranks of the quorum", { tasks: 4, size: 4, minSize: 2 }, "is 4; a rank needs 2 cores for it", 2],
        ["cores of each task", { tasks: 4, flux: { optionFlags: "-c 2" } }, "is 4; a rank needs 4 cores for it", 4],
    ] as const) {
        it(`get as many cores as they need for ${what}, because the operator gives them those of the node`, () => {
            const { args, warnings } = convert(spec, limits("1"));
            assert.deepEqual(
                [args["tasks"], args["cores"], args["resources"]],
                [spec.tasks || undefined, cores, { limits: { cpu: "1" } }],
            );
            assert.deepEqual(warnings, [
                `spec.tasks: ${shown}, more than resources.limits.cpu gives. ${sees} So cores is now ${cores}, and the tasks share the CPUs; or raise the amount.`,
            ]);
            assertPreview(args);
        });
    }

    it("leave the cores to a whole broker.toml", () => {
        const spec = { tasks: 4, flux: { brokerConfig: "[resource]\nnoverify = true" } };
        const { args, warnings } = convert(spec, limits("1"));
        assert.deepEqual([args["tasks"], args["cores"]], [4, undefined]);
        assert.ok(!warnings.some((warning) => warning.startsWith("spec.tasks")), warnings.join("\n"));
    });

    it("count with a request where there is no limit", () => {
        const { args, warnings } = convert({ tasks: 4 }, { command: "a", resources: { requests: { cpu: "1" } } });
        assert.equal(args["cores"], 2);
        assert.match(warnings.join(), /more than resources\.requests\.cpu gives/);
    });

    for (const [what, spec, container] of [
        ["a launcher", {}, { launcher: true }],
        ["a batch", {}, { batch: true }],
        ["an interactive cluster", { interactive: true }, { command: "" }],
    ] as const) {
        it(`of ${what} get a warning about the cores that Flux has`, () => {
            const { args, warnings } = convert(spec, limits("2", container));
            assert.deepEqual(warnings, [
                `spec.containers[0].resources.limits.cpu: is "2". ${sees} Give cores, if jobs should have more.`,
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
