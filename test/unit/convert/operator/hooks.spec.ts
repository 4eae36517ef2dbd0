import assert from "node:assert/strict";

import { Sandbox } from "../../support/sandbox";
import { convert } from "./support";

const FAILING = "false\nls /no/such/folder\nexport AFTER=reached\nfalse";

describe("hooks of the operator's resource", () => {
    let pod: Sandbox | undefined;

    afterEach(() => pod?.remove());

    /** Starts a pod with the converted hooks. Its supervisor prints a variable. */
    const start = async (args: Record<string, any>, rank = 0) => {
        pod = new Sandbox({ hooks: args["hooks"] }, rank);
        pod.write("etc/flux-minicluster/supervise.sh", 'printf "%s" "supervised $AFTER"');
        return pod.run("start", ["x"]);
    };

    for (const [command, rank] of [
        ["init", 0],
        ["pre", 0],
        ["brokerPre", 0],
        ["workerPre", 1],
    ] as const) {
        it(`may fail in ${command}, as in the operator, and the broker starts`, async () => {
            const { args, warnings } = convert({}, { command: "hostname", commands: { [command]: FAILING } });
            assert.deepEqual(warnings, []);
            const { code, stdout } = await start(args, rank);
            assert.deepEqual([code, stdout], [0, "supervised reached"]);
        });

        it(`end the start in ${command} with logging.strict, as in the operator`, async () => {
            const spec = { logging: { strict: true } };
            const { args } = convert(spec, {
                command: "hostname",
                commands: { [command]: "true | false | true\nfalse" },
            });
            const { code, stdout } = await start(args, rank);
            assert.deepEqual([code, stdout], [1, ""]);
        });
    }

    it("keep the options of the start script from the lines after them", async () => {
        const { args } = convert({}, { command: "hostname", commands: { pre: "false" } });
        args["hooks"].lead = "false\nexport AFTER=reached";
        assert.deepEqual((await start(args)).code, 1);
    });

    const warned: [what: string, field: string, text: string, warnings: string[]][] = [
        [
            "exit, which fails the pod here",
            "pre",
            "test -e /x || exit 0",
            [
                "has exit: here a hook that ends the start fails the pod. Put the lines in parentheses, so that only they end.",
            ],
        ],
        [
            "exec of a program",
            "workerPre",
            "if true; then exec sleep 1; fi",
            [
                "has exec: here a hook that ends the start fails the pod. Put the lines in parentheses, so that only they end.",
            ],
        ],
        ["no exec of a redirection", "pre", "exec >/tmp/log 2>&1\nexec 3<x\necho exit", []],
        ["no exit after the broker", "post", "exit 3", []],
        [
            "variables of the operator's start script",
            "pre",
            'flux R encode --hosts=${hosts} > "$viewroot/etc/flux/system/R"',
            [
                "uses $hosts, which only the operator's start script sets; remove it: Flux has the resources of all ranks, by the arguments or from the nodes.",
                "uses $viewroot, which only the operator's start script sets; Flux is in the directories of view, /opt/view and /opt/software, or where the image has it.",
            ],
        ],
        [
            "variables that change the operator's start script",
            "brokerPre",
            'asFlux="sudo -u flux -E PATH=$PATH"\ncommand=hostname',
            [
                "sets asFlux, which only the operator's start script reads; remove it: everything runs as the user of the pod (user, securityContext).",
                "sets command, which only the operator's start script reads; give the command as the argument command.",
            ],
        ],
        [
            "no variables of its own with such names",
            "pre",
            "hosts=a\necho $hosts\nfor flags in a; do echo $flags; done",
            [],
        ],
        ["no such variables in comments", "pre", "# asFlux=x $hosts\necho a", []],
    ];
    for (const [what, field, text, expected] of warned) {
        it(`get a warning about ${what}`, () => {
            const { warnings } = convert({}, { command: "hostname", commands: { [field]: text } });
            assert.deepEqual(
                warnings,
                expected.map((warning) => `spec.containers[0].commands.${field}: ${warning}`),
            );
        });
    }
});
