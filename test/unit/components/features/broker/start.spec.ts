import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, statSync } from "node:fs";

import { parse } from "smol-toml";

import type { PlainArgs } from "../../../../../components/args";
import { Sandbox } from "../../../support/sandbox";

describe("start.sh", () => {
    let pod: Sandbox;

    afterEach(() => pod.remove());

    const make = (args: Partial<PlainArgs> = {}, rank = 0, secretNames: string[] = []) => {
        pod = new Sandbox(args, rank, secretNames);
        // A supervisor that records its words, and runs the broker only if it would never restart it.
        const show = `printf '%s\\0' supervise "$@" >"$SANDBOX/supervised"; printenv >"$SANDBOX/env"`;
        pod.write("etc/flux-minicluster/supervise.sh", `${show}; [ "$1" != never ] || { shift; exec "$@"; }`);
        return pod;
    };
    const supervised = () => pod.read("supervised").split("\0").slice(0, -1);
    const podToml = () => JSON.parse(JSON.stringify(parse(pod.read("run/flux/config/pod.toml"))));

    describe("on the lead of an ephemeral cluster", () => {
        it("runs a broker whose initial program is the command", async () => {
            const words = ["sh", "-c", "echo '$HOME'\n *", ""];
            const { code, stderr } = await make().run("start", words);
            assert.deepEqual([code, stderr], [0, ""]);
            const run = pod.path("run/flux");
            assert.deepEqual(pod.calls, [
                [
                    "flux",
                    "broker",
                    "-c",
                    `${run}/config`,
                    `-Srundir=${run}/broker`,
                    `-Slocal-uri=local://${run}/broker/local`,
                    `-Sstatedir=${pod.path("var/lib/flux/state")}`,
                    "-Sbroker.quorum=4",
                    "-Sbroker.shutdown-timeout=30s",
                    "-Slog-stderr-mode=local",
                    "-Slog-stderr-level=3",
                    `-Sconf.shell_initrc=${pod.path("run/flux/rc/initrc.lua")}`,
                    "bash",
                    pod.path("etc/flux-minicluster/lead.sh"),
                    ...words,
                ],
            ]);
        });

        it("runs the broker by exec, for signals and the exit code", async () => {
            const running = make().start("start", ["x"], { FLUX_STUB: "echo $$; exit 7" });
            assert.deepEqual(await running.ended, { code: 7, stdout: `${running.pid}\n`, stderr: "" });
        });

        it("has the supervisor never restart the broker", async () => {
            await make().run("start", ["x"]);
            assert.deepEqual(supervised().slice(0, 4), ["supervise", "never", "flux", "broker"]);
            assert.deepEqual(supervised().slice(-3), ["bash", pod.path("etc/flux-minicluster/lead.sh"), "x"]);
        });
    });

    it("has the supervisor restart the lead of a persistent cluster after a failure", async () => {
        await make({ command: [] }).run("start");
        assert.deepEqual(supervised().slice(0, 2), ["supervise", "failure"]);
        assert.deepEqual(supervised().slice(-2), ["bash", pod.path("etc/flux-minicluster/lead.sh")]);
    });

    it("has the supervisor always restart followers, and gives them no initial program", async () => {
        await make({}, 3).run("start", ["hostname"]);
        assert.deepEqual(supervised().slice(0, 2), ["supervise", "always"]);
        assert.match(supervised().at(-1) ?? "", /^-Sconf\.shell_initrc=/);
    });

    it("fails without a completion index, which every pod of an Indexed Job has", async () => {
        const { code, stderr } = await make().run("start", [], { JOB_COMPLETION_INDEX: "" });
        assert.equal(code, 1);
        assert.match(stderr, /JOB_COMPLETION_INDEX: is set by Kubernetes in the pods of an Indexed Job/);
    });

    it("passes broker attributes unchanged", async () => {
        await make({
            broker: { attributes: { "content.blob-size-limit": "1G", "a.b": "two words * $HOME" }, logLevel: 6 },
        }).run("start", ["x"]);
        const [broker] = pod.calls;
        assert.ok(broker.includes("-Slog-stderr-level=6"));
        assert.ok(broker.includes("-Scontent.blob-size-limit=1G"));
        assert.ok(
            broker.some((word) => word.startsWith("-Sa.b=two words * $")),
            broker.join(" "),
        );
    });

    it("removes the marks that an earlier container of its pod has left", async () => {
        const told = ["archive.restored", "ended", "leaving", "quorum", "ready"];
        make();
        told.forEach((name) => pod.write(`run/flux/${name}`, ""));
        await pod.run("start", ["x"]);
        assert.deepEqual(
            told.filter((name) => pod.has(`run/flux/${name}`)),
            [],
        );
    });

    it("tells the broker its host name if the pod has the node's", async () => {
        // Flux before 0.82 knows only the variable.
        const stub = { FLUX_STUB: 'echo "${FLUX_FAKE_HOSTNAME-none}"' };
        const named = await make({ hostNetwork: true }, 0).run("start", ["x"], stub);
        assert.deepEqual([pod.calls[0].includes("-Shostname=lammps-0"), named.stdout], [true, "lammps-0\n"]);
        pod.remove();
        const other = await make().run("start", ["x"], stub);
        assert.deepEqual([pod.calls[0].some((word) => word.startsWith("-Shostname")), other.stdout], [false, "none\n"]);
    });

    for (const [asked, begun] of [
        [0, 3],
        [2, 3],
        [3, 3],
        [7, 7],
    ]) {
        it(`starts the broker with log level ${begun} if ${asked} is given, so that it says why it can't join`, async () => {
            await make({ broker: { logLevel: asked } }).run("start", ["x"]);
            assert.ok(pod.calls[0].includes(`-Slog-stderr-level=${begun}`), pod.calls[0].join(" "));
        });
    }

    describe("for probes and commands in the pod", () => {
        const names = ["PATH", "LD_LIBRARY_PATH", "PYTHONPATH"];
        /** The recorded variables as a plain shell reads them, whose own variables differ. */
        function found(): string[] {
            const script = `PATH=/wrong; . "$1"; shift; for name; do eval "value=\\\${$name-unset}"; printf '%s|' "$value"; done`;
            const { stdout } = spawnSync("/bin/sh", ["-c", script, "sh", pod.path("run/flux/paths.env"), ...names], {
                encoding: "utf8",
                env: {},
            });
            return stdout.split("|").slice(0, -1);
        }

        const nasty = "/a b/'c'/\"d\"/$HOME/`id`/\\/*\n/ü''";

        it("records Flux's paths as the pre hook leaves them", async () => {
            make().write("etc/flux-minicluster/hook-pre.sh", 'export PATH="$PATH:$NASTY" LD_LIBRARY_PATH="$NASTY"\n');
            await pod.run("start", ["x"], { NASTY: nasty });
            assert.deepEqual(found(), [`${pod.variables.PATH}:${nasty}`, nasty, "unset"]);
        });

        it("records Flux's paths with the folder of a view", async () => {
            await make({ view: { image: "flux" } }).run("start", ["x"]);
            assert.deepEqual(found(), [`${pod.variables.PATH}:/opt/view/bin`, "unset", "unset"]);
        });

        it("lets only its own user read Flux's paths", async () => {
            await make().run("start", ["x"]);
            assert.equal(statSync(pod.path("run/flux/paths.env")).mode & 0o777, 0o600);
        });

        it("records Flux's paths before the last hooks and after them", async () => {
            make().write(
                "etc/flux-minicluster/hook-lead.sh",
                'cp "$MINICLUSTER_RUN/paths.env" "$SANDBOX/then"; export PYTHONPATH=late\n',
            );
            await pod.run("start", ["x"], { PYTHONPATH: "early" });
            assert.match(pod.read("then"), /PYTHONPATH='early'/);
            assert.equal(found()[2], "late");
        });
    });

    it("hides FLUX_URI from the broker, which would take it for its parent's address", async () => {
        await make().run("start", ["x"], { FLUX_STUB: 'echo "uri:${FLUX_URI-unset}"', FLUX_URI: "local://x" });
        assert.deepEqual(pod.calls.length, 1);
        const { stdout } = await pod.run("start", ["x"], {
            FLUX_STUB: 'echo "uri:${FLUX_URI-unset}"',
            FLUX_URI: "local://x",
        });
        assert.equal(stdout, "uri:unset\n");
    });

    describe("for the broker's configuration", () => {
        it("combines the ConfigMap's file and the pod's settings in one folder", async () => {
            await make().run("start", ["x"]);
            assert.equal(pod.read("run/flux/config/broker.toml"), "[tbon]\n");
            assert.deepEqual(podToml(), {
                bootstrap: { curve_cert: pod.path("run/flux/curve.cert") },
                resource: { noverify: true },
                "sched-fluxion-qmanager": { "queue-policy": "easy" },
            });
        });

        it("writes it again after a restart of its container", async () => {
            await make().run("start", ["x"]);
            assert.equal((await pod.run("start", ["x"])).code, 0);
        });

        it("enables IPv6 if the lead's address is one of IPv6", async () => {
            make().write("etc/hosts", "::1 localhost\n# Entries added by HostAliases.\nfd00::7\tother\tlammps-lead\n");
            await pod.run("start", ["x"]);
            assert.equal(podToml().bootstrap.enable_ipv6, true);
        });

        it("doesn't enable IPv6 if only other hosts have such addresses", async () => {
            make().write("etc/hosts", "fe00::0\tip6-localnet\nfd00::8\tlammps-lead-2\n10.96.0.7\tlammps-lead\n");
            await pod.run("start", ["x"]);
            assert.ok(!("enable_ipv6" in podToml().bootstrap));
        });

        it("makes a private copy of a certificate that others can read", async () => {
            chmodSync(make().path("etc/curve/curve.cert"), 0o440);
            await pod.run("start", ["x"]);
            assert.equal(podToml().bootstrap.curve_cert, pod.path("run/flux/curve.cert"));
            assert.equal(pod.read("run/flux/curve.cert"), "the key");
            assert.equal(statSync(pod.path("run/flux/curve.cert")).mode & 0o777, 0o400);
        });

        it("adds the resources of all ranks on the lead of an elastic cluster", async () => {
            const elastic = { size: 2, maxSize: 4, command: [] };
            await make(elastic).run("start", [], { FLUX_STUB: '[ "$1" != R ] || echo {}' });
            const encode = pod.calls.filter(([, , verb]) => verb === "encode").at(-1);
            assert.deepEqual(encode?.slice(3), ["--hosts=lammps-[0-3]", "--local"]);
            assert.deepEqual(podToml().resource, { path: pod.path("run/flux/R"), noverify: true });
            assert.equal(pod.read("run/flux/R"), "{}\n");
            pod.remove();
            await make(elastic, 1).run("start");
            // The follower may have fewer cores than the lead, by which all ranks are described.
            assert.deepEqual([pod.calls, podToml().resource], [[], { noverify: true }]);
        });

        for (const setting of ['queue-policy = "fcfs"', 'queue-policy-per-queue = "batch:fcfs"']) {
            it(`leaves Fluxion the policy of the user: ${setting}`, async () => {
                make().write("etc/flux/config/added.toml", `[sched-fluxion-qmanager]\n${setting}\n`);
                await pod.run("start", ["x"]);
                assert.equal(podToml()["sched-fluxion-qmanager"], undefined);
            });
        }

        it("fails if the resources can't be found out", async () => {
            const { code } = await make({ size: 2, maxSize: 4, command: [] }).run("start", [], { FLUX_STUB: "exit 5" });
            assert.equal(code, 5);
            assert.equal(pod.has("supervised"), false);
        });
    });

    describe("with hooks", () => {
        const hook = (name: string, text = `echo ${name} >>"$SANDBOX/hooks"`) =>
            pod.write(`etc/flux-minicluster/hook-${name}.sh`, `${text}\n`);
        const all = () => ["init", "pre", "lead", "worker"].forEach((name) => hook(name));

        it("runs init, pre and lead in this order on the lead, before the broker", async () => {
            make();
            all();
            await pod.run("start", ["x"], { FLUX_STUB: 'echo broker >>"$SANDBOX/hooks"' });
            assert.equal(pod.read("hooks"), "init\npre\nlead\nbroker\n");
        });

        it("runs init, pre and worker in this order on a follower", async () => {
            make({}, 1);
            all();
            await pod.run("start");
            assert.equal(pod.read("hooks"), "init\npre\nworker\n");
        });

        it("runs init before it writes the configuration, and pre after that", async () => {
            make();
            hook("init", '[ ! -e "$MINICLUSTER_RUN/config/pod.toml" ]');
            hook("pre", '[ -e "$MINICLUSTER_RUN/config/pod.toml" ]');
            assert.equal((await pod.run("start", ["x"])).code, 0);
        });

        it("passes the variables that they export to the broker", async () => {
            make();
            hook("lead", "export FROM_HOOK=yes");
            const { stdout } = await pod.run("start", ["x"], { FLUX_STUB: 'echo "$FROM_HOOK"' });
            assert.equal(stdout, "yes\n");
        });

        const declared: [string, string, Record<string, string>][] = [
            ["declare -x", 'declare -x FROM_HOOK="yes"', { FROM_HOOK: "yes" }],
            ["typeset -x", "typeset -x FROM_HOOK=yes", { FROM_HOOK: "yes" }],
            [
                "export of a name that the script has had",
                "export file=a name=b rest=c",
                { file: "a", name: "b", rest: "c" },
            ],
            [
                "an environment that export -p has saved",
                "export -p | sed s/xyzzy/yes/ >saved; source ./saved",
                { SAVED: "yes" },
            ],
        ];
        for (const when of ["init", "pre", "lead"]) {
            for (const [how, text, expected] of declared) {
                it(`passes variables to the broker that ${when} sets by ${how}`, async () => {
                    make();
                    hook(when, text);
                    const { code, stderr } = await pod.run("start", ["x"], { SAVED: "xyzzy" });
                    assert.deepEqual([code, stderr], [0, ""]);
                    const passed = pod.read("env").split("\n");
                    const lines = Object.entries(expected).map(([name, value]) => `${name}=${value}`);
                    assert.deepEqual(
                        lines.filter((line) => !passed.includes(line)),
                        [],
                    );
                });
            }
        }

        const masks: [string, string, string, string][] = [
            ["022 if no hook sets one", "umask >/dev/null; umask -S >/dev/null", "true", "0022"],
            ["that init has set", "umask 002", "true", "0002"],
            ["that is the one of the hooks", "umask 077", "true", "0077"],
            ["that the last hook has set", "umask u=rwx,g=rwx,o=", "umask 027", "0027"],
            ["022 if only a subshell of a hook sets one", "(umask 002)", "true", "0022"],
        ];
        for (const [what, init, lead, expected] of masks) {
            it(`gives the broker the umask ${what}`, async () => {
                make();
                hook("init", init);
                hook("lead", `umask >"$SANDBOX/before"; ${lead}`);
                const { code, stdout } = await pod.run("start", ["x"], { FLUX_STUB: "umask" });
                assert.deepEqual([code, stdout], [0, `${expected}\n`]);
                // A hook has the umask of an earlier one, and the files of the script are private.
                const before = /^umask ([0-9]+)$/.exec(init)?.[1] ?? (init.includes("g=rwx") ? "007" : "077");
                assert.equal(pod.read("before"), `0${before}\n`);
                assert.equal(statSync(pod.path("run/flux/paths.env")).mode & 0o777, 0o600);
            });
        }

        it("keeps the words of the command if a hook sets its own arguments", async () => {
            make();
            hook("pre", "set -- a b c");
            await pod.run("start", ["x", "", "y z"]);
            assert.deepEqual(supervised().slice(-3), ["x", "", "y z"]);
        });

        for (const [what, text] of [
            ["switches off errexit and nounset", "set +eu"],
            ["sets a trap", "trap 'echo trapped; exit 5' EXIT ERR"],
        ]) {
            it(`still stops at a failing hook after one that ${what}`, async () => {
                make();
                hook("pre", text);
                hook("lead", "false");
                const { code, stdout } = await pod.run("start", ["x"]);
                assert.deepEqual([code, stdout, pod.calls], [1, "", []]);
            });
        }

        it("splits words as before after one that changes IFS and globbing", async () => {
            make({}, 0);
            hook("init", "IFS=$'\\n'; set -f");
            const { code, stderr } = await pod.run("start", ["x"]);
            assert.deepEqual([code, stderr], [0, ""]);
            assert.match(pod.read("run/flux/shell/rank.lua"), /"HOSTNAME", "lammps-0", 1\).*\n.*JOB_COMPLETION_INDEX/);
        });

        it("tolerates unset variables and failing pipelines in them", async () => {
            make();
            hook("pre", 'echo "$NOT_SET" | false | true');
            assert.equal((await pod.run("start", ["x"])).code, 0);
        });

        it("isn't affected by the names of their variables", async () => {
            make({ size: 3 });
            const names = [
                "index",
                "run",
                "config",
                "options",
                "restart",
                "name",
                "file",
                "attribute",
                "address",
                "names",
            ];
            for (const when of ["init", "pre", "lead"]) {
                hook(when, names.map((name) => `${name}=clobbered; export ${name}`).join("\n"));
            }
            hook("lead", `${names.map((name) => `declare -r ${name}`).join("\n")}\nreadonly text value folder`);
            const { code, stderr } = await pod.run("start", ["x"]);
            assert.deepEqual([code, stderr], [0, ""]);
            assert.ok(!pod.calls[0].some((word) => word.includes("clobbered")), pod.calls[0].join(" "));
        });
    });
});
