import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";

import fc from "fast-check";

import { readScript } from "../../../../convert/operator/script";
import { printedByBash } from "../../support/bash";
import { Sandbox } from "../../support/sandbox";
import { assertPreview, convert } from "./support";

const path = "spec.containers[0]";

describe("script of the operator's resource", () => {
    it("loses the backslashes of a here-document", () => {
        const script = "echo \\$A \\${B} \\`id\\` \\\\ a\\b \\\nc \"$\" '$'\n";
        const { args, warnings } = convert({}, { commands: { script } });
        assert.deepEqual(
            [args["command"], args["hooks"], warnings],
            [["bash", "-c", "echo $A ${B} `id` \\ a\\b c \"$\" '$'\n"], undefined, []],
        );
        assertPreview(args);
    });

    it("is what bash writes by a here-document", () => {
        const characters = fc.constantFrom(
            "\\",
            "$",
            "`",
            "\n",
            '"',
            "'",
            "A",
            "{",
            "}",
            "(",
            " ",
            "E",
            "OF",
            "\\$",
            "\\\\",
        );
        const drawn = fc.array(characters, { maxLength: 12 }).map((parts) => parts.join(""));
        const read = fc.sample(drawn, { numRuns: 400, seed: 35 }).flatMap((source) => {
            const { expands, text } = readScript(source);
            // Only bash knows what variables are; the text of a script without them is the same.
            return expands || source.endsWith("\\") ? [] : [{ source, text }];
        });
        const printed = printedByBash(read.map(({ source }) => `cat <<END_OF_TEST\n${source}\nEND_OF_TEST\n`));
        read.forEach(({ source, text }, index) => {
            const stdout = printed[index] ?? "";
            assert.equal(stdout, `${text}\n`.replace(/^\n$/, stdout), source);
        });
        assert.ok(read.length > 100, `${read.length} scripts were compared`);
    });

    it("expands variables without a backslash once, when the pod starts and before the hook pre", async () => {
        const script = "echo $GREETING $(echo once) `echo twice` \\$LATER\nEOF\n";
        const { args, warnings } = convert({}, { commands: { script, pre: "export GREETING=changed" } });
        const ends = `${path}.commands.script: has a line EOF, at which the operator's script ends; the lines after it run in each pod there. Here they belong to the script.`;
        assert.deepEqual([args["command"], warnings], [["bash", "/run/flux/operator-script.sh"], [ends]]);
        assertPreview(args);
        const pod = new Sandbox({ hooks: args["hooks"] });
        pod.write("etc/flux-minicluster/supervise.sh", "exit 0");
        try {
            const { code } = await pod.run("start", ["x"], { GREETING: "hello" });
            assert.equal(code, 0);
            const written = readFileSync(join(pod.path("run/flux"), "operator-script.sh"), "utf8");
            assert.equal(written, "echo hello once twice $LATER\nEOF\n\n");
        } finally {
            pod.remove();
        }
    });

    it("takes the place of a command, with a warning", () => {
        const { args, warnings } = convert({}, { command: "a", commands: { script: "b" } });
        assert.deepEqual(
            [args["command"], warnings],
            [
                ["bash", "-c", "b"],
                [
                    `${path}.command: is ignored, because commands.script is given; the operator refuses both. Remove one.`,
                ],
            ],
        );
    });

    it("is not written if the cluster is interactive", () => {
        const { args, warnings } = convert({ interactive: true }, { commands: { script: "echo $A" } });
        assert.deepEqual([args["hooks"], args["restful"]], [undefined, { enabled: false }]);
        assert.match(warnings[0], /^spec\.containers\[0\]\.commands\.script: is ignored: an interactive cluster/);
    });
});

describe("command of the operator's resource", () => {
    const shell = (text: string) => ["bash", "-c", text];
    const kept: [what: string, container: object, command: string[]][] = [
        ["words over several lines", { command: "lmp -v x 2 \n  -in a\n" }, ["lmp", "-v", "x", "2", "-in", "a"]],
        ["a line that goes on behind a backslash", { command: "a \\\n  b=c" }, ["a", "b=c"]],
        ["a launcher of one word, which a shell reads", { command: "a>b", launcher: true }, shell("a>b")],
    ];
    for (const [what, container, command] of kept) {
        it(`keeps ${what}`, () => {
            const { args, warnings } = convert({}, container);
            assert.deepEqual([args["command"], warnings], [command, []]);
        });
    }

    const signs: [text: string, signs: string][] = [
        ["bash -c 'a b'", "'"],
        ["a && b | c > d; e", "& | > ;"],
        ['bash -c "a &&   b"  c', '" &'],
        ["cat *.txt file[12] {a,b}", "* [ ] { }"],
        ["a --out={{id}}", "{ }"],
        ["ls $HOME ${DATA} $(date)", "$ { } ( )"],
        ['echo \\$HOME \\"a\\"', '\\ $ "'],
        ["a ~ #b !c", "~ # !"],
    ];
    for (const [text, found] of signs) {
        it(`is the text for bash if it has signs of a shell, with a warning: ${text}`, () => {
            const there =
                "The operator expands variables once, on the lead, when its pod starts, and passes all other signs on to the program";
            for (const [launcher, when] of [
                [false, "each task"],
                [true, "the command"],
            ] as const) {
                const { args, warnings } = convert({}, { command: text, launcher });
                const here = `has ${found}, signs that a shell may read. Here bash reads the text when ${when} starts.`;
                const warning = `${path}.command: ${here} ${there}. Check the command, or give it as a script.`;
                assert.deepEqual([args["command"], warnings], [shell(text), [warning]]);
                assertPreview(args);
            }
        });
    }

    const warned: [what: string, container: object, command: string[], warnings: string[]][] = [
        [
            "variables of the operator's start script",
            { command: "flux proxy $fluxsocket a", launcher: true, commands: {} },
            shell("flux proxy $fluxsocket a"),
            [
                ".command: uses $fluxsocket, which only the operator's start script sets; use $FLUX_URI in the command; a hook runs before there is a socket.",
            ],
        ],
        [
            "a prefix of flux submit",
            { command: "a", commands: { prefix: "strace -f" } },
            ["a"],
            [
                '.commands.prefix: is "strace -f", a program around flux submit, which has no counterpart. Write it before the command, or use launcher with prefix and flux run in the command.',
            ],
        ],
        [
            "a batch that is a launcher too",
            { command: "a", batch: true, launcher: true },
            [],
            [".launcher: is true beside batch, which the operator refuses. Remove one of them."],
        ],
        [
            "batchRaw without batch",
            { command: "a", batchRaw: true },
            ["a"],
            [".batchRaw: has no effect without batch. Remove it."],
        ],
    ];
    for (const [what, container, command, warnings] of warned) {
        it(`gets a warning about ${what}`, () => {
            const { args, warnings: found } = convert({}, container);
            assert.deepEqual(command.length > 0 ? args["command"] : [], command);
            assert.deepEqual(
                found.filter((warning) => !warning.includes("signs that a shell may read")),
                warnings.map((warning) => path + warning),
            );
        });
    }

    it("keeps the prefix of a launcher, which Flux starts with it", () => {
        const { args, warnings } = convert(
            {},
            { command: "snakemake -c 1", launcher: true, commands: { prefix: "strace -f" } },
        );
        assert.deepEqual(
            [args["command"], args["launcher"], warnings],
            [["strace", "-f", "snakemake", "-c", "1"], true, []],
        );
    });

    const prefixed = (prefix: string) => convert({}, { command: "b c", launcher: true, commands: { prefix } });

    it("lets bash read a prefix with quotes or variables, as the operator does", () =>
        assert.deepEqual(prefixed('time -f "%E s" $HOME/a').args["command"], shell(`exec time -f "%E s" $HOME/a b c`)));

    it("gets a warning about a prefix that breaks the line in which the operator starts Flux", () =>
        assert.deepEqual(prefixed("a; exec").warnings, [
            `${path}.commands.prefix: is "a; exec", whose signs of a shell belong to the line in which the operator starts Flux. Here they belong to the command; write it as a script.`,
        ]));
});

describe("optionFlags of the operator's resource", () => {
    const options = (optionFlags: string, container: object = { command: "a" }) =>
        convert({ flux: { optionFlags } }, container);

    it("come after the operator's own options", () =>
        assert.deepEqual(options("-n 8 -N2 -vvv --quiet").args, {
            image: "a:1",
            size: 2,
            command: ["a"],
            tasks: 8,
            nodes: 2,
        }));

    it("get a warning for each option without a counterpart, with its value", () => {
        const { args, warnings } = options("--setattr user.a=1 --env=A=B -c two --label-io");
        const cure = (option: string) =>
            `spec.flux.optionFlags: ${option} has no counterpart; use launcher, and flux run ${option} in the command.`;
        assert.deepEqual(warnings, ["--setattr user.a=1", "--env=A=B", "-c two", "--label-io"].map(cure));
        assertPreview(args);
    });

    it("lose quotes around a part of a word, and get a warning for other signs of a shell", () => {
        const { args, warnings } = options('--requires=\\"host:a\\" -q "batch" -o a=\'b\' -t $LIMIT');
        assert.deepEqual(
            [args["fluxQueue"], args["requires"], warnings.slice(0, 3).map((warning) => warning.slice(0, 60))],
            [
                "batch",
                undefined,
                ['--requires=\\"host:a\\"', "-o a='b'", "-t $LIMIT"].map((option) =>
                    `spec.flux.optionFlags: ${option} has no counterpart; use launcher`.slice(0, 60),
                ),
            ],
        );
    });

    it("have tasks of each node if there are no tasks in all, which Flux refuses beside them", () => {
        const convertTasks = (spec: object, optionFlags: string) =>
            convert({ ...spec, flux: { optionFlags } }, { command: "a" });
        const { args, warnings } = convertTasks({ tasks: 0 }, "--tasks-per-node=4");
        assert.deepEqual([args["tasksPerNode"], args["tasks"], warnings], [4, undefined, []]);
        assertPreview(args);
        for (const [spec, flags] of [
            [{}, "--tasks-per-node 4"],
            [{ tasks: 2 }, "--tasks-per-node 4"],
            [{ tasks: 0 }, "-n 8 --tasks-per-node 4"],
            [{ tasks: 0 }, "--tasks-per-node 4 -c 2 -g 1"],
        ] as const) {
            const { args: left, warnings: found } = convertTasks(spec, flags);
            assert.deepEqual(found, [
                "spec.flux.optionFlags: has --tasks-per-node 4, which Flux refuses beside spec.tasks, -n, -c and -g. Here only tasksPerNode is left; write spec.tasks: 0 without the others, or remove the option.",
            ]);
            assert.deepEqual(left, { image: "a:1", size: 2, command: ["a"], tasksPerNode: 4 });
            assertPreview(left);
        }
    });

    it("get a warning beside a batch, whose lines are jobs of the cluster", () =>
        assert.deepEqual(options("-c 2", { command: "a", batch: true }).warnings, [
            'spec.flux.optionFlags: is "-c 2", options of flux batch; here each line of the batch is a job of the cluster itself. Write the options into the lines.',
        ]));

    it("have no effect on a launcher, as in the operator", () =>
        assert.deepEqual(options("-c 2", { command: "a", launcher: true }).warnings, []));

    it("are those of flux submit, or get a warning about another command", () => {
        const submit = (submitCommand: string) => convert({ flux: { submitCommand } }, { command: "a" }).warnings;
        assert.deepEqual([submit("flux mini submit"), submit("flux run"), submit("")], [[], [], []]);
        assert.deepEqual(submit("srun"), [
            'spec.flux.submitCommand: is "srun", which has no counterpart. Use launcher, and this command before yours.',
        ]);
    });
});
