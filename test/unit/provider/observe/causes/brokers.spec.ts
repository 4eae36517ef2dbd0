import assert from "node:assert/strict";

import { meaningOf, tellingLines } from "../../../../../provider/observe/causes/brokers";

/** A line of a pod's log, of flux-core 0.88 or of 0.72 if that differs, and the start of its explanation. */
const lines: [string, string, RegExp][] = [
    // conf.c
    [
        "invalid TOML",
        "<2>broker.crit[mc-0]: Config file error: /run/flux/config/broker.toml:3: bad key",
        /^The configuration is not valid TOML .*broker\.config\.$/,
    ],
    [
        "invalid TOML, of 0.72",
        "broker: Config file error: /run/flux/config/broker.toml:1: syntax error",
        /^The configuration is not valid TOML/,
    ],
    // conf_bootstrap.c
    [
        "an unknown key",
        "<2>broker.crit[mc-0]: bootstrap: config: initialize: Config file error [bootstrap]: 1 object item(s) left unpacked: default_prt",
        /^The configuration has a key .*broker\.config\.$/,
    ],
    // resource.c
    [
        "an unknown key of another table",
        "<3>resource.err[0]: error parsing [resource] configuration: 1 object item(s) left unpacked: pth",
        /^The configuration has a key/,
    ],
    [
        "invalid resources",
        "<3>resource.err[0]: error parsing [resource.config] array: config[0]: invalid idset cores='a'",
        /^Flux does not accept the table \[resource\] in broker\.config/,
    ],
    [
        "a missing file of resources",
        "<3>resource.err[0]: /data/R: unable to open /data/R: No such file or directory on line -1",
        /^The configuration names a file that is not in the pod/,
    ],
    // conf_bootstrap.c
    [
        "a missing host",
        "<2>broker.crit[mc-3]: bootstrap: config: initialize: Config file error [bootstrap]: mc-3 not found in hosts",
        /^bootstrap\.hosts in broker\.config has no entry/,
    ],
    // boot_config.c
    [
        "a missing host, of 0.72",
        "broker: Config file error [bootstrap]: mc-3 not found in hosts",
        /^bootstrap\.hosts in broker\.config has no entry/,
    ],
    // conf_bootstrap.c
    [
        "a certificate that isn't given",
        "<2>broker.crit[mc-0]: bootstrap: config: initialize: Config file error [bootstrap]: curve_cert must be defined for size > 1",
        /without curve_cert/,
    ],
    // boot_config.c
    [
        "a certificate that isn't given, of 0.72",
        "broker: Config file error [bootstrap] curve_cert is required for size > 1",
        /without curve_cert/,
    ],
    [
        "a missing bind address",
        "<3>overlay.err[0]: bind URI is undefined for rank 0",
        /^bootstrap in broker\.config does not say where a rank listens/,
    ],
    [
        "a missing bind address, of 0.72",
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
    ["an unknown attribute", "broker: tbon.fanuot: unknown attribute", /^broker\.attributes sets an attribute/],
    [
        "an attribute that can't be set",
        "broker: rank: attribute may not be set on the command line",
        /^broker\.attributes sets an attribute/,
    ],
    [
        "an attribute that is set twice",
        "broker: hostname: Operation not permitted",
        /^broker\.attributes sets an attribute/,
    ],
    [
        "an attribute that can't be set, of 0.72",
        "broker: setattr rank=2: Operation not permitted",
        /^broker\.attributes sets an attribute/,
    ],
    // overlay.c
    [
        "a certificate that other users can read",
        "<3>overlay.err[1]: Error loading certificate: /run/flux/curve.cert: readable by group/other",
        /^Flux refuses the certificate because users other than its owner can read/,
    ],
    [
        "a certificate that other users can read, of 0.72",
        "broker: /run/flux/curve.cert: readable by group/other",
        /^Flux refuses the certificate because users other than its owner can read/,
    ],
    [
        "a certificate that can't be read",
        "<3>overlay.err[1]: Error loading certificate: /mnt/curve: Permission denied",
        /^The broker cannot read the file of the certificate/,
    ],
    [
        "a missing certificate, of 0.72",
        "broker: /etc/curve/curve.cert: No such file or directory",
        /^The broker cannot read the file of the certificate/,
    ],
    [
        "an invalid certificate",
        "<3>overlay.err[0]: Error loading certificate: /run/flux/curve.cert: Invalid argument",
        /^The certificate is damaged or is not a CURVE certificate/,
    ],
    // overlay.c with log.c
    [
        "an invalid certificate, of 0.72",
        "broker: /run/flux/curve.cert: Invalid argument",
        /^The certificate is damaged or is not a CURVE certificate/,
    ],
    // children.c, monitor.c
    [
        "a follower of another cluster",
        "<3>overlay.err[0]: child sockevent tcp://0.0.0.0:8050 handshake failed protocol: ZMTP cryptographic error",
        /^Two ranks have different certificates/,
    ],
    // zap.c
    [
        "a key that the lead doesn't know",
        "<3>overlay.err[0]: overlay auth No access",
        /^Two ranks have different certificates/,
    ],
    // parent.c, monitor.c
    [
        "a lead of another cluster",
        "<3>overlay.err[1]: parent sockevent tcp://mc-lead:8050 handshake failed: Broken pipe",
        /^The connection to the lead was closed during its handshake/,
    ],
    // children.c
    [
        "a port in use",
        "<3>overlay.err[0]: error binding to tcp://*:8050: Address already in use",
        /^Another program uses the port of the broker/,
    ],
    // overlay.c
    [
        "a port in use, of 0.72",
        "broker: error binding to tcp://*:8050: Address already in use",
        /^Another program uses the port of the broker/,
    ],
    [
        "a missing network interface",
        "<3>overlay.err[0]: error binding to tcp://eth0:8050: No such device",
        /^The pod does not have the address or the network interface/,
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
        "two versions of Flux",
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
        "a folder that can't be created",
        "<2>broker.crit[0]: rundir error creating /run/flux/broker: Read-only file system",
        /^Flux cannot use one of its directories/,
    ],
    [
        "a folder that can't be created, of 0.72",
        "broker: error creating rundir /run/flux/broker : Permission denied",
        /^Flux cannot use one of its directories/,
    ],
    [
        "a folder of another user",
        "<2>broker.crit[0]: statedir /data is not owned by instance owner: Operation not permitted",
        /^Flux cannot use one of its directories/,
    ],
    [
        "a missing folder, of 0.72",
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
        "a full disk",
        "<3>content-sqlite.err[0]: store: executing stmt: database or disk is full(13)",
        /^A disk of the pod is full/,
    ],
    [
        "a folder that can't be written to",
        "<3>content-sqlite.err[0]: opening /data/content.sqlite: unable to open database file(14)",
        /^Flux cannot use one of its directories/,
    ],
    [
        "a damaged database",
        "<3>content-sqlite.err[0]: creating object table: database disk image is malformed(11)",
        /^The content database in statedir is damaged/,
    ],
    // restore.c
    ["a damaged archive", "<3>broker.err[0]: rc1.0: flux-restore: Unrecognized archive format", /^Flux cannot restore/],
    // inventory.c, rlist.c
    [
        "too few ranks in R",
        "<3>resource.err[0]: error reranking R: Number of hosts (4) is greater than node count (2)",
        /^The resource set R has another number of ranks/,
    ],
    [
        "a host that isn't in R",
        "<3>resource.err[0]: error reranking R: Host mc-3 not found in resources",
        /^A host of bootstrap\.hosts is not in the resource set R/,
    ],
    // topo.c, rlist.c
    [
        "resources that the pod doesn't have",
        "<3>resource.err[1]: draining: rank 1 (mc-1) missing resources: core[2-3]",
        /^The resource set R does not match/,
    ],
    // module_dso.c
    [
        "a missing library",
        "<3>broker.err[0]: rc1.0: flux-modprobe: ERROR: libsqlite3.so.0: cannot open shared object file: No such file or directory",
        /^The image lacks a library/,
    ],
    // start.sh
    [
        "a volume over /etc/hosts",
        "minicluster: /etc/hosts has no mc-lead, so DNS has to find the lead",
        /^The file \/etc\/hosts of the pod does not have the lead's address/,
    ],
    // runc
    ["an image for another processor", "exec /bin/sh: exec format error", /^A program is for another processor/],
    // bash 5.2, and earlier ones
    [
        "a missing interpreter",
        "/etc/flux-minicluster/task.sh: line 6: /opt/solver: cannot execute: required file not found",
        /^A program of the image needs an interpreter/,
    ],
    [
        "a missing interpreter, of an earlier bash",
        "bash: /usr/bin/flux: /no/python3: bad interpreter: No such file or directory",
        /^A program of the image needs an interpreter/,
    ],
    // dash, bash, BusyBox
    [
        "scripts that the user can't read",
        "/bin/sh: 0: cannot open /etc/flux-minicluster/wait.sh: Permission denied",
        /^The pod's user cannot read the scripts .*podTemplate/,
    ],
    [
        "scripts that the user can't read, of bash",
        "/bin/sh: /etc/flux-minicluster/wait.sh: Permission denied",
        /^The pod's user cannot read the scripts/,
    ],
    [
        "scripts that the user can't read, of BusyBox",
        "/bin/sh: can't open '/etc/flux-minicluster/wait.sh': Permission denied",
        /^The pod's user cannot read the scripts/,
    ],
    [
        "a PATH that a hook has replaced",
        "/etc/flux-minicluster/start.sh: line 42: mv: command not found",
        /^A script of the pod does not find the program .*BASH_ENV/,
    ],
    [
        "a library of another system",
        "/bin/sh: error while loading shared libraries: /opt/lib/libc.so.6: wrong ELF class: ELFCLASS32",
        /^The library that the log names .*LD_LIBRARY_PATH/,
    ],
    [
        "a Python without its modules",
        "<3>broker.err[0]: rc1.0: ModuleNotFoundError: No module named 'encodings'",
        /^Python does not find its own modules\. Remove PYTHONHOME/,
    ],
    [
        "a volume over /etc, of 0.72",
        "broker.err[0]: rc1.0: /bin/bash: line 1: /etc/flux/rc1: No such file or directory",
        /^Flux does not find its start-up programs/,
    ],
    [
        "another module for the scheduler, of 0.72",
        "broker.err[0]: rc1.0: flux-module: load none-such: module not found in search path",
        /^Flux does not find the module .*FLUX_SCHED_MODULE/,
    ],
    // flux.c
    [
        "a missing command of Flux, or a missing Python",
        "<3>broker.err[0]: rc1.0: flux: `modprobe' is not a flux command.  See 'flux --help'",
        /^Flux does not find one of its own commands/,
    ],
    // flux-modprobe.py
    [
        "a missing Python module",
        "<3>broker.err[0]: rc1.0: ModuleNotFoundError: No module named '_cffi_backend'",
        /^The image lacks a Python module/,
    ],
    [
        "a missing Python module of a Flux command",
        "flux-keygen: No module named 'yaml'",
        /^The image lacks a Python module/,
    ],
    // sign_munge.c of flux-security
    [
        "a missing MUNGE",
        'sign-munge-sign: Failed to access "/run/munge/munge.socket.2": No such file or directory',
        /^Flux is built to sign jobs with MUNGE/,
    ],
    // runat.c
    [
        "a failed start-up program",
        "<3>broker.err[0]: rc1.0: /usr/bin/flux modprobe rc1 Exited (rc=1) 0.3s",
        /^The start-up program of Flux, rc1, failed/,
    ],
];

describe("meaningOf", () => {
    for (const [what, line, expected] of lines) {
        it(`explains ${what}`, () => assert.match(meaningOf(`${line}\n`) ?? "nothing", expected));
    }

    it("gives every explanation in whole sentences", () => {
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
        "minicluster: broker ended with 1, restarting it in 200 ms",
    ];
    const ofOthers = [
        "flux-broker: chown: Operation not permitted",
        "ModuleNotFoundError: No module named 'numpy'",
        "my-tool: No module named yaml",
    ];
    for (const line of [...healthy, ...ofOthers]) {
        it(`ignores "${line}"`, () => assert.equal(meaningOf(line), undefined));
    }

    const [, toml] = lines[0];
    const port = "<3>overlay.err[0]: error binding to tcp://*:8050: Address already in use";
    const rc1 = "<3>broker.err[0]: rc1.0: /usr/bin/flux modprobe rc1 Exited (rc=1) 0.3s";

    it("explains the last of several known lines, which belongs to the broker's last run", () => {
        assert.match(
            meaningOf([toml, port, "<6>broker.info[0]: exited"].join("\n")) ?? "",
            /^Another program uses the port/,
        );
        assert.match(meaningOf([port, toml].join("\n")) ?? "", /^The configuration is not valid TOML/);
    });

    it("explains a failed rc1 only if no other line is known", () => {
        assert.match(meaningOf([port, rc1].join("\n")) ?? "", /^Another program uses the port/);
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
    it("leaves out the lines of a healthy broker and the notices of its supervisor", () => {
        const log = [
            "<6>broker.info[1]: start: none->join 0.4ms",
            "Nov 22 10:00:00.123456 UTC 2026 broker.debug[1]: insmod connector-local",
            "my hook says this",
            "",
            "<3>overlay.err[1]: overlay.hello: Invalid argument",
            "<3>broker.err[1]: rc3.0: flux modprobe rc3 Exited (rc=1) 0.6s",
            "<3>overlay.err[1]: cannot send overlay.goodbye because overlay.hello is still in progress",
            "minicluster: broker ended with 1, restarting it in 200 ms",
        ];
        assert.deepEqual(tellingLines(log.join("\n")), [
            "my hook says this",
            "<3>overlay.err[1]: overlay.hello: Invalid argument",
        ]);
    });

    it("shows each line once, in the order of their last occurrences", () => {
        const at = (second: number, text: string) => `Nov 22 10:00:0${second}.123456 UTC 2026 ${text}`;
        const log = [at(1, "broker.err[1]: a"), at(2, "broker.err[1]: b"), at(3, "broker.err[1]: a"), "c", "c"];
        assert.deepEqual(tellingLines(log.join("\n")), [at(2, "broker.err[1]: b"), at(3, "broker.err[1]: a"), "c"]);
    });

    it("shows the whole log if it has no other lines", () => {
        assert.deepEqual(tellingLines("<6>broker.info[1]: start: none->join 0.4ms\n"), [
            "<6>broker.info[1]: start: none->join 0.4ms",
        ]);
    });
});
