import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";

import type { V1PolicyRule } from "@kubernetes/client-node";
import { FluxJob, Keygen, MiniCluster, type MiniClusterArgs } from "flux-minicluster";
import { parseAllDocuments, type YAMLMap, type YAMLSeq } from "yaml";

import { root } from "../../scripts/local/paths";
import { type ApiRequest, requestsOf } from "./support/auditLog";
import { useNamespace } from "./support/namespace";

/**
 * Marks rights in docs/rbac.yaml that this test does not use: those for a queue and for PodMonitors (the tests' Kubernetes
 * has no Kueue and no Prometheus Operator), and those for objects of the program itself.
 */
const OF_OTHERS =
    /\bonly for (the arguments? (queueName|disruptionBudget)|metrics\.podMonitor|ConfigMaps of the program)\b/i;

describe("Role in docs/rbac.yaml", () => {
    const namespace = useNamespace();

    it("grants the rights that a MiniCluster needs from create to destroy, and no others", async () => {
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
        policy = { ...policy, size: 1, labels: { team: "physics" } };
        await stack.up();
        policy = { ...policy, broker: { connectTimeout: 3 } };
        await stack.up();
        await stack.refresh();
        await stack.destroy();
        const requests = requestsOf(namespace.username).filter(({ resource }) => resource !== "");
        // The rights of docs/rbac-fit.yaml, and that to the namespace kube-system, are optional, and cluster-wide.
        const isOptional = ({ uri }: ApiRequest) => /^\/api\/v1\/((nodes|pods)\?|namespaces\/kube-system$)/.test(uri);
        const refused = requests.filter((request) => request.code === 403 && !isOptional(request)).map(rightOf);
        assert.deepEqual(refused, []);
        // Server-side apply of a new object needs the rights patch and create.
        const applied = requests.filter(({ code, verb }) => verb === "patch" && code === 201);
        const used = new Set([...requests, ...applied.map((request) => ({ ...request, verb: "create" }))].map(rightOf));
        // A GET opens the WebSocket of an exec. From 1.35 on Kubernetes also requires the right for a POST: create.
        if (used.has("get /pods/exec")) {
            used.add("create /pods/exec");
        }
        assert.deepEqual(
            documentedRights().filter((right) => !used.has(right)),
            [],
            "rights that no request used",
        );
    });
});

function rightOf({ apiGroup, resource, verb }: Pick<ApiRequest, "apiGroup" | "resource" | "verb">): string {
    return `${verb} ${apiGroup}/${resource}`;
}

/** The rules whose rights this test must use. Without the others, the test fails if a request needs one of them. */
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
