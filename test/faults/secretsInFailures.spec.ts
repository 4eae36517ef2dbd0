import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";

import * as pulumi from "@pulumi/pulumi";
import { MiniCluster, type MiniClusterArgs, WaitFor } from "flux-minicluster";

import { bareUnlessCommand } from "../e2e/support/changing";
import { type TestNamespace, useNamespace } from "../e2e/support/namespace";
import { requireNoSecret } from "../e2e/support/secrets";
import type { TestStack } from "../e2e/support/stack";

/** Options for Pulumi's log with the highest verbosity. */
const VERBOSE = { logToStdErr: true, logFlow: true, logVerbosity: 9 };

const secret = (kind: string): string => `${kind}-${randomBytes(12).toString("hex")}`;

describe("unusable kubeconfig", () => {
    const namespace = useNamespace();
    const token = secret("token");

    const config = (server: string, authority?: string) =>
        JSON.stringify(
            {
                clusters: [{ name: "a", cluster: { server, "certificate-authority-data": authority } }],
                users: [{ name: "a", user: { token } }],
                contexts: [{ name: "a", context: { cluster: "a", user: "a" } }],
                "current-context": "a",
            },
            undefined,
            2,
        );

    const wrong: [name: string, what: string, kubeconfig: string, context: string | undefined, message: RegExp][] = [
        [
            "has-no-such-context",
            "it lacks the context",
            config("https://127.0.0.1:1"),
            "prod",
            /context "prod" is not in the kubeconfig; it has a\./,
        ],
        [
            "is-broken",
            "it is broken",
            config("https://127.0.0.1:1").replace('"token"', '"token'),
            undefined,
            /is not a kubeconfig in YAML or JSON, at line \d+/,
        ],
        ["is-none", "it is not a kubeconfig", token, undefined, /The argument kubeconfig names no clusters/],
    ];
    for (const [name, what, kubeconfig, context, message] of wrong) {
        it(`keeps its token out of messages, logs and files if ${what}`, async () => {
            const stack = namespace.stack(`failing-${name}`, async () => {
                new MiniCluster("failing", { image: namespace.image, kubeconfig: pulumi.secret(kubeconfig), context });
            });
            await failsInSilence(stack, message, [token]);
            await staysSilentInLogs(stack, "preview", [token]);
        });
    }

    it("keeps a token that the API server refuses out of messages, logs and files", async () => {
        const { caData, server } = namespace.kube.config.getCurrentCluster() ?? {};
        const kubeconfig = config(server ?? "", caData);
        // The Kubernetes provider makes the other objects with the namespace's own kubeconfig.
        const stack = namespace.stack("refused", async () => {
            new MiniCluster("refused", {
                image: namespace.image,
                namespace: namespace.name,
                kubeconfig: pulumi.secret(kubeconfig),
            });
        });
        await failsInSilence(stack, /refused[^]*(Unauthorized|401)/, [token]);
        await staysSilentInLogs(stack, "up", [token]);
    });
});

describe("secret of a failing MiniCluster", () => {
    const namespace = useNamespace();
    const password = secret("pass");

    /** Failures other than a wrong kubeconfig. */
    const failures: [what: string, args: () => Partial<MiniClusterArgs>, message: RegExp][] = [
        [
            "arguments are wrong",
            () => ({ environment: { "not a name": pulumi.secret(password), PASSWORD: pulumi.secret(password) } }),
            /environment\.not a name/,
        ],
        [
            "the command is a secret",
            () => ({ command: ["sh", "-c", pulumi.secret(`echo ${password}`)] }),
            /command: has a secret, which would be readable in Kubernetes/,
        ],
        [
            "the command fails",
            () => ({
                command: ["bash", "-c", 'echo "<$PASSWORD>"; exit 3'],
                output: { secret: true },
                environment: { PASSWORD: pulumi.secret(password) },
            }),
            /The command ended with exit code 3\.\s+output\.secret keeps the lead's log out of this message/,
        ],
    ];
    for (const [index, [what, args, message]] of failures.entries()) {
        it(`stays out of messages, logs and files when ${what}`, async () => {
            const stack = clusterStack(namespace, `fails-${index}`, args);
            await failsInSilence(stack, message, [password]);
            await staysSilentInLogs(stack, "up", [password]);
        });
    }

    it("stays out of messages, logs and files when a running command refuses a change", async () => {
        let PASSWORD = secret("first");
        const stack = clusterStack(namespace, "runs", () => ({
            command: ["sleep", "inf"],
            waitFor: WaitFor.Ready,
            environment: { PASSWORD: pulumi.secret(PASSWORD) },
            triggers: [PASSWORD.length],
        }));
        await stack.up();
        await namespace.untilCounted("runs", 1);
        const secrets = [PASSWORD];
        PASSWORD = secret("another");
        secrets.push(PASSWORD);
        await failsInSilence(
            stack,
            /This change replaces the Job, but the Job's command has been running for/,
            secrets,
        );
        await staysSilentInLogs(stack, "up", secrets);
    });
});

describe("secret of a MiniCluster whose Job Kubernetes refuses", () => {
    const namespace = useNamespace();

    it("stays out of messages, logs and files", async () => {
        const body = { metadata: { name: "no-jobs" }, spec: { hard: { "count/jobs.batch": "0" } } };
        await namespace.kube.core.createNamespacedResourceQuota({ namespace: namespace.name, body });
        const password = secret("pass");
        const kubeconfig = readFileSync(namespace.kubeconfig, "utf8");
        const token =
            namespace.kube.config.getCurrentUser()?.token ??
            /token: (\S+)/.exec(kubeconfig)?.[1] ??
            /"token":"([^"]+)"/.exec(kubeconfig)?.[1] ??
            "";
        assert(token.length > 20, "the kubeconfig has no token");
        const stack = clusterStack(namespace, "refused", () => ({
            environment: { PASSWORD: pulumi.secret(password) },
            kubeconfig: pulumi.secret(kubeconfig),
        }));
        await failsInSilence(stack, /Job \S+\/refused can't be created: [^]*quota/, [password, token]);
        await staysSilentInLogs(stack, "up", [password, token]);
    });
});

function clusterStack(namespace: TestNamespace, name: string, args: () => Partial<MiniClusterArgs>): TestStack {
    return namespace.stack(name, async () => {
        new MiniCluster(name, { image: namespace.image, ...bareUnlessCommand(args()) });
    });
}

/** Requires that an update fails with this message, and that its output and files (the state too) show no secret. */
async function failsInSilence(stack: TestStack, message: RegExp, secrets: readonly string[]): Promise<void> {
    const { text } = await stack.fails("up");
    assert.match(text, message);
    requireNoSecret([text, stack.printed, ...stack.files()], secrets);
}

/**
 * Requires that the same command with Pulumi's log shows no secret in the package's own messages. Other lines are not
 * checked: Pulumi's log has the values for providers, and the SDK's debug messages have the engine's answers.
 */
async function staysSilentInLogs(stack: TestStack, verb: "preview" | "up", secrets: readonly string[]): Promise<void> {
    const verbose: string[] = [];
    const onError = (line: string) => verbose.push(line);
    const { events, text } = await stack.fails(() =>
        stack.run<{ stdout: string }>((opened, onEvent, onOutput) =>
            opened[verb]({ onEvent, onOutput, onError, ...VERBOSE }),
        ),
    );
    assert(verbose.length > 0, "Pulumi wrote no log");
    const diagnostics = events.flatMap(({ diagnosticEvent }) => diagnosticEvent ?? []);
    // The type of `severity` lacks "debug".
    const isDebug = (severity: string) => severity === "debug";
    const ours = diagnostics.filter(
        ({ message, severity }) => !isDebug(severity) || !message.startsWith("RegisterResource RPC finished"),
    );
    const said = ours.map(({ message }) => message);
    const logged = [text, ...verbose]
        .join("\n")
        .split("\n")
        .filter((line) => OURS.test(line));
    assert(said.length > 0, "the package wrote no message");
    requireNoSecret([...said, ...logged, ...stack.files()], secrets);
}

/** Matches the lines of the package's messages. */
const OURS = /has a problem|have problems|kubeconfig can't be read|can't be created|ended with exit code|This change /;
