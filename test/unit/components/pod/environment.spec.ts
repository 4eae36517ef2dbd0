import assert from "node:assert/strict";

import fc from "fast-check";

import type { PlainArgs } from "../../../../components/args";
import { escapeExpansion } from "../../../../components/parts/variables";
import { environment } from "../../../../components/pod/environment";
import { SCRIPT_ENVIRONMENT } from "../../../../provider/contract/scriptVariables";
import { text } from "../../support/arbitrary";
import { expand } from "../../support/expansion";
import { makeSpec } from "../../support/spec";

const values = (...args: Parameters<typeof makeSpec>): Record<string, string> =>
    Object.fromEntries(environment(makeSpec(...args)).map(({ name, value }) => [name, value]));

describe("environment", () => {
    it("sets the scripts' variables that have a value", () => {
        assert.deepEqual(values(), {
            MINICLUSTER_CERTIFICATE: "/etc/curve/curve.cert",
            MINICLUSTER_CONFIG: "/etc/flux/config",
            MINICLUSTER_DETECT_HOSTS: "lammps-[0-3]",
            MINICLUSTER_EXCLUSIVE: "false",
            MINICLUSTER_GATHERS: "true",
            MINICLUSTER_HOSTS: "/etc/hosts",
            MINICLUSTER_LAUNCHER: "false",
            MINICLUSTER_LEAD: "lammps-lead",
            MINICLUSTER_LOG_LEVEL: "3",
            MINICLUSTER_MINIMUM_FLUX: "0.72",
            MINICLUSTER_MODE: "ephemeral",
            MINICLUSTER_NODES: "4",
            MINICLUSTER_PROGRAMS: "bash cat chmod cp date id install mkdir mkfifo mv rm sleep tail timeout wc",
            MINICLUSTER_QUICK_END: "true",
            MINICLUSTER_QUORUM: "4",
            MINICLUSTER_RUN: "/run/flux",
            MINICLUSTER_SCRIPTS: "/etc/flux-minicluster",
            MINICLUSTER_STATE: "/var/lib/flux/state",
            MINICLUSTER_TERMINATION_LOG: "/dev/termination-log",
            FLUX_URI: "local:///run/flux/broker/local",
            FLUX_EXEC_PATH_PREPEND: "/run/flux/commands",
            FLUX_SSH: "/run/flux/commands/ssh",
        });
    });

    const settings: [string, Partial<PlainArgs>, Record<string, string | undefined>][] = [
        [
            "passes the tasks of the command, and their cores and GPUs",
            { tasks: 8, coresPerTask: 2, gpusPerTask: 1 },
            { MINICLUSTER_TASKS: "8", MINICLUSTER_CORES_PER_TASK: "2", MINICLUSTER_GPUS_PER_TASK: "1" },
        ],
        [
            "names all hosts for the detection of resources if the number of ranks can change",
            { size: 2, minSize: 1, maxSize: 4 },
            { MINICLUSTER_QUORUM: "1", MINICLUSTER_DETECT_HOSTS: "lammps-[0-3]", MINICLUSTER_GATHERS: "false" },
        ],
        [
            "passes the cores that the arguments give, and the CPUs for which they ask, in thousandths",
            { cores: 2, resources: { limits: { cpu: "1500m" } } },
            { MINICLUSTER_CORES: "2", MINICLUSTER_CPUS_ASKED: "1500", MINICLUSTER_DETECT_HOSTS: undefined },
        ],
        [
            "passes no cores if broker.toml is the user's",
            { resources: { requests: { cpu: "2" } }, broker: { config: "" } },
            { MINICLUSTER_CORES: undefined, MINICLUSTER_GATHERS: undefined },
        ],
        [
            "passes the number of CPUs if it is whole",
            { resources: { limits: { cpu: "3000m", memory: "1Gi" } } },
            { MINICLUSTER_CPUS: "3" },
        ],
        [
            "passes no number of CPUs if it isn't whole",
            { resources: { limits: { cpu: "2500m", memory: "1Gi" } } },
            { MINICLUSTER_CPUS: undefined },
        ],
        [
            "passes no number of CPUs of a pod that isn't Guaranteed",
            { resources: { limits: { cpu: "3" } } },
            { MINICLUSTER_CPUS: undefined },
        ],
        ["passes the brokers' host name with hostNetwork", { hostNetwork: true }, { MINICLUSTER_HOSTNAME: "lammps" }],
        ["passes the mode of a persistent cluster", { command: [] }, { MINICLUSTER_MODE: "persistent" }],
        [
            "passes the archive's path, period and cluster, and what happens to a damaged one",
            { command: [], archive: { hostPath: "/x" } },
            {
                MINICLUSTER_ARCHIVE: "/var/lib/flux-archive/lammps",
                MINICLUSTER_ARCHIVE_ON_DAMAGE: "setAside",
                MINICLUSTER_ARCHIVE_PERIOD: "60",
                MINICLUSTER_CLUSTER: "lammps",
            },
        ],
        [
            "writes one attribute in a line, sorted by name",
            { broker: { attributes: { "b.x": "2", a: "1 $HOME" }, logLevel: 7 } },
            { MINICLUSTER_ATTRIBUTES: "a=1 $$HOME\nb.x=2", MINICLUSTER_LOG_LEVEL: "7" },
        ],
    ];
    for (const [sentence, args, expected] of settings) {
        it(sentence, () => {
            const all = values(args);
            assert.deepEqual(Object.fromEntries(Object.keys(expected).map((name) => [name, all[name]])), expected);
        });
    }

    const layouts: [string, Partial<PlainArgs>, string | undefined][] = [
        ["size ranks", { size: 3 }, "3"],
        ["size ranks, although the cluster could have more", { size: 3, maxSize: 4 }, "3"],
        ["nodes ranks", { size: 3, nodes: 2 }, "2"],
        ["as many ranks as are up, if the cluster may grow", { size: 3, minSize: 3, maxSize: 4 }, undefined],
        ["as many ranks as are up, from minSize on", { size: 3, minSize: 2 }, undefined],
    ];
    for (const [what, args, expected] of layouts) {
        it(`runs a command on ${what}`, () => {
            assert.equal(values({ command: ["x"], ...args }).MINICLUSTER_NODES, expected);
        });
    }

    it("doesn't change with the size of a persistent cluster that may grow", () => {
        const grown = (size: number) => values({ command: [], size, maxSize: 4 });
        assert.deepEqual(grown(1), grown(2));
    });

    it("takes the namespace of an archive's cluster from Kubernetes", () => {
        const list = environment(makeSpec({ command: [], archive: { hostPath: "/x" } }));
        const namespace = list.find(({ name }) => name === SCRIPT_ENVIRONMENT.namespace);
        assert.deepEqual(namespace?.valueFrom, { fieldRef: { fieldPath: "metadata.namespace" } });
    });

    it("leaves the program in place of ssh to the user", () => {
        const names = (args: Partial<PlainArgs>, secrets: string[] = []) =>
            environment(makeSpec(args, secrets)).filter(({ name }) => name === "FLUX_SSH");
        assert.deepEqual(names({ environment: { FLUX_SSH: "rsh" } }), [{ name: "FLUX_SSH", value: "rsh" }]);
        assert.equal(names({}, ["FLUX_SSH"]).length, 1);
    });

    it("puts the user's variables after its own, sorted by name", () => {
        const names = environment(makeSpec({ environment: { B: "1", A: "2" } })).map(({ name }) => name);
        assert.deepEqual(names.slice(-3), ["FLUX_SSH", "A", "B"]);
    });

    it("refers to secret variables, and lists them as a rank's own to keep them out of jobspecs", () => {
        const spec = makeSpec({ environment: { A: "x" } }, ["TOKEN"]);
        assert.deepEqual(environment(spec).at(-1), {
            name: "TOKEN",
            valueFrom: { secretKeyRef: { name: "lammps-secret", key: "env.TOKEN" } },
        });
        assert.equal(values({}, ["TOKEN"]).MINICLUSTER_RANK_ENVIRONMENT, "TOKEN");
    });

    it("lists variables of the pod template that Kubernetes fills in each pod, too", () => {
        const env = [
            { name: "PLAIN", value: "x" },
            { name: "POD_IP", valueFrom: { fieldRef: { fieldPath: "status.podIP" } } },
            { name: "CPUS", valueFrom: { resourceFieldRef: { resource: "limits.cpu" } } },
            { name: "KEY", valueFrom: { secretKeyRef: { name: "mine", key: "key" } } },
            { name: "MODE", valueFrom: { configMapKeyRef: { name: "mine", key: "mode" } } },
            { name: "not.a.name", valueFrom: { fieldRef: { fieldPath: "status.podIP" } } },
        ];
        const containers = [
            { name: "other", env: [{ name: "X", valueFrom: {} }] },
            { name: "flux", env },
        ];
        const names = (podTemplate: object) => {
            const found = values({ podTemplate }, ["TOKEN"]);
            return [found.MINICLUSTER_RANK_ENVIRONMENT, found.MINICLUSTER_RANK_FIELDS];
        };
        assert.deepEqual(names({ spec: { containers } }), ["TOKEN KEY MODE", "POD_IP CPUS"]);
        assert.deepEqual(names({ spec: { containers: "wrong" } }), ["TOKEN", undefined]);
    });

    it("lists variables that are made from such variables, too", () => {
        const env = [
            { name: "EARLY", value: "$(POD_IP)" },
            { name: "POD_IP", valueFrom: { fieldRef: { fieldPath: "status.podIP" } } },
            { name: "ADDRESS", value: "$(POD_IP):80" },
            { name: "URL", value: "http://$(ADDRESS)/" },
            { name: "LITERAL", value: "$$(POD_IP) $POD_IP" },
            { name: "LOGIN", value: "user:$(TOKEN)" },
            { name: "BOTH", value: "$(LOGIN)@$(POD_IP)" },
        ];
        const { MINICLUSTER_RANK_ENVIRONMENT, MINICLUSTER_RANK_FIELDS } = values(
            { podTemplate: { spec: { containers: [{ name: "flux", env }] } } },
            ["TOKEN"],
        );
        assert.equal(MINICLUSTER_RANK_ENVIRONMENT, "TOKEN LOGIN BOTH");
        assert.equal(MINICLUSTER_RANK_FIELDS, "POD_IP ADDRESS URL BOTH");
    });

    it("escapes text that Kubernetes would expand", () => {
        assert.equal(values({ environment: { A: "$(MINICLUSTER_MODE) $$ $" } }).A, "$$(MINICLUSTER_MODE) $$$$ $$");
    });

    it("gives a container exactly the user's text", () => {
        fc.assert(
            fc.property(fc.dictionary(fc.constantFrom("A", "B", "C"), text), (variables) => {
                const list = environment(makeSpec({ environment: variables }));
                const seen: Record<string, string> = {};
                for (const { name, value } of list) {
                    seen[name] = expand(value, seen);
                }
                for (const [name, value] of Object.entries(variables)) {
                    assert.equal(seen[name], value);
                }
            }),
        );
    });

    it("names every variable of the scripts once, sorted by name", () => {
        const names = Object.values(SCRIPT_ENVIRONMENT);
        assert.equal(new Set(names).size, names.length);
        assert.deepEqual(names, [...names].sort());
    });
});

describe("escapeExpansion", () => {
    it("survives Kubernetes' expansion with any text and any variables", () => {
        const variables = { A: "wrong", "": "wrong", $: "wrong", A$: "wrong" };
        fc.assert(fc.property(text, (value) => assert.equal(expand(escapeExpansion(value), variables), value)));
    });
});

describe("the tests' model of Kubernetes' expansion", () => {
    const cases: [string, string][] = [
        ["$(A)", "value"],
        ["$$(A)", "$(A)"],
        ["$$$(A)", "$value"],
        ["$(B)", "$(B)"],
        ["$", "$"],
        ["a$", "a$"],
        ["$$", "$"],
        ["$(A", "$(A"],
        ["$A", "$A"],
        ["$(A)$(A)", "valuevalue"],
        ["$(A))", "value)"],
    ];
    for (const [input, expected] of cases) {
        it(`expands ${input} to ${expected}`, () => {
            assert.equal(expand(input, { A: "value" }), expected);
        });
    }
});
