import assert from "node:assert/strict";

import { parse } from "smol-toml";

import type { PlainArgs } from "../../../../../components/args";
import { validate } from "../../../../../components/arguments/decide";
import { brokerConfig } from "../../../../../components/features/broker/config";
import { configFiles } from "../../../../../components/pod/configMap";
import { mounts } from "../../../../../components/pod/mounts";
import { Sandbox } from "../../../support/sandbox";
import { makeSpec } from "../../../support/spec";

const problemsOf = (extraConfig: string, args: Partial<PlainArgs> = {}) =>
    validate(makeSpec({ ...args, broker: { ...args.broker, extraConfig } })).map(
        ({ property, reason }) => `${property}: ${reason}`,
    );
const LIMITS = { resources: { limits: { cpu: "4" } } };
const PROPERTIES = `
[[resource.config]]
hosts = "lammps-[0-1]"
properties = ["debug"]
[queues.debug]
requires = ["debug"]
[queues.batch]
[policy.jobspec.defaults.system]
queue = "batch"
duration = "1h"
`;

describe("broker.extraConfig", () => {
    it("is a file beside broker.toml, byte by byte", () => {
        const spec = makeSpec({ broker: { extraConfig: PROPERTIES }, ...LIMITS });
        const files = configFiles(spec);
        assert.equal(files["added.toml"], PROPERTIES);
        const folder = mounts(spec, files).find(({ mountPath }) => mountPath === "/etc/flux/config");
        assert.deepEqual(folder?.volume["configMap"].items, [
            { key: "broker.toml", path: "broker.toml" },
            { key: "added.toml", path: "added.toml" },
        ]);
    });

    it("comes before broker.toml, whose values Flux takes", () => {
        const [first] = Object.keys(configFiles(makeSpec({ broker: { extraConfig: "" } })));
        assert.equal(first, "added.toml");
    });

    it("adds its properties of hosts to the resources in broker.toml, because Flux doesn't merge lists", () => {
        assert.deepEqual(problemsOf(PROPERTIES, LIMITS), []);
        const text = brokerConfig(makeSpec({ broker: { extraConfig: PROPERTIES }, ...LIMITS }));
        // As plain objects, because the parser's objects have no prototype.
        assert.deepEqual(JSON.parse(JSON.stringify(parse(text)["resource"])), {
            noverify: true,
            config: [
                { hosts: "lammps-[0-3]", cores: "0-3" },
                { hosts: "lammps-[0-1]", properties: ["debug"] },
            ],
        });
    });

    const allowed: [string, string, Partial<PlainArgs>?][] = [
        ["settings of a scheduler", '[sched-fluxion-qmanager]\nqueue-policy = "easy"'],
        [
            "further keys of a table that broker.toml has",
            '[tbon]\ntorpid_max = "30s"\n[resource]\nexclude = "lammps-3"',
        ],
        ["a value that broker.toml has too", '[tbon]\ntorpid_min = "2s"'],
        [
            "properties of several hosts",
            "[[resource.config]]\nhosts = 'lammps-[0,2-3],lammps-1'\nproperties = ['a']",
            LIMITS,
        ],
        ["a choice of modules", '[modules.alternatives]\nsched = "sched-backfill"'],
        ["a checkpoint period in an ephemeral cluster", '[kvs]\ncheckpoint-period = "1m"'],
    ];
    for (const [what, text, args] of allowed) {
        it(`may have ${what}`, () => {
            assert.deepEqual(problemsOf(text, args), []);
        });
    }

    const own = (key: string, cure = "Remove it.") =>
        `broker.extraConfig: sets ${key}, which MiniCluster sets itself. ${cure}`;
    const refused: [string, string, string, Partial<PlainArgs>?][] = [
        ["the hosts", "[[bootstrap.hosts]]\nhost = 'a'", own("bootstrap.hosts")],
        ["all of bootstrap", "bootstrap = 1", own("bootstrap")],
        ["a topology", "tbon.topo = 'kary:2'", own("tbon.topo", "Use broker.topology.")],
        [
            "a connection timeout",
            "tbon.connect_timeout = '1s'",
            own("tbon.connect_timeout", "Use broker.connectTimeout."),
        ],
        ["another value than broker.toml", "[tbon]\ntorpid_min = '9s'", own("tbon.torpid_min")],
        ["a value in place of a table", "tbon = 3", own("tbon", "Use broker.connectTimeout.")],
        [
            "a checkpoint period in a persistent cluster",
            "[kvs]\ncheckpoint-period = '1m'",
            own("kvs.checkpoint-period"),
            { command: [] },
        ],
        ["a file of resources", "resource.path = '/R'", own("resource.path", "Use cores.")],
        [
            "resources that Flux detects",
            "[[resource.config]]\nhosts = 'lammps-0'\nproperties = ['a']",
            "broker.extraConfig: sets resource.config, but the pods find their cores themselves. Give cores or resources.requests.cpu.",
        ],
        [
            "cores of a host",
            "[[resource.config]]\nhosts = 'lammps-0'\ncores = '0-7'",
            own("resource.config[0].cores", "Use cores or gpus."),
            LIMITS,
        ],
        ...["other-0", "lammps-4", "lammps-[0-4]", "lammps-0,other-1", "lammps", ""].map(
            (hosts): [string, string, string, Partial<PlainArgs>] => [
                `the hosts "${hosts}"`,
                `[[resource.config]]\nhosts = '${hosts}'\nproperties = ['a']`,
                `broker.extraConfig: has resource.config[0].hosts = "${hosts}", which are not hosts of the cluster. They are "lammps-[0-3]".`,
                LIMITS,
            ],
        ),
        [
            "a scheduler that broker.scheduler names",
            "[modules.alternatives]\nsched = 'sched-fifo'",
            own("modules.alternatives.sched"),
            { broker: { scheduler: "sched-simple" } },
        ],
        [
            "a queue whose name no script can pass on",
            '[queues."a b"]\n[policy.jobspec.defaults.system]\nqueue = "a b"',
            "broker.extraConfig: has the queue \"a b\". Use letters, digits, '-' and '_' for a queue's name.",
        ],
        [
            "a text that isn't TOML",
            "[queues\n",
            "broker.extraConfig: isn't TOML: line 1, column 8: illegal character in key. Correct it.",
        ],
        [
            "anything beside a whole broker.toml",
            "",
            "broker.extraConfig: is given together with broker.config, which is the whole broker.toml. Write all of it there.",
            { broker: { config: "[tbon]" } },
        ],
    ];
    for (const [what, text, problem, args] of refused) {
        it(`may not have ${what}`, () => {
            assert.deepEqual(problemsOf(text, args), [problem]);
        });
    }
});

describe("the queue of a command", () => {
    const queues = "[queues.debug]\n[queues.batch]\n";
    const cases: [string, Partial<PlainArgs>, string[]][] = [
        ["one that extraConfig has", { fluxQueue: "debug", broker: { extraConfig: queues } }, []],
        [
            "the default one",
            { broker: { extraConfig: `${queues}[policy.jobspec.defaults.system]\nqueue = "batch"` } },
            [],
        ],
        ["any if the user writes broker.toml", { fluxQueue: "debug", broker: { config: "" } }, []],
        ["none for a launcher, which names it itself", { launcher: true, broker: { extraConfig: queues } }, []],
        ["none without a command", { command: [], broker: { extraConfig: queues } }, []],
        [
            "another one",
            { fluxQueue: "gpu", broker: { extraConfig: queues } },
            ['fluxQueue: is "gpu", but broker.extraConfig has the queues batch, debug. Change one of them.'],
        ],
        [
            "any if there are no queues",
            { fluxQueue: "gpu" },
            ['fluxQueue: is "gpu", but the cluster has no queues. Add it to broker.extraConfig, or remove it here.'],
        ],
        [
            "none if there is no default",
            { broker: { extraConfig: "[queues.debug]" } },
            [
                "fluxQueue: is missing, but broker.extraConfig has the queue debug and no default. " +
                    "Give it, or set policy.jobspec.defaults.system.queue there.",
            ],
        ],
    ];
    for (const [what, args, expected] of cases) {
        it(`${expected.length === 0 ? "may be" : "must not be"} ${what}`, () => {
            const problems = validate(makeSpec(args));
            assert.deepEqual(
                problems.map(({ property, reason }) => `${property}: ${reason}`),
                expected,
            );
        });
    }
});

describe("queues.sh", () => {
    let pod: Sandbox;

    afterEach(() => pod.remove());

    const start = async (stub: string) => {
        pod = new Sandbox({ broker: { extraConfig: "[queues.b]\n[queues.a]" } });
        await pod.run("lead", ["x"], { FLUX_STUB: stub });
        return pod.calls.map((words) => words.slice(1).join(" ")).filter((words) => /^(kvs|queue)/.test(words));
    };

    it("starts each queue, because Flux starts new queues stopped", async () => {
        assert.deepEqual(await start('[[ "$1 $2" != "kvs get" ]]'), [
            "kvs get checkpoint.job-manager",
            "queue start --quiet --queue=a",
            "queue start --quiet --queue=b",
        ]);
    });

    it("leaves a queue alone whose state Flux has restored, because an administrator may have stopped it", async () => {
        const checkpoint =
            '{"version":1,"max_jobid":0,"queue":[{"enable":true,"start":false,"name":"a"},{"name":"bb"}]}';
        assert.deepEqual(await start(`[[ "$1 $2" != "kvs get" ]] || echo '${checkpoint}'`), [
            "kvs get checkpoint.job-manager",
            "queue start --quiet --queue=b",
        ]);
    });
});

describe("scheduler.sh", () => {
    let pod: Sandbox;

    afterEach(() => pod.remove());

    function make(scheduler: string, modules: readonly string[]): string {
        pod = new Sandbox({ broker: { scheduler } });
        modules.forEach((file) => pod.write(`modules/${file}`, ""));
        return `if [[ $1 == env ]]; then echo /nothing:${pod.path("modules")}; fi`;
    }
    const loads = () => pod.calls.filter(([, command]) => command === "module").map((words) => words.slice(3));

    it("loads the modules of Fluxion before the command", async () => {
        const files = ["resource", "feasibility", "qmanager"].map((name) => `sched-fluxion-${name}.so`);
        const stub = make("fluxion", files);
        const { code, stderr } = await pod.run("lead", ["x"], { FLUX_STUB: stub });
        assert.deepEqual([code, stderr], [0, ""]);
        assert.deepEqual(loads().slice(0, 3), [
            [pod.path("modules/sched-fluxion-resource.so"), "load-allowlist=node,core,gpu"],
            [pod.path("modules/sched-fluxion-feasibility.so"), "load-allowlist=node,core,gpu"],
            [pod.path("modules/sched-fluxion-qmanager.so")],
        ]);
    });

    it("does without a module that older versions of Fluxion don't have", async () => {
        const stub = make("fluxion", ["sched-fluxion-resource.so", "sched-fluxion-qmanager.so"]);
        await pod.run("scheduler", ["load"], { FLUX_STUB: stub });
        assert.equal(loads().length, 2);
    });

    it("loads a module in Python", async () => {
        const stub = make("sched-backfill", ["sched-backfill.py"]);
        await pod.run("scheduler", ["load"], { FLUX_STUB: stub });
        assert.deepEqual(loads(), [[pod.path("modules/sched-backfill.py")]]);
    });

    it("ends the start with one sentence if the image doesn't have the scheduler", async () => {
        const stub = make("fluxion", []);
        const { code, stderr } = await pod.run("start", ["x"], { FLUX_STUB: stub });
        assert.equal(code, 78);
        const said =
            "the image has no scheduler fluxion: there is no module sched-fluxion-resource on Flux' FLUX_MODULE_PATH";
        assert.equal(stderr, `minicluster: ${said}\n`);
        assert.equal(pod.read("dev/termination-log"), `minicluster.error=${said}\n`);
    });

    it("ends the lead with Flux' own words if Flux can't load the scheduler", async () => {
        const stub = make("sched-own", ["sched-own.so"]);
        const failing = `${stub}; if [[ $1 == module ]]; then echo "flux-module: load: bad"; exit 1; fi`;
        const { code, stderr } = await pod.run("lead", ["x"], { FLUX_STUB: failing });
        assert.deepEqual(
            [code, stderr],
            [78, "minicluster: Flux can't load the scheduler sched-own: flux-module: load: bad\n"],
        );
    });

    it("keeps Flux from loading another one, but not the brokers that a job starts", async () => {
        const stub = make("sched-own", ["sched-own.so"]);
        const show = '[[ $1 != run && $1 != broker ]] || echo "$1 ${FLUX_SCHED_MODULE-unset}"';
        const broker = await pod.run("start", ["x"], { FLUX_STUB: `${stub}; ${show}` });
        assert.match(broker.stdout, /^broker none$/m);
        const run = await pod.run("lead", ["x"], { FLUX_STUB: `${stub}; ${show}`, FLUX_SCHED_MODULE: "none" });
        assert.match(run.stdout, /^run unset$/m);
    });
});
