import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";

import type { V1PolicyRule } from "@kubernetes/client-node";
import { FluxJob, Keygen, MiniCluster, type MiniClusterArgs } from "flux-minicluster";
import { parseAllDocuments, type YAMLMap, type YAMLSeq } from "yaml";

import { root } from "../../local/paths";
import { type ApiRequest, requestsOf } from "./support/auditLog";
import { useNamespace } from "./support/namespace";

/**
 * How docs/rbac.yaml marks what only a cluster in a queue needs (Kueue isn't in the cluster of the tests), and one of an
 * earlier version (earlierStates.spec.ts).
 */
const OF_OTHERS = /\bonly for the (argument queue|update from an earlier version)\b/i;

describe("the Role in docs/rbac.yaml", () => {
    const namespace = useNamespace();

    it("is enough for the life of a cluster, and has no right too many", async () => {
        const { image, kube, name } = namespace;
        const [role] = (await kube.rbac.listNamespacedRole({ namespace: name })).items;
        await kube.rbac.replaceNamespacedRole({
            namespace: name,
            name: role.metadata?.name ?? "",
            body: { ...role, rules: rules() },
        });
        let policy: Partial<MiniClusterArgs> = { networkPolicy: true, size: 2 };
        const stack = namespace.stack("rights", async () => {
            const bare = { image, restful: { enabled: false } };
            const cluster = new MiniCluster("rights", { ...bare, maxSize: 2, keygen: Keygen.Pod, ...policy });
            const listen =
                "import socket, threading; server = socket.create_server(('', 80)); threading.Event().wait()";
            const services = [
                { name: "idle", image, ports: [80], command: ["timeout", "300", "python3", "-c", listen] },
            ];
            new MiniCluster("made", { ...bare, keygen: Keygen.InitContainer, services });
            new FluxJob("job", { cluster, command: ["true"] });
        });
        await stack.up();
        policy = { ...policy, size: 1 };
        await stack.up();
        policy = { ...policy, broker: { connectTimeout: 3 } };
        await stack.up();
        await stack.refresh();
        await stack.destroy();
        const requests = requestsOf(namespace.username).filter(({ resource }) => resource !== "");
        const refused = requests.filter(({ code }) => code === 403).map(rightOf);
        assert.deepEqual(refused, []);
        // To apply what isn't there yet takes both rights.
        const applied = requests.filter(({ code, verb }) => verb === "patch" && code === 201);
        const used = new Set([...requests, ...applied.map((request) => ({ ...request, verb: "create" }))].map(rightOf));
        // A WebSocket is opened by a GET, and from Kubernetes 1.35 on only for who could have opened it by a POST.
        if (used.has("get /pods/exec")) {
            used.add("create /pods/exec");
        }
        assert.deepEqual(
            documentedRights().filter((right) => !used.has(right)),
            [],
            "rights that nothing needed",
        );
    });
});

function rightOf({ apiGroup, resource, verb }: Pick<ApiRequest, "apiGroup" | "resource" | "verb">): string {
    return `${verb} ${apiGroup}/${resource}`;
}

/** Without those that a cluster of the tests has no use for: nobody may use them in secret. */
function rules(): V1PolicyRule[] {
    const text = readFileSync(join(root, "docs", "rbac.yaml"), "utf8");
    const nodes = parseAllDocuments(text).flatMap((document) => (document.get("rules") as YAMLSeq<YAMLMap>).items);
    const tried = nodes.filter(({ commentBefore }) => !OF_OTHERS.test(commentBefore ?? ""));
    return tried.map((node) => node.toJSON() as V1PolicyRule);
}

function documentedRights(): string[] {
    return rules().flatMap(({ apiGroups = [], resources = [], verbs }) =>
        apiGroups.flatMap((group) =>
            resources.flatMap((resource) => verbs.map((verb) => `${verb} ${group}/${resource}`)),
        ),
    );
}
