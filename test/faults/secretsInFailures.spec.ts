import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";

import * as pulumi from "@pulumi/pulumi";
import { MiniCluster } from "flux-minicluster";

import { useNamespace } from "../e2e/support/namespace";

/** Pulumi's own log, as verbose as it can be. */
const VERBOSE = { logToStdErr: true, logFlow: true, logVerbosity: 9 };

describe("a kubeconfig that can't be used", () => {
    const namespace = useNamespace();
    const token = `token-${randomBytes(12).toString("hex")}`;

    const config = (server: string) =>
        JSON.stringify(
            {
                clusters: [{ name: "a", cluster: { server } }],
                users: [{ name: "a", user: { token } }],
                contexts: [{ name: "a", context: { cluster: "a", user: "a" } }],
                "current-context": "a",
            },
            undefined,
            2,
        );

    const wrong: [what: string, kubeconfig: string, context: string | undefined, message: RegExp][] = [
        ["has no such context", config("https://127.0.0.1:1"), "prod", /context "prod" is not in the kubeconfig; it has a\./],
        ["is broken", config("https://127.0.0.1:1").replace('"token"', '"token'), undefined, /is not a kubeconfig in YAML or JSON, at line \d+/],
        ["is none", token, undefined, /The argument kubeconfig names no clusters/],
    ];
    for (const [what, kubeconfig, context, message] of wrong) {
        it(`${what}: its token is in no message, log line or file`, async () => {
            const stack = namespace.stack(`failing-${what.replaceAll(" ", "-")}`, async () => {
                new MiniCluster("failing", { image: namespace.image, kubeconfig: pulumi.secret(kubeconfig), context });
            });
            const { text } = await stack.fails("up");
            assert.match(text, message);
            for (const printed of [stack.printed, ...stack.files()]) {
                assert(!printed.includes(token), "the token is readable");
            }
            const verbose: string[] = [];
            const preview = stack.run((opened, onEvent, onOutput) => {
                return opened.preview({ onEvent, onOutput, onError: (line) => verbose.push(line), ...VERBOSE });
            });
            await assert.rejects(preview);
            assert(verbose.length > 0, "there is no log");
            // What Pulumi itself logs of the values that it passes to a provider is Pulumi's; ours are host and failures.
            const ours = [stack.printed, ...verbose].join("\n").split("\n").filter((line) => /has a problem|kubeconfig can't be read/.test(line));
            assert(ours.length > 0);
            assert(ours.every((line) => !line.includes(token)), "the token is readable in the log");
        });
    }
});
