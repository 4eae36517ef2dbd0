import assert from "node:assert/strict";

import { convert } from "./support";

/** Paths that only the operator's pods have. */
describe("path in the operator's resource", () => {
    const own: [string, Record<string, any>, object, string][] = [
        [
            "in a hook",
            {},
            { commands: { pre: "set -e\n. /mnt/flux/flux-view.sh; flux resource list" } },
            "spec.containers[0].commands.pre: names /mnt/flux/flux-view.sh, which only the operator's pods have; remove it: PATH and FLUX_URI are set in the pods.",
        ],
        [
            "in a command",
            {},
            { command: "flux proxy local:///mnt/flux/config/run/flux/local bash", launcher: true },
            "spec.containers[0].command: names /mnt/flux/config/run/flux/local, which only the operator's pods have; " +
                "the socket is local:///run/flux/broker/local, and FLUX_URI names it already.",
        ],
        [
            "in a script",
            {},
            { commands: { script: "cat /flux_operator/wait-0.sh" } },
            "spec.containers[0].commands.script: names /flux_operator/wait-0.sh, which only the operator's pods have; " +
                "remove it: command and hooks are the arguments for scripts.",
        ],
        [
            "in a variable",
            {},
            { environment: { PYTHONPATH: "/opt/mine:/mnt/flux/view/lib/python3.11/site-packages" } },
            "spec.containers[0].environment.PYTHONPATH: names /mnt/flux/view/lib/python3.11/site-packages, which only the operator's pods have; " +
                "Flux is in the directories of view, /opt/view and /opt/software, or where the image has it.",
        ],
        [
            "in a variable of Flux",
            { flux: { environment: { A: "/home/flux-operator/.cache" } } },
            {},
            "spec.flux.environment.A: names /home/flux-operator/.cache, which only the operator's pods have; use $HOME.",
        ],
        [
            "as the mount path of a volume",
            {},
            { volumes: { keys: { path: "/mnt/flux/config/curve", secretName: "keys" } } },
            "spec.containers[0].volumes.keys.path: names /mnt/flux/config/curve, which only the operator's pods have; " +
                "the certificate is /run/flux/curve.cert, and broker.config needs no curve_cert.",
        ],
        [
            "in another container",
            {
                containers: [{ image: "b:1", name: "web", command: "tail /curve/curve.cert" }],
            },
            {},
            "spec.containers[1].command: names /curve/curve.cert, which only the operator's pods have; " +
                "the certificate is /run/flux/curve.cert, and broker.config needs no curve_cert.",
        ],
    ];
    for (const [where, spec, container, expected] of own) {
        it(`gets a warning ${where}, which names the replacement`, () =>
            assert.deepEqual(convert(spec, container).warnings, [expected]));
    }

    const quoted = ['cat "/curve"', "cat '/curve/curve.cert'", "X=/etc/flux/system/R", 'open(f"/mnt/flux/a")'];
    for (const text of quoted) {
        it(`finds the path in ${text}`, () =>
            assert.equal(convert({}, { commands: { pre: text } }).warnings.length, 1));
    }

    it("warns about each one in a broker configuration, with each cure only once", () => {
        const config = [
            "[resource]",
            'path = "/mnt/flux/config/etc/flux/system/R"',
            "[bootstrap]",
            'curve_cert = "/mnt/flux/config/curve/curve.cert"',
            'default_bind = "tcp://eth0:%p"',
            "[archive]",
            'dbpath = "/mnt/flux/config/var/lib/flux/job-archive.sqlite"',
            'second = "/mnt/flux/config/var/lib/flux"',
        ];
        const warnings = convert({ flux: { brokerConfig: config.join("\n") } }).warnings;
        assert.match(warnings[0], /^spec\.flux\.brokerConfig: is copied to broker.config; its paths and host names/);
        assert.deepEqual(
            warnings.slice(1).map((warning) => /names (\S+), which .*; (.*)\.$/.exec(warning)?.slice(1)),
            [
                [
                    "/mnt/flux/config/etc/flux/system/R",
                    "remove resource.path: cores and the resources say what a rank has",
                ],
                [
                    "/mnt/flux/config/curve/curve.cert",
                    "the certificate is /run/flux/curve.cert, and broker.config needs no curve_cert",
                ],
                ["/mnt/flux/config/var/lib/flux/job-archive.sqlite", "the lead's state is in /var/lib/flux/state"],
            ],
        );
    });

    const others: [string, object][] = [
        [
            "that only start alike",
            {
                environment: {
                    A: "/mnt/fluxion /mnt/flux-data /data/mnt/flux /flux_operators /etc/curve/curve.cert",
                },
            },
        ],
        [
            "after a variable or a command's output",
            { commands: { pre: 'ls ${A}/curve $(pwd)/curve "$D"/etc/flux/system/R "${D}"/curve ~/curve' } },
        ],
        ["in folders that other pods have as well", { commands: { pre: "ls /curve/data /etc/flux/system/x" } }],
        ["on a node", { volumes: { data: { path: "/data", hostPath: "/mnt/flux" } } }],
        [
            "that this cluster's pods have as well",
            { commands: { pre: "ls /opt/view /opt/software /run/flux/broker /etc/flux/config" } },
        ],
    ];
    for (const [what, container] of others) {
        it(`doesn't warn about paths ${what}`, () => assert.deepEqual(convert({}, container).warnings, []));
    }
});
