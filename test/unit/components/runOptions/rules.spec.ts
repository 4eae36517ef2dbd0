import assert from "node:assert/strict";

import { validateRunOptions } from "../../../../components/runOptions/rules";
import type { RunOptions } from "../../../../provider/contract/runOptions";

const problemsOf = (options: RunOptions, nodes?: number) =>
    validateRunOptions(options, nodes ?? options.nodes).map(({ property, reason }) => `${property}: ${reason}`);

describe("validateRunOptions", () => {
    const right: [string, RunOptions][] = [
        ["no options", {}],
        ["numbers for each task", { nodes: 2, tasks: 4, coresPerTask: 1, gpusPerTask: 0 }],
        ["tasks for each node", { nodes: 2, tasksPerNode: 3, gpusPerTask: 0, exclusive: true }],
        ["a signal with its defaults", { timeLimit: 61, signal: {} }],
        ["a signal with SIG", { timeLimit: 10, signal: { name: "SIGTERM", timeLeft: 9 } }],
        ["the least and the most urgent job", { urgency: 0 }],
        ["files with tags", { outputFile: "/data/{{name}}.{{id.dec}}-{{taskid}}", errorFile: "e", inputFile: "./0" }],
        [
            "shell options",
            { shellOptions: { "cpu-affinity": "map:0;1", "gpu-affinity": "per-task", pmi: "pmix", "pty.x": "" } },
        ],
        ["a binding that prints itself", { shellOptions: { "cpu-affinity": "verbose,dry-run,per-task" } }],
    ];
    for (const [what, options] of right) {
        it(`accepts ${what}`, () => assert.deepEqual(problemsOf(options), []));
    }

    const wrong: [string, RunOptions, string[]][] = [
        [
            "numbers below their minimum",
            { nodes: 0, tasksPerNode: 0, timeLimit: 0 },
            [
                "nodes: is 0; it must be at least 1.",
                "tasksPerNode: is 0; it must be at least 1.",
                "timeLimit: is 0; it must be at least 1.",
            ],
        ],
        [
            "more nodes than tasks",
            { nodes: 3, tasks: 2 },
            ["nodes: is 3, above tasks 2; each node needs at least one task. Lower it or raise tasks."],
        ],
        [
            "whole nodes of an unknown number",
            { exclusive: true, tasksPerNode: 2 },
            [
                "tasksPerNode: is 2, but nodes is missing. Give nodes.",
                "exclusive: is true, but nodes is missing; Flux gives away whole nodes only if their number is known. Give nodes.",
            ],
        ],
        [
            "tasks for each node and for all",
            { nodes: 2, tasksPerNode: 2, tasks: 4, gpusPerTask: 1 },
            [
                "tasksPerNode: is 2, but tasks is 4 and gpusPerTask is 1; Flux takes tasks for each node or numbers for each task, not both. Remove tasksPerNode, or the others.",
            ],
        ],
        ["an urgency above Flux' scale", { urgency: 32 }, ["urgency: is 32; it must be from 0 to 31."]],
        [
            "a signal without a limit",
            { signal: { name: "USR9", timeLeft: 0 } },
            [
                "signal.timeLeft: is 0; it must be at least 1.",
                'signal.name: is "USR9", which is no signal of Linux. Use a name such as TERM or USR1.',
                "signal: is given, but timeLimit is missing; Flux sends the signal before that limit. Give timeLimit.",
            ],
        ],
        [
            "a signal at the start",
            { timeLimit: 30, signal: {} },
            [
                "signal.timeLeft: is 60 by default, not below timeLimit 30; Flux would send the signal at the start. Lower it or raise timeLimit.",
            ],
        ],
        ["an empty queue", { fluxQueue: "" }, ["fluxQueue: is empty; give the name of a queue, or remove it."]],
        [
            "files that Flux takes for something else",
            { inputFile: "0-3", outputFile: "none", errorFile: "kvs" },
            [
                'inputFile: is "0-3", which Flux takes for task ranks. For a file, write "./0-3".',
                'outputFile: is "none", which Flux takes for Flux\' own log. For a file, write "./none".',
                'errorFile: is "kvs", which Flux takes for Flux\' own log. For a file, write "./kvs".',
            ],
        ],
        [
            "paths and tags that can't be read",
            { inputFile: "", outputFile: "/data/{{id", errorFile: `{{${"x".repeat(112)}}}` },
            [
                "inputFile: is empty; give the path of a file, or remove it.",
                'outputFile: has "{{id", but no "}}" after it. Write a tag like {{id}}.',
                "errorFile: has a tag of more than 111 bytes. Write a tag like {{id}}.",
            ],
        ],
        [
            "paths with control characters, and long ones",
            { inputFile: "a\nb", outputFile: "x".repeat(4096) },
            [
                "inputFile: has a control character. Remove it.",
                "outputFile: has 4096 bytes; a path has up to 4095. Shorten it.",
            ],
        ],
        [
            "names of shell options that Flux can't read",
            { shellOptions: { "": "1", "^a": "/etc/passwd", "a=b": "1", "a b": "1" } },
            ["", "^a", "a=b", "a b"].map(
                (name) =>
                    `shellOptions.${name}: is not a name of a shell option. Use letters, digits, '-', '_' and '.'.`,
            ),
        ],
        [
            "shell options of other arguments",
            { shellOptions: { signal: "10", "output.stderr.path": "x", "per-resource.type": "node" } },
            [
                "shellOptions.signal: is set by the argument signal. Use that argument.",
                "shellOptions.output.stderr.path: is set by the argument errorFile. Use that argument.",
                "shellOptions.per-resource.type: is set by the argument tasksPerNode. Use that argument.",
            ],
        ],
        [
            "bindings that Flux would ignore",
            { shellOptions: { "cpu-affinity": "pertask", "gpu-affinity": "none", "exit-timeout": "1\n2" } },
            [
                'shellOptions.cpu-affinity: is "pertask"; it must be on, off, per-task, or map: with one set of numbers for each task.',
                'shellOptions.gpu-affinity: is "none"; it must be on, off, per-task, or map: with one set of numbers for each task.',
                "shellOptions.exit-timeout: has a line break. Remove it; JSON needs none.",
            ],
        ],
    ];
    for (const [what, options, expected] of wrong) {
        it(`refuses ${what}`, () => assert.deepEqual(problemsOf(options), expected));
    }

    it("accepts whole nodes if the number of nodes has a default", () => {
        assert.deepEqual(problemsOf({ exclusive: true, tasksPerNode: 2 }, 4), []);
    });
});
