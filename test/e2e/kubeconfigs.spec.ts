import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { FluxJob, MiniCluster } from "flux-minicluster";

import { useNamespace } from "./support/namespace";

describe("MiniCluster whose kubeconfig has an exec plugin", () => {
    const namespace = useNamespace();
    let folder: string;
    let runs: string;

    before(() => {
        folder = mkdtempSync(join(tmpdir(), "flux-minicluster-plugin-"));
        runs = join(folder, "runs");
    });

    after(() => rmSync(folder, { recursive: true }));

    /** The namespace's kubeconfig, whose token a plugin prints if it is told the cluster and may do so. */
    function kubeconfig(allowed: string): string {
        const config = JSON.parse(readFileSync(namespace.kubeconfig, "utf8"));
        const [{ user }] = config.users;
        const credential = { apiVersion: "client.authentication.k8s.io/v1", kind: "ExecCredential", status: user };
        const command = join(folder, allowed);
        const script = [
            "#!/bin/sh",
            `case \${KUBERNETES_EXEC_INFO:-} in *'"server":"https:'*) ;; *) echo "no cluster" >&2; exit 1 ;; esac`,
            `[ ${allowed} = yes ] || { echo "log in first" >&2; exit 1; }`,
            `echo run >>'${runs}'`,
            `echo '${JSON.stringify(credential)}'`,
        ];
        writeFileSync(command, `${script.join("\n")}\n`, { mode: 0o700 });
        const exec = { apiVersion: credential.apiVersion, command, interactiveMode: "Never", provideClusterInfo: true };
        return JSON.stringify({ ...config, users: [{ ...config.users[0], user: { exec } }] });
    }

    it("runs, and the plugin runs once in each process: the host of the resources, and the program, which looks for remains", async () => {
        const stack = namespace.stack("told", async () => ({
            output: new MiniCluster("told", {
                image: namespace.image,
                command: ["hostname"],
                kubeconfig: kubeconfig("yes"),
            }).output,
        }));
        const { outputs } = await stack.up();
        assert.equal(outputs.output, "told-0\n");
        assert.equal(readFileSync(runs, "utf8"), "run\nrun\n");
    });

    it("makes nothing if the plugin fails, and says it once", async () => {
        const stack = namespace.stack("refused", async () => {
            new MiniCluster("refused", {
                image: namespace.image,
                command: ["hostname"],
                kubeconfig: kubeconfig("no"),
            });
        });
        const { text } = await stack.fails("up");
        assert.match(text, /the command \S*\/no, which the kubeconfig names for its credentials, failed: log in first/);
        const { items } = await namespace.kube.core.listNamespacedService({ namespace: namespace.name });
        assert.deepEqual(
            items.filter(({ metadata }) => metadata?.name?.startsWith("refused")),
            [],
        );
    });

    it("is refused in the preview if its context doesn't exist", async () => {
        const stack = namespace.stack("missing", async () => {
            const config = { ...JSON.parse(kubeconfig("yes")), "current-context": "old" };
            new MiniCluster("missing", { image: namespace.image, command: ["true"], kubeconfig: config });
        });
        const { text } = await stack.fails("preview");
        assert.match(text, /The kubeconfig can't be used: its current context is "old"; it has e2e\./);
    });
});

describe("an update in which the current context of KUBECONFIG changes", () => {
    const namespace = useNamespace();
    let choose: (context: string) => void;

    before(() => {
        const config = JSON.parse(readFileSync(namespace.kubeconfig, "utf8"));
        const [here] = config.contexts;
        // Nothing listens there.
        const laptop = { ...config.clusters[0].cluster, server: "https://127.0.0.1:1" };
        config.clusters.push({ name: "laptop", cluster: laptop });
        config.contexts.push({ name: "laptop", context: { ...here.context, cluster: "laptop" } });
        choose = (context) =>
            writeFileSync(namespace.kubeconfig, JSON.stringify({ ...config, "current-context": context }));
    });

    it("stays with the context that it began with, and a later one takes the new one", async () => {
        choose("e2e");
        const stack = namespace.stack("switch", async () => {
            const restful = { enabled: false };
            const cluster = new MiniCluster("switch", { image: namespace.image, restful });
            const one = new FluxJob("one", { cluster, command: ["echo", "first"] });
            const switched = one.output.apply((output) => {
                choose("laptop");
                return output.trim();
            });
            return { output: new FluxJob("two", { cluster, command: ["echo", "after", switched] }).output };
        });
        const { outputs } = await stack.up();
        assert.equal(outputs.output, "after first\n");
        const { text } = await stack.fails("refresh");
        assert.match(text, /127\.0\.0\.1:1\b/);
        choose("e2e");
    });
});
