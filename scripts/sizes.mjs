// Checks the length of lines and files. The formatters break lines at 120 columns where they can; this is the limit for
// the rest.
import { readFileSync } from "node:fs";

import { sources } from "./sources.mjs";

const COLUMNS = 140;
const LINES = 250;
const LINES_OF_TESTS = 500;

/** Files above the limit, and why. */
const LONG = new Map([
    [
        "components/features/restful/restful.sh",
        "one program: shells have no modules, and each file is one more in the ConfigMap",
    ],
    ["provider/flux/programs/array.py", "one program, which reaches the lead's pod as one text"],
    ["provider/flux/job.sh", "one script, which reaches the lead's pod as one text"],
    ["test/unit/provider/indexedJob/verbs.spec.ts", "a describe for each verb of one resource"],
    ["test/unit/provider/jobStatus/verbs.spec.ts", "a describe for each verb of one resource"],
]);

/** A regular expression: breaking it would hide what it matches. */
const REGULAR_EXPRESSION = /^\s*([\w"]+: |const \w+ = )?\/(?![/*]).*\/[a-z]*[,;)]*$/;

/** In tests, also a message or a shell command as it is printed or run. */
const STRING = /^\s*([\w"]+: |const \w+ = |return |await \w+\()?(["'`]).*\2( \+|[,;)]*)$/;

function problemsOf(path) {
    const lines = readFileSync(path, "utf8").trimEnd().split("\n");
    const isTest = path.startsWith("test/");
    const most = isTest ? LINES_OF_TESTS : LINES;
    const mayBeLong = (line) => REGULAR_EXPRESSION.test(line) || (isTest && STRING.test(line));
    const wide = lines.flatMap((line, index) =>
        line.length > COLUMNS && !mayBeLong(line)
            ? [`${path}:${index + 1} has ${line.length} columns; the limit is ${COLUMNS}. Break the line.`]
            : [],
    );
    const long =
        lines.length > most && !LONG.has(path)
            ? [
                  `${path} has ${lines.length} lines; the limit is ${most}. Split the file, or give a reason in scripts/sizes.mjs.`,
              ]
            : [];
    return [...wide, ...long];
}

const problems = sources("*.ts", "*.mjs", "*.cjs", "*.py", "*.sh")
    .filter((path) => !path.startsWith("components/generated/"))
    .flatMap(problemsOf);
problems.forEach((problem) => console.error(problem));
process.exitCode = problems.length === 0 ? 0 : 1;
