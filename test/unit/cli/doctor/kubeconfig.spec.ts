import assert from "node:assert/strict";
import { type AddressInfo, createServer } from "node:net";

import { examine, type Group } from "../../../../cli/doctor/examination";
import { connect, type Kube } from "../../../../provider/kubernetes/client";
import { useApi } from "../../support/fakeApi";
import { FAULTS } from "./faults";
import { assertShown, findings, HANG, NEW } from "./support";

/** A kubeconfig whose user, cluster or context is changed. */
function configWith(server: string, user: object, more: { cluster?: object; current?: string } = {}): string {
    return JSON.stringify({
        clusters: [{ name: "fake", cluster: { server, ...more.cluster } }],
        users: [{ name: "me", user }],
        contexts: [{ name: "fake", context: { cluster: "fake", user: "me" } }],
        "current-context": more.current ?? "fake",
    });
}

const plugin = (command: string, args: readonly string[] = [], more: object = {}) => ({
    exec: { apiVersion: "client.authentication.k8s.io/v1", command, args, interactiveMode: "Never", ...more },
});

async function examined(kubeconfig: string, context?: string): Promise<Group[]> {
    let connected: Kube | Error;
    try {
        connected = connect({ kubeconfig, context });
    } catch (error) {
        connected = error as Error;
    }
    return examine(connected, NEW);
}

/** The fault in docs/hang.md. */
const SHOWN = "a plugin that isn't installed";

/** A port on which nothing listens. */
async function freePort(): Promise<number> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    return port;
}

describe("minicluster doctor and kubeconfigs", () => {
    const api = useApi();
    const server = () => JSON.parse(api.kubeconfig).clusters[0].cluster.server as string;
    const cases: Readonly<Record<string, readonly [() => string | Promise<string>, RegExp, string?]>> = {
        "a context that isn't there": [
            () => api.kubeconfig,
            /^kubeconfig: context "production" is not in the kubeconfig; it has fake\. \| .*--context/,
            "production",
        ],
        "a current context that isn't there": [
            () => configWith(server(), {}, { current: "gone" }),
            /^kubeconfig: The kubeconfig can't be used: its current context is "gone".* \| /,
        ],
        [SHOWN]: [
            () => configWith("https://127.0.0.1:1", plugin("aws-iam-none", [], { installHint: "Install it." })),
            /^kubeconfig: the command aws-iam-none, .* failed: ENOENT\. Install it\. \| install the program of the plugin/,
        ],
        "a plugin of an API that Kubernetes has removed": [
            () =>
                configWith(
                    "https://127.0.0.1:1",
                    plugin("x", [], { apiVersion: "client.authentication.k8s.io/v1alpha1" }),
                ),
            /^kubeconfig: .*exec\.apiVersion of user "me" is "client\.authentication\.k8s\.io\/v1alpha1".* \| /,
        ],
        "a plugin whose login has ended": [
            () => configWith("https://127.0.0.1:1", plugin("sh", ["-c", "echo The session has expired >&2; exit 1"])),
            /^kubeconfig: the command sh, .* failed: The session has expired \| .*log in with it/,
        ],
        "an API server that is away": [
            async () =>
                configWith(
                    `http://127.0.0.1:${await freePort()}`,
                    {},
                    { cluster: { "insecure-skip-tls-verify": true } },
                ),
            /^server: the API server at \S+ can't be reached: .*ECONNREFUSED.* \| start the cluster, or correct the server/,
        ],
        "a server without TLS": [
            () => configWith(server().replace("http:", "https:"), {}),
            /^server: the API server at \S+ can't be reached: .* \| compare certificate-authority/,
        ],
        "a name that DNS doesn't have": [
            () => configWith("https://no-such-host.invalid:6443", {}),
            /^server: the API server at \S+ can't be reached: .*(?:ENOTFOUND|EAI_AGAIN).* \| correct the server's name/,
        ],
    };

    for (const [fault, [kubeconfig, says, context]] of Object.entries(cases)) {
        it(`finds ${fault}`, async () => {
            const groups = await examined(await kubeconfig(), context);
            const found = findings(groups, "fail");
            assert.equal(found.length, 1);
            assert.match(found[0], says);
            if (fault === SHOWN) {
                assertShown(groups, "fail", 0);
            }
            const left = findings(groups, "unchecked").map((line) => line.split(":")[0]);
            assert.deepEqual(left.slice(-4), ["rights", "admission", "quota", "nodes"]);
        });
    }
});

describe("docs/hang.md", () => {
    it("has no line but those that a test has seen printed", () => {
        const lines = HANG.match(/^ {2}(?:fail|warn|not checked) .*$/gm) ?? [];
        // This file and ranks.spec.ts show one line each.
        assert.equal(lines.length, FAULTS.filter(({ isShown }) => isShown).length + 2);
    });

    it("asks five questions", () => assert.equal(HANG.match(/^## \d\. .*\?$/gm)?.length, 5));
});
