import assert from "node:assert/strict";

import { MiniCluster } from "flux-minicluster";

import { type ApiRequest, requestsOf } from "./support/auditLog";
import { ON_PLUGIN } from "./support/remote";
import { useNamespace } from "./support/namespace";
import type { TestStack } from "./support/stack";

/*
 * The cost of a cluster in counts, which are the same on every machine: a change that raises a cost fails here.
 * `make bench` measures seconds.
 */
describe("pulumi up of one MiniCluster", () => {
    const namespace = useNamespace();
    const sizes = [4, 12];
    const stacks: TestStack[] = [];
    const requests: ApiRequest[][] = [];

    before(async () => {
        for (const size of sizes) {
            const stack = namespace.stack(`size-${size}`, async () => ({
                output: new MiniCluster(`size-${size}`, { image: namespace.image, size, command: ["hostname"] }).output,
            }));
            const from = requestsOf(namespace.username).length;
            await stack.up();
            requests.push(withoutReopened(requestsOf(namespace.username).slice(from)));
            stacks.push(stack);
        }
    });

    it("sends at most 47 requests to the API server", () => {
        for (const [index, made] of requests.entries()) {
            assert(made.length <= 47, `${sizes[index]} pods: ${made.length} requests\n${list(made)}`);
        }
    });

    it("sends the same requests for 12 pods as for 4", () => {
        const [few, many] = requests.map(kinds);
        assert.deepEqual(many, few);
    });

    it("lists pods only with a limit", () => {
        const lists = requests.flat().filter(({ resource, verb }) => resource === "pods" && verb === "list");
        assert(lists.length > 0);
        assert.deepEqual(
            lists.filter(({ uri }) => !/[?&]limit=\d/.test(uri)),
            [],
        );
    });

    it("sends no request that its Role forbids, but optional ones outside its namespace", () => {
        const refused = requests.map((made) => made.filter(({ code }) => code === 403));
        for (const made of refused) {
            assert.deepEqual(made.map(({ uri }) => uri.replace(/\?.*/, "")).sort(), [
                "/api/v1/namespaces/kube-system",
                "/api/v1/nodes",
                "/api/v1/pods",
            ]);
        }
    });

    it("writes at most 120 KB of state", async () => {
        const exported = await (await stacks[0].open()).exportStack();
        const bytes = withoutFolder(JSON.stringify(exported.deployment)).length;
        assert(bytes <= 120_000, `${bytes} bytes\n${await sizesOf(stacks[0])}`);
    });

    it("creates five objects besides the pods", async () => {
        const kindsMade = (await namespace.objects()).filter(
            (object) => /\/size-4\b/.test(object) && !/^(Pod|Endpoint)/.test(object),
        );
        const names = kindsMade.map((object) => object.replace(/config-[0-9a-f]{8}$/, "config-HASH")).sort();
        assert.deepEqual(names, [
            "ConfigMap/size-4-config-HASH",
            "Job/size-4",
            "Secret/size-4-secret",
            "Service/size-4",
            "Service/size-4-lead",
        ]);
    });
});

/** Leaves out repeated watches: the client reopens a quiet watch after 30 s, which happens only on a slow machine. */
function withoutReopened(requests: readonly ApiRequest[]): ApiRequest[] {
    const watched = new Set<string>();
    return requests.filter(({ uri, verb }) => {
        const what = uri.replace(/(?<=[?&])(resourceVersion|timeoutSeconds)=[^&]*/g, "");
        const again = verb === "watch" && watched.has(what);
        watched.add(what);
        return !again;
    });
}

/** The number of requests of each kind, whatever their order and the size in their paths. */
function kinds(requests: readonly ApiRequest[]): Record<string, number> {
    const counts: Record<string, number> = {};
    for (const { resource, uri, verb } of requests) {
        const kind = resource === "" ? uri.split("?")[0] : `${verb} ${resource}`;
        counts[kind] = (counts[kind] ?? 0) + 1;
    }
    return Object.fromEntries(Object.entries(counts).sort(([a], [b]) => a.localeCompare(b)));
}

function list(requests: readonly ApiRequest[]): string {
    return requests.map(({ code, uri, verb }) => `${verb} ${uri} ${code}`).join("\n");
}

/** Removes the path of the tests' folder, which the state has some 30 times, in the source positions of resources. */
function withoutFolder(state: string): string {
    const [, folder] = /project:\/\/\/([^"]+?)test\/e2e\/economy/.exec(state) ?? [];
    // The engine doesn't record the position of a component that a plugin constructs.
    assert(folder !== undefined || ON_PLUGIN, "the state has no source position of the cluster");
    return folder === undefined ? state : state.replaceAll(folder, "");
}

async function sizesOf(stack: TestStack): Promise<string> {
    const bytes = (value: unknown) => (JSON.stringify(value) ?? "").length;
    return stack
        .resources()
        .map(
            ({ inputs, outputs, urn }) =>
                `${urn.split("::").at(-1)}: inputs ${bytes(inputs)}, outputs ${bytes(outputs)}`,
        )
        .join("\n");
}
