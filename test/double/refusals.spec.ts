import assert from "node:assert/strict";
import { chmodSync, chownSync } from "node:fs";

import { flux, inside, type Ended } from "./support/flux";
import { withInstance, withSharedInstance, type Instance } from "./support/instance";
import { CHECKS_ATTRIBUTES, fluxMinor, onlySince } from "./support/version";

/** [the wrong setting, arguments of the broker, its error] */
type Case = readonly [string, readonly string[], RegExp];

const commandLines: readonly Case[] = [
    ["an unknown attribute", ["-Sfoo.bar=1"], /^broker: foo\.bar: unknown attribute$/m],
    [
        "an attribute that only the broker sets",
        ["-Srank=1"],
        /^broker: rank: attribute may not be set on the command line$/m,
    ],
    ["a second value of hostname", ["-Shostname=mc-1"], /^broker: hostname: Operation not permitted$/m],
    ["an unknown long option", ["--frob"], /unrecognized option '--frob'/],
    ["an unknown short option", ["-Z"], /unrecognized option '-Z'/],
    ["a quorum above the size", ["-Sbroker.quorum=4"], /Error parsing broker\.quorum attribute/],
    ["a quorum that is no number", ["-Sbroker.quorum=all"], /Error parsing broker\.quorum attribute/],
    [
        "a duration with an unknown unit",
        ["-Sbroker.shutdown-timeout=2x"],
        /Error parsing broker\.shutdown-timeout attribute/,
    ],
    ["an unknown topology", ["-Stbon.topo=ring"], /Error creating ring topology: unknown topology scheme 'ring'/],
    ["a topology without its number", ["-Stbon.topo=kary:"], /kary k value must be an integer >= 0/],
    ["a topology with a malformed number", ["-Stbon.topo=kary:x"], /kary k value must be an integer >= 0/],
    [
        "a state folder that can't be made",
        ["-Sstatedir=/nowhere/state"],
        /statedir error creating \/nowhere\/state: No such file or directory/,
    ],
    ["a log level above debug", ["-Slog-stderr-level=8"], /broker\.err\[mc-0\]: log-stderr-level: Invalid argument$/m],
];

/** [the wrong configuration, its TOML, the broker's error] */
const tables: readonly (readonly [string, string, RegExp])[] = [
    [
        "several brokers without a certificate",
        '[bootstrap]\nhosts = [{ host = "mc-[0-2]" }]',
        /curve_cert must be defined for size > 1/,
    ],
    ["an unknown key in [bootstrap]", "[bootstrap]\nfrob = 1", /1 object item\(s\) left unpacked: frob/],
    [
        "an unknown key of a host",
        '[bootstrap]\nhosts = [{ host = "mc-0", port = 1 }]',
        /invalid hosts\[0\]: 1 object item\(s\) left unpacked: port/,
    ],
    ["a malformed host list", '[bootstrap]\nhosts = [{ host = "mc-[0-2" }]', /host key is not a valid RFC 29 hostlist/],
    ["hosts without its own host", '[bootstrap]\nhosts = [{ host = "other-0" }]', /mc-0 not found in hosts/],
    [
        "an illegal host name",
        '[bootstrap]\nhosts = [{ host = "mc_0" }]',
        /domain label contains invalid character '_' \(0x5f\)/,
    ],
    [
        "an unknown parent",
        '[bootstrap]\nhosts = [{ host = "mc-0", parent = "mc-9" }]',
        /parent key refers to unknown host/,
    ],
    ["a wildcard port", '[bootstrap]\nhosts = [{ host = "mc-0", bind = "tcp://*:*" }]', /contains 0MQ port wildcard/],
    ["an endpoint without a scheme", '[bootstrap]\nhosts = [{ host = "mc-0", bind = "mc-0:1" }]', /has no URI scheme/],
    ["a port out of range", "[bootstrap]\ndefault_port = 70000", /default_port must be in the range of 0-65535/],
    ["a string for a boolean", '[bootstrap]\nenable_ipv6 = "yes"', /Expected true or false, got string/],
    ["text that is not TOML", "[bootstrap", /Config file error: /],
    ["a bad duration in [tbon]", '[tbon]\nconnect_timeout = "x"', /Config file error parsing tbon\.connect_timeout/],
    ["a bad type in [tbon]", "[tbon]\ntopo = 1", /Config file error \[tbon\]: Expected string, got integer/],
    [
        "an unknown key in [access]",
        "[access]\nfrob = true",
        /error parsing \[access\] configuration: 1 object item\(s\) left unpacked: frob/,
    ],
    [
        "an unknown key in [resource]",
        "[resource]\nfrob = 1",
        /error parsing \[resource\] configuration: 1 object item\(s\) left unpacked: frob/,
    ],
    [
        "a file of resources that is missing",
        '[resource]\npath = "/nowhere"',
        /\/nowhere: unable to open \/nowhere: No such file or directory/,
    ],
    [
        "an unknown key in resource.config",
        '[resource]\nconfig = [{ hosts = "mc-0", ncores = 1 }]',
        /config\[0\]: 1 object item\(s\) left unpacked: ncores/,
    ],
    [
        "an unknown key in [policy]",
        "[policy]\nfrob = true",
        /error parsing \[policy\] config table: 1 object item\(s\) left unpacked: frob/,
    ],
    [
        "an unknown key of a queue",
        "[queues.x]\nfrob = true",
        /error parsing \[queues\.x\] config table: 1 object item\(s\) left unpacked: frob/,
    ],
    [
        "an unknown key in [heartbeat]",
        "[heartbeat]\nfrob = true",
        /error reading \[heartbeat\] config table: 1 object item\(s\) left unpacked: frob/,
    ],
    ["a bad duration in [kvs]", '[kvs]\ncheckpoint-period = "x"', /invalid checkpoint-period config: x/],
    ["an unknown method in [exec]", '[exec]\nmethod = "x"', /unknown exec\.method 'x'/],
];

describe("broker", function () {
    this.timeout(60_000);
    onlySince(CHECKS_ATTRIBUTES);
    const instance = withSharedInstance();

    const tryBroker = (args: readonly string[], config = "conf", rank = 0): Promise<Ended> =>
        inside(["flux", ...instance().brokerArguments(rank, config), ...args, "true"]);

    for (const [what, args, message] of commandLines) {
        it(`refuses ${what}`, async () => refused(await tryBroker(args), message));
    }

    for (const [what, toml, message] of tables) {
        it(`refuses ${what}`, async () => {
            instance().write("other/broker.toml", toml);
            refused(await tryBroker([], "other"), message);
        });
    }

    it("refuses a configuration folder that is missing", async () => {
        refused(await tryBroker([], "missing"), /Config file error: stat: .*missing: No such file or directory/);
    });

    it("refuses resources that list other hosts than the brokers", async () => {
        const { stdout } = await flux("R", "encode", "--hosts=mc-[0-1]", "--cores=0");
        instance().write("fewer.json", stdout);
        refused(
            await tryBroker(["-Sbroker.quorum=1", `--conf=resource.path=${instance().path("fewer.json")}`]),
            /error reranking R: Number of hosts \(3\) is greater than node count \(2\)/,
        );
    });

    it("refuses a tree in which a follower has children but no address to bind to", async () => {
        // In this tree rank 2 connects to rank 1. Only rank 0 has an address in `hosts`.
        refused(await tryBroker(["-Stbon.topo=kary:1"], "conf", 1), /bind URI is undefined for rank 1$/m);
    });

    it("refuses an interactive shell without a terminal", async () => {
        refused(
            await inside(["flux", ...instance().brokerArguments(0)]),
            /stdin is not a tty - can't run interactive shell/,
        );
    });
});

describe("broker with a wrong certificate", function () {
    this.timeout(60_000);
    onlySince(CHECKS_ATTRIBUTES);
    const instance = withInstance();
    const tryBroker = (): Promise<Ended> => inside(["flux", ...instance().brokerArguments(0), "true"]);

    it("refuses a certificate that its group may read", async () => {
        chmodSync(`${instance().mkdir(".")}/curve.cert`, 0o440);
        refused(await tryBroker(), /Error loading certificate: .*curve\.cert: readable by group\/other/);
    });

    it("refuses a certificate that is missing", async () => {
        const { stdout: text } = await inside(["rm", instance().path("curve.cert")]);
        assert.equal(text, "");
        refused(await tryBroker(), /Error loading certificate: .*curve\.cert: No such file or directory/);
    });

    it("refuses a file that is not a certificate", async () => {
        instance().write("curve.cert", "not a certificate\n", 0o600);
        refused(await tryBroker(), /Error loading certificate: .*curve\.cert: Invalid argument/);
    });

    it("refuses a certificate whose keys do not belong together", async () => {
        await flux("keygen", instance().path("second.cert"));
        const [first, second] = await Promise.all(["curve", "second"].map((name) => certificate(instance(), name)));
        const mixed = (first ?? "").replace(/secret-key = .*/, () => /secret-key = .*/.exec(second ?? "")?.[0] ?? "");
        instance().write("curve.cert", mixed, 0o600);
        refused(await tryBroker(), /Error loading certificate: .*curve\.cert: Invalid argument/);
    });
});

describe("broker with a wrong folder or socket", function () {
    this.timeout(60_000);
    onlySince(CHECKS_ATTRIBUTES);
    const instance = withSharedInstance();

    const notOurs = (): string => {
        const folder = instance().mkdir("theirs");
        chownSync(folder, 1000, 1000);
        return instance().path("theirs");
    };
    const tryBroker = (setting: string): Promise<Ended> =>
        inside(["flux", "broker", `--config-path=${instance().path("conf")}`, "-Shostname=mc-0", setting, "true"]);

    it("refuses another user's folder for its socket", async () => {
        refused(
            await tryBroker(`-Slocal-uri=local://${notOurs()}/local`),
            /local-uri directory .*theirs is not owned by instance owner: Operation not permitted/,
        );
    });

    it("refuses a socket in a folder that is missing", async () => {
        refused(
            await tryBroker("-Slocal-uri=local:///nowhere/local"),
            /local-uri directory cannot stat \/nowhere: No such file or directory/,
        );
    });

    it("refuses another user's folder as rundir", async () => {
        refused(
            await tryBroker(`-Srundir=${notOurs()}`),
            /rundir .*theirs is not owned by instance owner: Operation not permitted/,
        );
    });

    it("refuses another user's folder as statedir", async () => {
        refused(
            await tryBroker(`-Sstatedir=${notOurs()}`),
            /statedir .*theirs is not owned by instance owner: Operation not permitted/,
        );
    });

    it("refuses a socket name that is not a local URI", async () => {
        refused(await tryBroker("-Slocal-uri=/tmp/local"), /local-uri is malformed/);
    });
});

describe("unknown attribute", function () {
    this.timeout(180_000);

    it("is refused since 0.82, and accepted by earlier versions", async () => {
        const { code } = await flux("start", "-Sfoo.bar=1", "true");
        assert.equal(code, (await fluxMinor()) < CHECKS_ATTRIBUTES ? 0 : 1);
    });
});

describe("flux command", function () {
    this.timeout(180_000);

    it("refuses an unknown command", async () =>
        refused(await flux("frob"), /flux: `frob' is not a flux command\. {2}See 'flux --help'/));
    it("refuses an unknown option of flux run", async () =>
        refused(await flux("run", "--frob", "true"), /flux run: error: unrecognized arguments: --frob/, 2));
    it("refuses an unknown option of flux R encode", async () =>
        refused(await flux("R", "encode", "--frob"), /unrecognized option '--frob'/));
    it("refuses a malformed host list", async () =>
        refused(await flux("R", "encode", "--hosts=mc-[0-"), /flux-R: invalid hostlist 'mc-\[0-'/));
    it("refuses to run a job without a broker", async () =>
        refused(
            await flux("run", "true"),
            /Unable to connect to Flux: broker socket \/run\/flux\/local was not found/,
        ));
});

const certificate = async (instance: Instance, name: string): Promise<string> =>
    (await inside(["cat", instance.path(`${name}.cert`)])).stdout;

function refused({ code, stderr }: Ended, message: RegExp, expected = 1): void {
    assert.match(stderr, message);
    assert.equal(code, expected);
}
