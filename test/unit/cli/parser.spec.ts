import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { COMMANDS } from "../../../cli/commands";
import { type Parsed, parse } from "../../../cli/parser";
import { calledBy, setProgramName } from "../../../cli/programName";
import { UsageError } from "../../../cli/usage";
import { root } from "../../../scripts/local/paths";

function parsed(line: readonly string[]): unknown {
    const result = parse(line);
    return "text" in result ? "help" : [result.args.command, { ...result.args.options }, result.args.words];
}

const textOf = (result: Parsed) => ("text" in result ? result.text : "");

describe("parse", () => {
    before(() => setProgramName("minicluster"));

    const cases: [string[], unknown][] = [
        [["list"], ["list", {}, []]],
        [
            ["-n", "hpc", "status", "-c", "lammps"],
            ["status", { cluster: "lammps", namespace: "hpc" }, []],
        ],
        [
            ["logs", "-f", "2", "flux"],
            ["logs", { follow: true }, ["2", "flux"]],
        ],
        [
            ["logs", "2", "--follow", "--json"],
            ["logs", { follow: true, json: true }, ["2"]],
        ],
        [
            ["submit", "ls", "-n", "--json", "--", "a  b"],
            ["submit", {}, ["ls", "-n", "--json", "--", "a  b"]],
        ],
        [
            ["submit", "--json", "-N", "2", "--", "--help"],
            ["submit", { json: true, nodes: "2" }, ["--help"]],
        ],
        [
            ["run", "-n4", "-N2", "-g", "1", "-q", "batch", "-c", "lammps", "./solve", "-n", "1"],
            [
                "submit",
                { cluster: "lammps", "flux-queue": "batch", "gpus-per-task": "1", nodes: "2", tasks: "4" },
                ["./solve", "-n", "1"],
            ],
        ],
        [
            ["-nhpc", "submit", "--env=A=1", "--env", "B=2", "env"],
            ["submit", { env: ["A=1", "B=2"], namespace: "hpc" }, ["env"]],
        ],
        [["-hn", "hpc", "status"], "help"],
        [["-hnhpc", "status"], "help"],
        [
            ["logs", "-fn", "hpc", "2"],
            ["logs", { follow: true, namespace: "hpc" }, ["2"]],
        ],
        [["submit", "-hN", "2", "ls", "-l"], "help"],
        [["submit", "--help"], "help"],
        [["help", "submit"], "help"],
        [
            ["--cluster=submit", "status"],
            ["status", { cluster: "submit" }, []],
        ],
        [
            ["plan", "--no-kill", "plan.json"],
            ["plan", { "no-kill": true }, ["plan.json"]],
        ],
        [["--help"], "help"],
        [
            ["status", "lammps"],
            ["status", { cluster: "lammps" }, []],
        ],
        [
            ["logs", "lammps", "-f", "2", "flux"],
            ["logs", { cluster: "lammps", follow: true }, ["2", "flux"]],
        ],
        [
            ["shell", "1"],
            ["shell", {}, ["1"]],
        ],
        [
            ["forward", "lammps", ":8080"],
            ["forward", { cluster: "lammps" }, [":8080"]],
        ],
    ];
    for (const [line, expected] of cases) {
        it(`reads the command line "${line.join(" ")}"`, () => assert.deepEqual(parsed(line), expected));
    }

    const wrong: [string[], string, string?][] = [
        [[], "a command is missing."],
        [["-n", "hpc"], "a command is missing."],
        [["statsu"], "there is no command statsu; did you mean status?"],
        [["xyzzy"], "there is no command xyzzy."],
        [["status", "-f"], "status has no option -f.", "status"],
        [["logs", "--folow"], "logs has no option --folow; did you mean --follow?", "logs"],
        [["--jsn", "list"], "minicluster has no option --jsn; did you mean --json?"],
        [["submit", "--node=2", "ls"], "submit has no option --node=2; did you mean --nodes?", "submit"],
        [["submit", "--ntasks=2", "ls"], "submit has no option --ntasks=2; did you mean --tasks?", "submit"],
        [["submit", "-t", "5", "ls"], "submit has no option -t; did you mean --time-limit SECONDS?", "submit"],
        [["list", "--json=yes"], "list has no option --json=yes; --json takes no value.", "list"],
        [["status", "--cluster"], "--cluster has no value; it must be --cluster NAME.", "status"],
        [["submit"], "submit needs [--] COMMAND [WORD...]: minicluster submit [--] COMMAND [WORD...]", "submit"],
        [
            ["status", "-c", "lammps", "other"],
            'status is given "other", besides the cluster lammps; its form is minicluster status [CLUSTER]',
            "status",
        ],
    ];
    for (const [line, message, command] of wrong) {
        it(`refuses "${line.join(" ")}"`, () =>
            assert.throws(
                () => parse(line),
                (error: UsageError) => {
                    assert.ok(error instanceof UsageError, String(error));
                    assert.deepEqual([error.message, error.command], [message, command]);
                    return true;
                },
            ));
    }

    it("prints the version of the package", () => {
        const { version } = require("../../../package.json") as { version: string };
        assert.equal(textOf(parse(["--version"])), `${version}\n`);
    });

    it("has each command in the tables of docs/command-line.md: behaviour, exit codes and JSON, rights", () => {
        const text = readFileSync(join(root, "docs/command-line.md"), "utf8");
        const describedIn = (title: string) => {
            const rest = text.slice(text.indexOf(`\n${title}\n`) + title.length + 1);
            const cells = [...rest.slice(0, rest.search(/\n##/)).matchAll(/^\|([^|]*)\|/gm)].map(([, cell]) => cell);
            return cells.flatMap((cell) => [...cell.matchAll(/`(\w+)/g)].map(([, name]) => name));
        };
        const names = COMMANDS.filter(({ hidden }) => !hidden).map(({ name }) => name);
        const missing = (title: string) => names.filter((name) => !describedIn(title).includes(name));
        // The summary of list says all of it. completion prints no JSON, and asks no cluster itself.
        assert.deepEqual(missing("## Commands"), ["list"]);
        assert.deepEqual(missing("### Exit codes and JSON"), ["completion"]);
        assert.deepEqual(missing("### Access"), ["completion"]);
    });

    it("lists each command in the help, once and in one line", () => {
        const help = textOf(parse(["--help"]));
        for (const { alias, name, summary } of COMMANDS.filter(({ hidden }) => !hidden)) {
            const term = alias === undefined ? name : `${name}, ${alias}`;
            assert.match(help, new RegExp(`^  ${term} +${summary}$`, "m"));
        }
    });

    for (const definition of COMMANDS.filter(({ hidden }) => !hidden)) {
        it(`shows options and examples that are right in the help of ${definition.name}`, () => {
            const help = textOf(parse([definition.name, "-h"]));
            for (const { name } of definition.options ?? []) {
                assert.ok(help.includes(`--${name}`), name);
            }
            for (const [words] of definition.examples) {
                assert.ok(help.includes(`  minicluster ${words}\n`), words);
                const line = words.replace(/ [<>].*/, "").split(" ");
                const result = parse(line);
                assert.equal("definition" in result && result.definition, definition, words);
            }
        });

        it(`gives no letter and no name twice to ${definition.name}`, () => {
            const own = definition.options ?? [];
            const letters = own.flatMap(({ short }) => short ?? []);
            assert.equal(new Set(letters).size, letters.length);
            assert.ok(
                !own.some(({ short }) => ["c", "s", "h"].includes(short ?? "")),
                "-c, -s and -h are for all commands",
            );
        });
    }
});

describe("calledBy", () => {
    it("gives the name by which the program can be called again", () => {
        const cases: [string, string | undefined, string][] = [
            ["/usr/local/bin/minicluster", undefined, "minicluster"],
            ["/usr/local/bin/flux-minicluster", undefined, "flux-minicluster"],
            ["/app/node_modules/.bin/minicluster", "exec", "npx flux-minicluster"],
            ["/app/node_modules/.bin/minicluster", "run-script", "minicluster"],
            ["/app/node_modules/flux-minicluster/dist/cli/main.js", undefined, "minicluster"],
        ];
        assert.deepEqual(
            cases.map(([path, npmCommand]) => calledBy(path, npmCommand)),
            cases.map(([, , name]) => name),
        );
    });
});
