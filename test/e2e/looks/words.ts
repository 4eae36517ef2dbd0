import assert from "node:assert/strict";

import { MiniCluster } from "flux-minicluster";

import type { Look } from "./look";

const WORDS = [
    "",
    " ",
    "two words",
    " leading and trailing ",
    "it's",
    '"quoted"',
    "back\\slash",
    "$HOME",
    "$(HOSTNAME)",
    "$$(HOSTNAME)",
    "$$",
    "${PATH}",
    "`id`",
    "$(id)",
    "*",
    "/e*",
    "[a-z]",
    "~",
    "-n",
    "--",
    "--env=X=1",
    "a;b&&c|d>e",
    "{{id}}",
    "{0,1}",
    "#no comment",
    "!!",
    "%s",
    "line one\nline two\n",
    "tab\there",
    "Zürich 東京 🚀",
];
const PRINT = "import json, os, sys; print(json.dumps([sys.argv[1:], os.environ['WORDS']]))";
const VALUE = WORDS.join("\n");

export const words: Look = {
    subject: "with special characters in its command",

    clusters({ image }) {
        const args = { image, environment: { WORDS: VALUE }, command: ["python3", "-c", PRINT, ...WORDS] };
        return {
            wordsOfTasks: new MiniCluster("words", args).output,
            wordsOfLauncher: new MiniCluster("words-launcher", { ...args, launcher: true }).output,
        };
    },

    tests(outputs) {
        for (const [kind, name] of [
            ["tasks", "wordsOfTasks"],
            ["a launcher", "wordsOfLauncher"],
        ]) {
            it(`passes the words and a variable unchanged to ${kind}`, () => {
                assert.deepEqual(JSON.parse(outputs[name]), [WORDS, VALUE]);
            });
        }
    },
};
