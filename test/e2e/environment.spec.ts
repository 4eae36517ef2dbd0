import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { join } from "node:path";
import { promisify } from "node:util";

import * as pulumi from "@pulumi/pulumi";
import { FluxJob, MiniCluster } from "flux-minicluster";

import { root } from "../../scripts/local/paths";
import { forward } from "./support/forward";
import { useNamespace } from "./support/namespace";
import { RestfulClient } from "./support/restful";
import { requireNoSecret } from "./support/secrets";
import { until } from "./support/until";

const cli = join(root, "dist", "cli", "main.js");

/** Each task prints the variables of its rank. Task 0 also prints the jobspec as it was submitted, and as Flux shows it. */
const SHOW = `
echo "$HOSTNAME $JOB_COMPLETION_INDEX $(printf %s "$TOKEN" | sha256sum | cut -c1-8) $NIC \${POD_IP:+address}"
[ "$FLUX_TASK_RANK" != 0 ] || for key in J jobspec; do flux job info "$FLUX_JOB_ID" "$key"; done
`;
/** The jobspec in a line, as it was submitted. Flux keeps it signed, and shows it without the environment. */
function jobspecIn(line: string): string[] {
    const signed = /^[\w+/=]+\.([\w+/=]+)\.\w+$/.exec(line)?.[1];
    const text = signed === undefined ? line : Buffer.from(signed, "base64").toString();
    return /^\{.*"environment"/.test(text) ? [text] : [];
}

const words = ["sh", "-c", 'eval "$SHOW"'];
const RANK_S_OWN = ["HOSTNAME", "JOB_COMPLETION_INDEX", "POD_IP", "TOKEN"];

describe("Environment of jobs", () => {
    const namespace = useNamespace();
    const token = `token-${randomBytes(12).toString("hex")}`;
    let outputs: Record<string, any>;

    before(async () => {
        const POD_IP = { name: "POD_IP", valueFrom: { fieldRef: { fieldPath: "status.podIP" } } };
        const args = {
            image: namespace.image,
            size: 2,
            environment: { NIC: "none", TOKEN: pulumi.secret(token), SHOW },
            hooks: { init: "export NIC=nic-$JOB_COMPLETION_INDEX" },
            podTemplate: { spec: { containers: [{ name: "flux", env: [POD_IP] }] } },
        };
        const launch = `flux run -N2 sh -c 'eval "$SHOW"' && id=$(flux submit -N2 sh -c 'eval "$SHOW"') && flux job attach $id`;
        const stack = namespace.stack("environment", async () => {
            const cluster = new MiniCluster("stays", args);
            const job = new FluxJob("job", { cluster, command: words, nodes: 2 });
            const command = new MiniCluster("command", { ...args, command: words });
            const launcher = new MiniCluster("launches", { ...args, command: ["sh", "-c", launch], launcher: true });
            return {
                command: command.output,
                job: job.output,
                launcher: launcher.output,
                token: cluster.restfulToken,
            };
        });
        outputs = (await stack.up()).outputs;
    });

    /** Requires that each task has got its rank's own variables, and that none of them is in a jobspec. */
    function judge(output: string, cluster: string, jobs = 1): void {
        const hash = createHash("sha256").update(token).digest("hex").slice(0, 8);
        const lines = output.split("\n");
        const tasks = lines.filter((line) => line.endsWith(" address")).sort();
        const expected = [0, 1].flatMap((rank) =>
            Array(jobs).fill(`${cluster}-${rank} ${rank} ${hash} nic-${rank} address`),
        );
        assert.deepEqual(tasks, expected, output);
        const jobspecs = lines.flatMap(jobspecIn);
        assert.ok(jobspecs.length >= jobs, output);
        for (const jobspec of jobspecs) {
            const names = Object.keys(JSON.parse(jobspec).attributes.system.environment);
            assert.ok(names.includes("SHOW"), jobspec);
            const leaked = names.filter((name) => RANK_S_OWN.includes(name) || name.startsWith("MINICLUSTER_"));
            assert.deepEqual(leaked, []);
        }
        requireNoSecret([output, ...jobspecs], [token]);
    }

    it("keeps secrets and variables of a rank out of the job of a command", () => judge(outputs.command, "command"));

    it("keeps them out of the jobs that a launcher submits", () => judge(outputs.launcher, "launches", 2));

    it("keeps them out of a FluxJob", () => judge(outputs.job, "stays"));

    it("keeps them out of a job of the command line", async () => {
        const env = { ...process.env, KUBECONFIG: namespace.kubeconfig };
        const call = [cli, "submit", "-c", "stays", "--namespace", namespace.name, "-N2", "--", ...words];
        judge((await promisify(execFile)(process.execPath, call, { env })).stdout, "stays");
    });

    it("keeps them out of a job of kubectl exec", async () => {
        const id = (await namespace.exec("stays", ["flux", "submit", "-N2", ...words])).trim();
        judge(await namespace.exec("stays", ["flux", "job", "attach", id]), "stays");
    });

    it("keeps them out of a job of a shell in a pod, on every rank", async () => {
        judge(await namespace.exec("stays", ["bash", "-c", `exec flux run -N2 sh -c 'eval "$SHOW"'`], 1), "stays");
    });

    it("keeps them out of a job of the RESTful server", async () => {
        const forwarded = await forward(namespace, "stays", 5000);
        try {
            const client = new RestfulClient(`http://127.0.0.1:${forwarded.port}`, "flux", outputs.token);
            const job = { command: `sh -c 'eval "$SHOW"'`, num_tasks: "2", num_nodes: "2" };
            const { id } = await client.submit(job);
            const ended = async () => {
                const output = (await client.output(id))?.join("") ?? "";
                return output.split(" address\n").length > 2 && /"version": ?1/.test(output) ? output : undefined;
            };
            judge(await until("the job has printed", ended), "stays");
        } finally {
            forwarded.close();
        }
    });

    it("keeps them out of a job that submits a job", async () => {
        const nested = `flux submit -N2 sh -c 'eval "$SHOW"'`;
        const id = await namespace.exec("stays", ["flux", "run", "-n1", "--requires=rank:1", "sh", "-c", nested]);
        judge(await namespace.exec("stays", ["flux", "job", "attach", id.trim()]), "stays");
    });

    it("lets a job have its own value of a secret variable", async () => {
        const own = ["flux", "run", "--env=TOKEN=mine", "sh", "-c", 'echo "$TOKEN"'];
        assert.equal(await namespace.exec("stays", own), "mine\n");
    });
});
