import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { COMMANDS } from "../../../../cli/commands";
import { type Parsed, parse } from "../../../../cli/parser/parser";
import { calledBy, setProgramName } from "../../../../cli/definition/programName";
import { UsageError } from "../../../../cli/definition/arguments";
import { root } from "../../../../scripts/local/paths";

function parsed(line: readonly string[]): unknown {
    const result = parse(line, COMMANDS);
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
        [[], "help"],
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

    for (const [line, cluster, words] of [
        [["attach", "f26zqx"], undefined, ["f26zqx"]],
        [["attach", "lammps", "f26zqx"], "lammps", ["f26zqx"]],
        [["cancel", "f26zqx", "f26Zqy"], undefined, ["f26zqx", "f26Zqy"]],
        [["logs", "f26zqx"], undefined, ["f26zqx"]],
        [["logs", "fast"], "fast", []],
        [["status", "f26zqx"], "f26zqx", []],
    ] as const) {
        it(`takes an id of a job for a job where one is asked for (${line.join(" ")})`, () =>
            assert.deepEqual(parsed(line), [line[0], cluster === undefined ? {} : { cluster }, words]));
    }

    const wrong: [string[], string, string?][] = [
        [["-n", "hpc"], "a command is missing."],
        [["statsu"], "there is no command statsu. Did you mean status?"],
        [["xyzzy"], "there is no command xyzzy."],
        [["squeue"], "there is no command squeue. Did you mean jobs?"],
        [["scontrol"], "there is no command scontrol. Did you mean explain, drain or status?"],
        [["sbatch"], "there is no command sbatch. Did you mean submit --detach?"],
        [["ps"], "there is no command ps. Did you mean jobs?"],
        [["exec"], "there is no command exec. Did you mean shell?"],
        [["describe"], "there is no command describe. Did you mean status, doctor or explain?"],
        [["top"], "there is no command top. Did you mean status or jobs?"],
        [["delete"], "there is no command delete. pulumi destroy deletes a MiniCluster; cancel cancels a job."],
        [["constructor"], "there is no command constructor."],
        [["help", "foo"], "there is no command foo."],
        [["submit", "-J", "x", "ls"], "submit has no option -J. Did you mean --job-name?", "submit"],
        [
            ["submit", "--mem=4G", "ls"],
            "submit has no option --mem=4G. Flux doesn't schedule memory; resources of the MiniCluster gives it to the pods.",
            "submit",
        ],
        [
            ["submit", "--array", "0-9", "ls"],
            "submit has no option --array. An array is the argument array of a FluxJob (docs/jobs.md).",
            "submit",
        ],
        [["submit", "-p", "x", "ls"], "submit has no option -p. Did you mean --flux-queue?", "submit"],
        [["jobs", "-a"], "jobs has no option -a. It lists all jobs without it.", "jobs"],
        [["status", "-f"], "status has no option -f.", "status"],
        [["logs", "--folow"], "logs has no option --folow. Did you mean --follow?", "logs"],
        [["--jsn", "list"], "minicluster has no option --jsn. Did you mean --json?"],
        [["submit", "--node=2", "ls"], "submit has no option --node=2. Did you mean --nodes?", "submit"],
        [["submit", "--ntasks=2", "ls"], "submit has no option --ntasks=2. Did you mean --tasks?", "submit"],
        [["submit", "-t", "5", "ls"], "submit has no option -t. Did you mean --time-limit SECONDS?", "submit"],
        [["list", "--json=yes"], "list has no option --json=yes; --json takes no value.", "list"],
        [["status", "--cluster"], "--cluster has no value; it must be --cluster NAME.", "status"],
        [["submit"], "submit needs [--] COMMAND [WORD...]: minicluster submit [--] COMMAND [WORD...]", "submit"],
        [
            ["explain", "fast"],
            'explain needs JOB, and "fast" was read as the name of the cluster: minicluster explain [CLUSTER] JOB',
            "explain",
        ],
        [
            ["status", "-c", "lammps", "other"],
            'status is given "other", besides the cluster lammps; its form is minicluster status [CLUSTER]',
            "status",
        ],
    ];
    for (const [line, message, command] of wrong) {
        it(`refuses "${line.join(" ")}"`, () =>
            assert.throws(
                () => parse(line, COMMANDS),
                (error: UsageError) => {
                    assert.ok(error instanceof UsageError, String(error));
                    assert.deepEqual([error.message, error.command], [message, command]);
                    return true;
                },
            ));
    }

    it("prints the version of the package", () => {
        const { version } = require("../../../../package.json") as { version: string };
        assert.equal(textOf(parse(["--version"], COMMANDS)), `${version}\n`);
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
        const help = textOf(parse(["--help"], COMMANDS));
        for (const { alias, name, summary } of COMMANDS.filter(({ hidden }) => !hidden)) {
            const term = alias === undefined ? name : `${name}, ${alias}`;
            assert.match(help, new RegExp(`^  ${term} +${summary}$`, "m"));
        }
    });

    for (const definition of COMMANDS.filter(({ hidden }) => !hidden)) {
        it(`shows options and examples that are right in the help of ${definition.name}`, () => {
            const help = textOf(parse([definition.name, "-h"], COMMANDS));
            for (const { name } of definition.options ?? []) {
                assert.ok(help.includes(`--${name}`), name);
            }
            for (const [words] of definition.examples) {
                assert.ok(help.includes(`  minicluster ${words}\n`), words);
                const line = words.replace(/ [<>].*/, "").split(" ");
                const result = parse(line, COMMANDS);
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
