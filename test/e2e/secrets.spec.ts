import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";

import * as pulumi from "@pulumi/pulumi";
import { MiniCluster } from "flux-minicluster";

import { rankOf, useNamespace } from "./support/namespace";
import { requireNoSecret } from "./support/secrets";
import type { Result, TestStack } from "./support/stack";

/** Each task prints the hash of its secret variable. Task 0 also prints everything that Flux stores of the job. */
const script = `
printf '%s' "$PASSWORD" | sha256sum
[ "$FLUX_TASK_RANK" = 0 ] || exit 0
for key in J jobspec R eventlog; do flux job info "$FLUX_JOB_ID" "$key"; done
`;

describe("secret variable", () => {
    const namespace = useNamespace();
    const password = `pass-${randomBytes(12).toString("hex")} "$x'`;
    let stack: TestStack;
    let up: Result;
    let key: string;

    before(async () => {
        stack = namespace.stack("secret", async () => ({
            output: new MiniCluster("secret", {
                image: namespace.image,
                size: 2,
                environment: { PASSWORD: pulumi.secret(password), PLAIN: "plain" },
                command: ["bash", "-c", script],
            }).output,
        }));
        up = await stack.up();
        key = await secretKey();
    });

    it("reaches each task", () => {
        const hash = createHash("sha256").update(password).digest("hex");
        assert.equal(up.outputs.output.split(hash).length - 1, 2);
    });

    it("appears in no Kubernetes object except the Secret", async () => {
        const { batch, core, discovery } = namespace.kube;
        const here = { namespace: namespace.name };
        const lists = await Promise.all([
            core.listNamespacedConfigMap(here),
            core.listNamespacedEvent(here),
            core.listNamespacedPod(here),
            core.listNamespacedService(here),
            batch.listNamespacedJob(here),
            discovery.listNamespacedEndpointSlice(here),
        ]);
        for (const list of lists) {
            assert(list.items.length > 0);
            requireNone([JSON.stringify(list)]);
        }
    });

    it("appears in no pod log", async () => {
        for (const pod of await namespace.pods("secret")) {
            const log = namespace.kube.core.readNamespacedPodLog({
                name: pod.metadata?.name ?? "",
                namespace: namespace.name,
            });
            // The Job has finished, so Kubernetes removes the followers' pods.
            const text = await log.catch((error: { code?: number }) =>
                rankOf(pod) > 0 && error.code === 404 ? "" : Promise.reject(error),
            );
            requireNone([text]);
        }
    });

    it("stays out of the job that Flux stores", () => {
        const { output } = up.outputs as { output: string };
        const signed = /^[\w+/=]+\.[\w+/=]+\.\w+$/m.exec(output)?.[0] ?? "";
        const jobspec = signed
            .split(".")
            .map((part) => Buffer.from(part, "base64").toString())
            .join("\n");
        assert.match(output + jobspec, /"PLAIN": ?"plain"/, "the stored job has no environment");
        requireNone([jobspec, output]);
    });

    it("appears in nothing that Pulumi prints or writes to a file", async () => {
        await stack.preview();
        await stack.refresh();
        const files = stack.files();
        assert(files.some((text) => text.includes("JobStatus")));
        requireNone([stack.printed, ...files]);
    });

    it("stays out of the plain output if output.secret is true", async () => {
        const token = randomBytes(8).toString("hex");
        const quiet = namespace.stack("quiet", async () => {
            const args = { image: namespace.image, output: { secret: true } };
            const { output } = new MiniCluster("quiet", {
                ...args,
                environment: { HALF: token },
                command: ["bash", "-c", 'echo "<$HALF>"'],
            });
            return { output };
        });
        const { outputs } = await quiet.up();
        assert.equal(outputs.output, `<${token}>\n`);
        for (const text of [quiet.printed, ...quiet.files()]) {
            assert(!text.includes(`<${token}>`), "the secret output is readable");
        }
    });

    it("stays out of the error of a failing command if output.secret is true", async () => {
        const token = randomBytes(8).toString("hex");
        const failing = namespace.stack("failing", async () => {
            const args = { image: namespace.image, output: { secret: true } };
            const command = ["bash", "-c", 'echo "<$HALF>"; exit 3'];
            const { output } = new MiniCluster("failing", { ...args, environment: { HALF: token }, command });
            return { output };
        });
        const { text } = await failing.fails("up");
        assert.match(
            text,
            /The command ended with exit code 3\.\s+output\.secret keeps the lead's log out of this message/,
        );
        const status = (await failing.decrypted()).find(({ urn }) => urn.endsWith("::failing-status"));
        assert.match(JSON.stringify(status?.outputs?.output), new RegExp(token));
        for (const printed of [failing.printed, ...failing.files()]) {
            assert(!printed.includes(`<${token}>`), "the secret output is readable");
        }
    });

    const requireNone = (texts: readonly string[]) => requireNoSecret(texts, [password, key]);

    async function secretKey(): Promise<string> {
        const { data } = await namespace.kube.core.readNamespacedSecret({
            name: "secret-secret",
            namespace: namespace.name,
        });
        const certificate = Buffer.from(data?.["curve.cert"] ?? "", "base64").toString();
        assert.equal(Buffer.from(data?.["env.PASSWORD"] ?? "", "base64").toString(), password);
        const found = /secret-key = "(.{40})"/.exec(certificate)?.[1];
        assert(found !== undefined);
        return found;
    }
});
