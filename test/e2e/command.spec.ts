import assert from "node:assert/strict";

import { MiniCluster } from "flux-minicluster";

import { useNamespace } from "./support/namespace";
import type { Result } from "./support/stack";

const words = [
    "", " ", "two words", " leading and trailing ", "it's", '"quoted"', "back\\slash", "$HOME", "$(HOSTNAME)", "$$(HOSTNAME)", "$$",
    "${PATH}", "`id`", "$(id)", "*", "/e*", "[a-z]", "~", "-n", "--", "--env=X=1", "a;b&&c|d>e", "{{id}}", "{0,1}", "#no comment",
    "!!", "%s", "line one\nline two\n", "tab\there", "Zürich 東京 🚀",
];
const print = "import json, os, sys; print(json.dumps([sys.argv[1:], os.environ['WORDS']]))";

describe("the words of a command", () => {
    const namespace = useNamespace();
    const value = words.join("\n");
    let up: Result;

    before(async () => {
        const stack = namespace.stack("words", async () => {
            const args = { image: namespace.image, environment: { WORDS: value }, command: ["python3", "-c", print, ...words] };
            return {
                tasks: new MiniCluster("tasks", args).output,
                launcher: new MiniCluster("launcher", { ...args, launcher: true }).output,
            };
        });
        up = await stack.up();
    });

    for (const kind of ["tasks", "launcher"]) {
        it(`arrive unchanged, and so does a variable (${kind})`, () => {
            assert.deepEqual(JSON.parse(up.outputs[kind]), [words, value]);
        });
    }
});
