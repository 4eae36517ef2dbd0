import assert from "node:assert/strict";

import { meaningOf, tellingLines } from "../../../../provider/jobStatus/brokerWords";

/** A line of flux-core 0.88 as it stands in a pod's log, or of 0.72 where that differs; and the start of what is said of it. */
const lines: [string, string, RegExp][] = [
    // conf.c
    [
        "TOML that is none",
        "<2>broker.crit[mc-0]: Config file error: /run/flux/config/broker.toml:3: bad key",
        /^The configuration is no TOML .*broker\.config\.$/,
    ],
    [
        "TOML that is none, of 0.72",
        "broker: Config file error: /run/flux/config/broker.toml:1: syntax error",
        /^The configuration is no TOML/,
    ],
    // conf_bootstrap.c
    [
        "a key that Flux does not know",
        "<2>broker.crit[mc-0]: bootstrap: config: initialize: Config file error [bootstrap]: 1 object item(s) left unpacked: default_prt",
        /^The configuration has a key .*broker\.config\.$/,
    ],
    // resource.c
    [
        "a key of another table",
        "<3>resource.err[0]: error parsing [resource] configuration: 1 object item(s) left unpacked: pth",
        /^The configuration has a key/,
    ],
    [
        "resources that are none",
        "<3>resource.err[0]: error parsing [resource.config] array: config[0]: invalid idset cores='a'",
        /^The table \[resource\] in broker\.config/,
    ],
    [
        "resources that are missing",
        "<3>resource.err[0]: /data/R: unable to open /data/R: No such file or directory on line -1",
        /^A file that the configuration names is not in the pod/,
    ],
    // conf_bootstrap.c
    [
        "a host that is missing",
        "<2>broker.crit[mc-3]: bootstrap: config: initialize: Config file error [bootstrap]: mc-3 not found in hosts",
        /^bootstrap\.hosts in broker\.config has no entry/,
    ],
    // boot_config.c
    [
        "a host that is missing, of 0.72",
        "broker: Config file error [bootstrap]: mc-3 not found in hosts",
        /^bootstrap\.hosts in broker\.config has no entry/,
    ],
    // conf_bootstrap.c
    [
        "a certificate that is not given",
        "<2>broker.crit[mc-0]: bootstrap: config: initialize: Config file error [bootstrap]: curve_cert must be defined for size > 1",
        /without curve_cert/,
    ],
    // boot_config.c
    [
        "a certificate that is not given, of 0.72",
        "broker: Config file error [bootstrap] curve_cert is required for size > 1",
        /without curve_cert/,
    ],
    [
        "no address to bind to",
        "<3>overlay.err[0]: bind URI is undefined for rank 0",
        /^bootstrap in broker\.config does not say where a rank listens/,
    ],
    [
        "no address to bind to, of 0.72",
        "broker: Config file error [bootstrap]: rank 0 missing bind URI",
        /^bootstrap in broker\.config does not say where/,
    ],
    // ovconf.c
    [
        "another mistake in the configuration",
        "<3>overlay.err[0]: Config file error [tbon]: Expected string, got integer",
        /^Flux does not accept the configuration\./,
    ],
    // broker.c, attr.c
    [
        "an attribute that Flux does not know",
        "broker: tbon.fanuot: unknown attribute",
        /^broker\.attributes sets an attribute/,
    ],
    [
        "an attribute that may not be set",
        "broker: rank: attribute may not be set on the command line",
        /^broker\.attributes sets an attribute/,
    ],
    [
        "an attribute that is set twice",
        "broker: hostname: Operation not permitted",
        /^broker\.attributes sets an attribute/,
    ],
    [
        "an attribute that may not be set, of 0.72",
        "broker: setattr rank=2: Operation not permitted",
        /^broker\.attributes sets an attribute/,
    ],
    // overlay.c
    [
        "a certificate for all to read",
        "<3>overlay.err[1]: Error loading certificate: /run/flux/curve.cert: readable by group/other",
        /^Users other than its owner can read/,
    ],
    [
        "a certificate for all to read, of 0.72",
        "broker: /run/flux/curve.cert: readable by group/other",
        /^Users other than its owner can read/,
    ],
    [
        "a certificate that can't be read",
        "<3>overlay.err[1]: Error loading certificate: /mnt/curve: Permission denied",
        /^The broker cannot read the file of the certificate/,
    ],
    [
        "a certificate that isn't there, of 0.72",
        "broker: /etc/curve/curve.cert: No such file or directory",
        /^The broker cannot read the file of the certificate/,
    ],
    [
        "a certificate that is none",
        "<3>overlay.err[0]: Error loading certificate: /run/flux/curve.cert: Invalid argument",
        /^The certificate is damaged or no CURVE certificate/,
    ],
    // overlay.c with log.c
    [
        "a certificate that is none, of 0.72",
        "broker: /run/flux/curve.cert: Invalid argument",
        /^The certificate is damaged or no CURVE certificate/,
    ],
    // children.c, monitor.c
    [
        "a follower of another cluster",
        "<3>overlay.err[0]: child sockevent tcp://0.0.0.0:8050 handshake failed protocol: ZMTP cryptographic error",
        /^Two ranks have different certificates/,
    ],
    // zap.c
    ["a key that is not known", "<3>overlay.err[0]: overlay auth No access", /^Two ranks have different certificates/],
    // parent.c, monitor.c
    [
        "a lead of another cluster",
        "<3>overlay.err[1]: parent sockevent tcp://mc-lead:8050 handshake failed: Broken pipe",
        /^The connection to the lead was closed during its handshake/,
    ],
    // children.c
    [
        "a port that is taken",
        "<3>overlay.err[0]: error binding to tcp://*:8050: Address already in use",
        /^Another program has the port of the broker/,
    ],
    // overlay.c
    [
        "a port that is taken, of 0.72",
        "broker: error binding to tcp://*:8050: Address already in use",
        /^Another program has the port of the broker/,
    ],
    [
        "an interface that isn't there",
        "<3>overlay.err[0]: error binding to tcp://eth0:8050: No such device",
        /^The pod has no such address or network interface/,
    ],
    // boot_config.c
    [
        "a lead without an address",
        "<4>overlay.warning[1]: unable to resolve upstream peer mc-0: Name or service not known",
        /^The name of the rank to connect to cannot be resolved/,
    ],
    [
        "a lead without an address, of 0.72",
        "broker: Warning: unable to resolve upstream peer mc-0: Name or service not known",
        /^The name of the rank to connect to/,
    ],
    // overlay.c
    [
        "two versions",
        "<3>overlay.err[1]: overlay.hello: client (0.72.0) version mismatched with server (0.88.0)",
        /^The ranks have different versions of Flux/,
    ],
    [
        "two lists of hosts",
        "<3>overlay.err[0]: rejecting connection from mc-2 (rank 3): mc-3 is configured as rank 3: mismatched config?",
        /^The ranks have different lists of hosts/,
    ],
    // rundir.c, broker.c
    [
        "a folder that can't be made",
        "<2>broker.crit[0]: rundir error creating /run/flux/broker: Read-only file system",
        /^Flux cannot use one of its directories/,
    ],
    [
        "a folder that can't be made, of 0.72",
        "broker: error creating rundir /run/flux/broker : Permission denied",
        /^Flux cannot use one of its directories/,
    ],
    [
        "a folder of another user",
        "<2>broker.crit[0]: statedir /data is not owned by instance owner: Operation not permitted",
        /^Flux cannot use one of its directories/,
    ],
    [
        "a folder that isn't there, of 0.72",
        "broker: cannot stat statedir /data: No such file or directory",
        /^Flux cannot use one of its directories/,
    ],
    [
        "a path that is too long",
        "<2>broker.crit[0]: rundir length of 120 bytes exceeds max 96 to allow for AF_UNIX socket creation.",
        /^The path of the broker's socket is too long/,
    ],
    // broker.c
    [
        "a socket whose path is too long",
        "<2>broker.crit[0]: local-uri length of 130 bytes exceeds max 107 AF_UNIX socket path length",
        /^The path of the broker's socket is too long/,
    ],
    // content-sqlite.c
    [
        "a disk that is full",
        "<3>content-sqlite.err[0]: store: executing stmt: database or disk is full(13)",
        /^A disk of the pod is full/,
    ],
    [
        "a folder that can't be written to",
        "<3>content-sqlite.err[0]: opening /data/content.sqlite: unable to open database file(14)",
        /^Flux cannot use one of its directories/,
    ],
    [
        "a database that is damaged",
        "<3>content-sqlite.err[0]: creating object table: database disk image is malformed(11)",
        /^The content database in statedir is damaged/,
    ],
    // restore.c
    [
        "an archive that is damaged",
        "<3>broker.err[0]: rc1.0: flux-restore: Unrecognized archive format",
        /^Flux cannot restore/,
    ],
    // inventory.c, rlist.c
    [
        "too few ranks in R",
        "<3>resource.err[0]: error reranking R: Number of hosts (4) is greater than node count (2)",
        /^The resource set R has another number of ranks/,
    ],
    [
        "a host that is not in R",
        "<3>resource.err[0]: error reranking R: Host mc-3 not found in resources",
        /^A host of bootstrap\.hosts is not in the resource set R/,
    ],
    // topo.c, rlist.c
    [
        "resources that the pod has not",
        "<3>resource.err[1]: draining: rank 1 (mc-1) missing resources: core[2-3]",
        /^The resource set R does not describe/,
    ],
    // module_dso.c
    [
        "a library that is missing",
        "<3>broker.err[0]: rc1.0: flux-modprobe: ERROR: libsqlite3.so.0: cannot open shared object file: No such file or directory",
        /^The image lacks a library/,
    ],
    // flux-modprobe.py
    [
        "a Python module that is missing",
        "<3>broker.err[0]: rc1.0: ModuleNotFoundError: No module named '_cffi_backend'",
        /^The image lacks a Python module/,
    ],
    [
        "a Python module that a command of Flux needs",
        "flux-keygen: No module named 'yaml'",
        /^The image lacks a Python module/,
    ],
    // sign_munge.c of flux-security
    [
        "MUNGE that is missing",
        'sign-munge-sign: Failed to access "/run/munge/munge.socket.2": No such file or directory',
        /^Flux is built to sign jobs with MUNGE/,
    ],
    // runat.c
    [
        "a start that failed",
        "<3>broker.err[0]: rc1.0: /usr/bin/flux modprobe rc1 Exited (rc=1) 0.3s",
        /^The start-up program of Flux, rc1, failed/,
    ],
];

describe("meaningOf", () => {
    for (const [what, line, expected] of lines) {
        it(`knows ${what}`, () => assert.match(meaningOf(`${line}\n`) ?? "nothing", expected));
    }

    it("says in every sentence something that one can do, and ends it", () => {
        for (const [, line] of lines) {
            assert.match(meaningOf(line) ?? "", /^[^.]+.*\w\.$/);
        }
    });

    const healthy = [
        "<6>broker.info[0]: start: none->join 0.4ms",
        "<6>broker.info[0]: rc1.0: /usr/bin/flux modprobe rc1 Exited (rc=0) 0.3s",
        "<6>broker.info[0]: rc1.0: restoring content from /var/lib/flux/state/dump/RESTORE",
        "<3>broker.err[0]: rc1.0: flux-restore: restored 120 keys (300 blobs)",
        "<3>broker.err[0]: quorum delayed: waiting for mc-[1-2] (rank 1-2)",
        "<6>job-manager.info[0]: restart: 0 jobs",
        "minicluster: broker ended with 1, starting it again in 200 ms",
    ];
    const ofOthers = [
        "flux-broker: chown: Operation not permitted",
        "ModuleNotFoundError: No module named 'numpy'",
        "my-tool: No module named yaml",
    ];
    for (const line of [...healthy, ...ofOthers]) {
        it(`knows nothing of "${line}"`, () => assert.equal(meaningOf(line), undefined));
    }

    const [, toml] = lines[0];
    const port = "<3>overlay.err[0]: error binding to tcp://*:8050: Address already in use";
    const rc1 = "<3>broker.err[0]: rc1.0: /usr/bin/flux modprobe rc1 Exited (rc=1) 0.3s";

    it("takes the last of several lines that tell, which is of the broker's last life", () => {
        assert.match(
            meaningOf([toml, port, "<6>broker.info[0]: exited"].join("\n")) ?? "",
            /^Another program has the port/,
        );
        assert.match(meaningOf([port, toml].join("\n")) ?? "", /^The configuration is no TOML/);
    });

    it("takes a failed rc1 for the cause only where nothing else is known", () => {
        assert.match(meaningOf([port, rc1].join("\n")) ?? "", /^Another program has the port/);
        assert.match(meaningOf(rc1) ?? "", /^The start-up program/);
    });

    it("quotes nothing of the log, which may be secret", () => {
        for (const [what, line] of lines) {
            const words = line.match(/[\w/.-]*(mc-\d|\/run\/|\/data|default_prt|fanuot)[\w/.-]*/g) ?? [];
            assert.deepEqual(
                words.filter((word) => meaningOf(line)?.includes(word)),
                [],
                what,
            );
        }
    });
});

describe("tellingLines", () => {
    it("leaves out what a broker says where all is well, and its supervisor's notices", () => {
        const log = [
            "<6>broker.info[1]: start: none->join 0.4ms",
            "Nov 22 10:00:00.123456 UTC 2026 broker.debug[1]: insmod connector-local",
            "my hook says this",
            "",
            "<3>overlay.err[1]: overlay.hello: Invalid argument",
            "<3>broker.err[1]: rc3.0: flux modprobe rc3 Exited (rc=1) 0.6s",
            "<3>overlay.err[1]: cannot send overlay.goodbye because overlay.hello is still in progress",
            "minicluster: broker ended with 1, starting it again in 200 ms",
        ];
        assert.deepEqual(tellingLines(log.join("\n")), [
            "my hook says this",
            "<3>overlay.err[1]: overlay.hello: Invalid argument",
        ]);
    });

    it("shows each line once, in the order in which it came last", () => {
        const at = (second: number, text: string) => `Nov 22 10:00:0${second}.123456 UTC 2026 ${text}`;
        const log = [at(1, "broker.err[1]: a"), at(2, "broker.err[1]: b"), at(3, "broker.err[1]: a"), "c", "c"];
        assert.deepEqual(tellingLines(log.join("\n")), [at(2, "broker.err[1]: b"), at(3, "broker.err[1]: a"), "c"]);
    });

    it("shows everything of a log that has nothing else", () => {
        assert.deepEqual(tellingLines("<6>broker.info[1]: start: none->join 0.4ms\n"), [
            "<6>broker.info[1]: start: none->join 0.4ms",
        ]);
    });
});
