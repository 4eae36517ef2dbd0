import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { text } from "node:stream/consumers";
import { inspect } from "node:util";

import { loadKubeConfig } from "../../../../provider/kubernetes/kubeconfig/access";
import { connect, type Kube } from "../../../../provider/kubernetes/client";
import { execute } from "../../../../provider/kubernetes/streams/exec";
import { readLog } from "../../../../provider/kubernetes/streams/podLog";
import { watchList } from "../../../../provider/kubernetes/watch";
import { useApi } from "../../support/fakeApi";

const PEM = Buffer.from("-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n").toString("base64");
const KEY = Buffer.from("-----BEGIN EC PRIVATE KEY-----\nAA==\n-----END EC PRIVATE KEY-----\n").toString("base64");
const EXEC = { apiVersion: "client.authentication.k8s.io/v1", command: "login", interactiveMode: "Never" };

/** A kubeconfig with one context. */
function kubeconfig(user: object, cluster: object = {}, others: object = {}): string {
    return JSON.stringify({
        apiVersion: "v1",
        kind: "Config",
        clusters: [{ name: "hpc", cluster: { server: "https://hpc.example:6443", ...cluster } }],
        users: [{ name: "me", user }],
        contexts: [{ name: "hpc", context: { cluster: "hpc", user: "me" } }],
        "current-context": "hpc",
        ...others,
    });
}

describe("a kubeconfig", () => {
    let folder: string;
    const { KUBECONFIG } = process.env;

    beforeEach(() => (folder = mkdtempSync(join(tmpdir(), "kubeconfigs-"))));

    afterEach(() => {
        process.env.KUBECONFIG = KUBECONFIG;
        if (KUBECONFIG === undefined) {
            delete process.env.KUBECONFIG;
        }
        rmSync(folder, { recursive: true });
    });

    const jwt = (exp: number) => `e30.${Buffer.from(JSON.stringify({ exp })).toString("base64url")}.x`;
    const oidc = (config: object) => ({ "auth-provider": { name: "oidc", config } });
    const context = (names: object) => ({ contexts: [{ name: "hpc", context: names }] });

    describe("is accepted", () => {
        const accepted: Record<string, string> = {
            "with a token, also of several lines at its end": kubeconfig({ token: "abc\n" }),
            "with a client certificate": kubeconfig({ "client-certificate-data": PEM, "client-key-data": KEY }),
            "with an exec plugin of v1": kubeconfig({ exec: EXEC }),
            "with an exec plugin of v1beta1, without interactiveMode": kubeconfig({
                exec: { apiVersion: "client.authentication.k8s.io/v1beta1", command: "login" },
            }),
            "with an exec plugin that would use a terminal": kubeconfig({
                exec: { ...EXEC, interactiveMode: "IfAvailable" },
            }),
            "with an id-token of oidc that hasn't ended": kubeconfig(oidc({ "id-token": jwt(4e9) })),
            "with an id-token of oidc that can be renewed": kubeconfig(
                oidc({ "id-token": jwt(1), "client-id": "c", "refresh-token": "r", "idp-issuer-url": "https://i" }),
            ),
            ...Object.fromEntries(
                ["http://me:hush@proxy:3128", "https://proxy", "socks5://proxy:1080"].map((url) => [
                    `with the proxy ${url.replace(/me.*@/, "")}`,
                    kubeconfig({ token: "t" }, { "proxy-url": url }),
                ]),
            ),
            "without a user": kubeconfig({}, {}, context({ cluster: "hpc" })),
            "with an incomplete context that isn't used": kubeconfig(
                { token: "t" },
                {},
                {
                    contexts: [
                        { name: "new", context: { cluster: "", user: "" } },
                        { name: "hpc", context: { cluster: "hpc", user: "me" } },
                    ],
                },
            ),
        };
        for (const [what, given] of Object.entries(accepted)) {
            it(what, () => {
                assert.equal(loadKubeConfig({ kubeconfig: given }).getCurrentCluster()?.name, "hpc");
            });
        }
    });

    describe("is refused with the property and the cure", () => {
        const refused: [string, string, string][] = [
            [
                "without a current context",
                kubeconfig({}, {}, { "current-context": "" }),
                "it has no current context. Set one of hpc, or give context.",
            ],
            [
                "with a current context that doesn't exist",
                kubeconfig({}, {}, { "current-context": "old" }),
                'its current context is "old"; it has hpc.',
            ],
            [
                "without the context's cluster",
                kubeconfig({}, {}, context({ cluster: "old", user: "me" })),
                'context "hpc" names the cluster "old", which is not in it or has no server.',
            ],
            [
                "without the context's user",
                kubeconfig({}, {}, context({ cluster: "hpc", user: "old" })),
                'context "hpc" names the user "old", which is not in it.',
            ],
            [
                "with a server that is no address",
                kubeconfig({}, { server: "ftp://hpc" }),
                'the server of cluster "hpc" is no address such as https://host:6443.',
            ],
            [
                "with a proxy of an unknown kind",
                kubeconfig({}, { "proxy-url": "ftp://me:hush@proxy" }),
                'the proxy of cluster "hpc" (proxy-url or HTTPS_PROXY) must be an http, https or socks5 URL.',
            ],
            [
                "with a user name for a SOCKS proxy",
                kubeconfig({}, { "proxy-url": "socks5://me:hush@proxy:1080" }),
                'the SOCKS proxy of cluster "hpc" has a user name, which isn\'t supported. Use an http proxy.',
            ],
            [
                "with an authority that isn't PEM",
                kubeconfig({}, { "certificate-authority-data": Buffer.from("hush").toString("base64") }),
                'the certificate-authority of cluster "hpc" has no "BEGIN CERTIFICATE"; it must be PEM in base64.',
            ],
            [
                "with an authority whose file is missing",
                kubeconfig({}, { "certificate-authority": "/missing/ca.crt" }),
                'the certificate-authority of cluster "hpc", /missing/ca.crt, can\'t be read: ENOENT.',
            ],
            [
                "with a certificate without its key",
                kubeconfig({ "client-certificate-data": PEM }),
                'user "me" has a client-certificate but no client-key; give both.',
            ],
            [
                "with a key whose file is missing",
                kubeconfig({ "client-certificate-data": PEM, "client-key": "/missing/me.key" }),
                'the client-key of user "me", /missing/me.key, can\'t be read: ENOENT.',
            ],
            [
                "with a line break in a token",
                kubeconfig({ token: "hush\nhush" }),
                'the token of user "me" has a line break or another character that no header can have.',
            ],
            [
                "with an exec plugin of v1alpha1",
                kubeconfig({ exec: { ...EXEC, apiVersion: "client.authentication.k8s.io/v1alpha1" } }),
                'exec.apiVersion of user "me" is "client.authentication.k8s.io/v1alpha1", but Kubernetes knows ' +
                    "client.authentication.k8s.io/v1 and client.authentication.k8s.io/v1beta1. Update the plugin, and make " +
                    "the kubeconfig again with it.",
            ],
            [
                "with an exec plugin that needs a terminal",
                kubeconfig({ exec: { ...EXEC, interactiveMode: "Always" } }),
                'the exec plugin of user "me" needs a terminal (interactiveMode: Always), which Pulumi doesn\'t have. Use a ' +
                    "plugin that runs without one.",
            ],
            [
                "with an exec plugin without a command",
                kubeconfig({ exec: { ...EXEC, command: "" } }),
                'the exec plugin of user "me" has no command.',
            ],
            [
                "with an auth-provider that Kubernetes has removed",
                kubeconfig({ "auth-provider": { name: "gcp", config: { "access-token": "hush" } } }),
                'Kubernetes has no auth-provider "gcp", which user "me" has. Make the kubeconfig again with an exec plugin: ' +
                    "gcloud container clusters get-credentials NAME.",
            ],
            [
                "with an unknown auth-provider",
                kubeconfig({ "auth-provider": { name: "own" } }),
                'Kubernetes has no auth-provider "own", which user "me" has. Use a token, a client certificate or an exec ' +
                    "plugin.",
            ],
            [
                "with an id-token of oidc that has ended",
                kubeconfig(oidc({ "id-token": jwt(1) })),
                'the id-token of the auth-provider oidc has ended for user "me". Log in with kubectl, which renews it, or ' +
                    "use an exec plugin such as kubelogin.",
            ],
            [
                "with groups to impersonate but no user",
                kubeconfig({ token: "t", "as-groups": ["admins"] }),
                'user "me" has as-groups, as-uid or as-user-extra without as. Give the name of the user as as.',
            ],
        ];
        for (const [what, given, message] of refused) {
            it(what, () => {
                assert.throws(
                    () => loadKubeConfig({ kubeconfig: given }),
                    (error: Error) => {
                        assert.equal(error.message, `The kubeconfig can't be used: ${message}`);
                        assert.doesNotMatch(inspect(error), /hush/);
                        assert.equal(error.cause, undefined);
                        return true;
                    },
                );
            });
        }

        it("of the environment, with a cause, so that a preview can pass over it", () => {
            process.env.KUBECONFIG = join(folder, "config");
            writeFileSync(process.env.KUBECONFIG, kubeconfig({}, {}, { "current-context": "" }));
            assert.throws(
                () => loadKubeConfig({}),
                (error: Error) => error.cause !== undefined && error.message.includes("no current context"),
            );
        });
    });

    it("may be empty beside others in KUBECONFIG", () => {
        writeFileSync(join(folder, "empty"), "");
        writeFileSync(join(folder, "config"), kubeconfig({ token: "t" }));
        process.env.KUBECONFIG = ["empty", "config"].map((name) => join(folder, name)).join(delimiter);
        assert.equal(loadKubeConfig({}).getCurrentUser()?.token, "t");
    });

    const encodings: Record<string, Buffer> = {
        "UTF-8 with a byte order mark": Buffer.from(`\ufeff${kubeconfig({ token: "t" })}`),
        "UTF-16, as PowerShell writes it": Buffer.from(`\ufeff${kubeconfig({ token: "t" })}`, "utf16le"),
        "big-endian UTF-16": Buffer.from(`\ufeff${kubeconfig({ token: "t" })}`, "utf16le").swap16(),
        "UTF-8 with Windows line ends": Buffer.from(
            JSON.stringify(JSON.parse(kubeconfig({ token: "t" })), undefined, 2).replaceAll("\n", "\r\n"),
        ),
    };
    for (const [encoding, bytes] of Object.entries(encodings)) {
        it(`is read in ${encoding}`, () => {
            writeFileSync(join(folder, "config"), bytes);
            assert.equal(loadKubeConfig({ kubeconfig: join(folder, "config") }).getCurrentUser()?.token, "t");
        });
    }

    const servers: [string, object, string][] = [
        ["10.0.0.1:6443", { "certificate-authority-data": PEM }, "https://10.0.0.1:6443"],
        ["localhost:8080", {}, "http://localhost:8080"],
        ["https://hpc/prefix/", {}, "https://hpc/prefix"],
    ];
    for (const [server, others, expected] of servers) {
        it(`with the server ${server} leads to ${expected}`, () => {
            const config = loadKubeConfig({ kubeconfig: kubeconfig({}, { server, ...others }) });
            assert.equal(config.getCurrentCluster()?.server, expected);
        });
    }
});

describe("a request", () => {
    const api = useApi();

    beforeEach(() => {
        api.logs.set("lammps-0", "printed");
        api.serveCommands((socket) => socket.close());
    });

    const clientOf = (user: object, cluster: object = {}) =>
        connect({ kubeconfig: kubeconfig(user, { ...JSON.parse(api.kubeconfig).clusters[0].cluster, ...cluster }) });

    /** The values of the last request's headers whose names begin so, in their order. */
    const sent = (prefix: string): string[] => {
        const raw = api.headers.at(-1) ?? [];
        return raw.flatMap((name, index) =>
            index % 2 === 0 && name.toLowerCase().startsWith(prefix)
                ? [`${name.toLowerCase()}: ${raw[index + 1]}`]
                : [],
        );
    };

    const container = { namespace: "hpc", pod: "lammps-0", container: "flux" };
    const signal = new AbortController().signal;
    const ways: Record<string, (kube: Kube) => Promise<unknown>> = {
        "for an object": (kube) => kube.core.listNamespacedPod({ namespace: "hpc" }),
        "of a watch": async (kube) => {
            const stop = new AbortController();
            const handler = { present: () => undefined, gone: () => undefined, listed: () => undefined };
            const watched = watchList(kube, { kind: "jobs", namespace: "hpc" }, handler, stop.signal);
            await api.seen(/watch=true/);
            stop.abort();
            await watched;
        },
        "for a log": (kube) => text(readLog(kube, container, {}, { seconds: 9 })),
        "of a command": (kube) =>
            execute(kube, container, { command: ["id"], input: "", seconds: 9, signal }).catch(() => undefined),
    };
    for (const [what, go] of Object.entries(ways)) {
        it(`${what} impersonates user, uid, groups and extra fields`, async () => {
            const extra = { scopes: ["view", "run"], "example.org/team": ["a"] };
            const as = { as: "ada", "as-uid": "42", "as-groups": ["dev", "ops"], "as-user-extra": extra };
            await go(clientOf({ token: "t", ...as }));
            assert.deepEqual(sent("impersonate-").sort(), [
                "impersonate-extra-example.org%2fteam: a",
                "impersonate-extra-scopes: run",
                "impersonate-extra-scopes: view",
                "impersonate-group: dev",
                "impersonate-group: ops",
                "impersonate-uid: 42",
                "impersonate-user: ada",
            ]);
            assert.deepEqual(sent("authorization"), ["authorization: Bearer t"]);
        });
    }

    it("asks for no compression with disable-compression", async () => {
        await ways["for an object"](clientOf({ token: "t" }, { "disable-compression": true }));
        assert.deepEqual(sent("accept-encoding"), ["accept-encoding: identity"]);
    });

    it("has user and password, also an empty one", async () => {
        const basic = (value: string) => [`authorization: Basic ${Buffer.from(value).toString("base64")}`];
        for (const what of ["for an object", "for a log"]) {
            await ways[what](clientOf({ username: "ada", password: what }));
            assert.deepEqual(sent("authorization"), basic(`ada:${what}`));
            await ways[what](clientOf({ username: what }));
            assert.deepEqual(sent("authorization"), basic(`${what}:`));
        }
    });

    it("to a server without TLS, such as kubectl proxy, has no credential", async () => {
        for (const what of ["for an object", "for a log"]) {
            await ways[what](clientOf({ token: what }, { "insecure-skip-tls-verify": undefined }));
            assert.deepEqual(sent("authorization"), []);
        }
    });
});
