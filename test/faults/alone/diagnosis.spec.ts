import assert from "node:assert/strict";

import { MiniCluster, type MiniClusterArgs } from "flux-minicluster";

import { noFluxImage, oldStandinImage } from "../../../scripts/local/images";
import { requestsOf } from "../../e2e/support/auditLog";
import { bareUnlessCommand } from "../../e2e/support/changing";
import { actionOf, type ApiRequest, to, useFaultProxy } from "../../e2e/support/faultProxy";
import { importTestImage } from "../../e2e/support/images";
import { useNamespace } from "../../e2e/support/namespace";
import type { TestStack } from "../../e2e/support/stack";
import { until } from "../../e2e/support/until";

/** Short timeouts, so that problems fail soon. */
const timeouts = { imagePull: 3, podCreation: 3, podStart: 3, unschedulable: 3, ready: 40 };
const ends = (code: number, how: string) => ["sh", "-c", `echo ${how} >&2; exit ${code}`];

interface Case {
    readonly args: Partial<MiniClusterArgs>;
    readonly says: RegExp;
    readonly phase: string;
}

/** The cases by cluster name. All clusters fail in one update, in parallel. */
const cases: Readonly<Record<string, Case>> = {
    pull: {
        args: { image: "localhost/there-is-none:1" },
        says: /pull-0-\w+ does not start: (ErrImagePull|ImagePullBackOff): .*localhost\/there-is-none:1.*\(for 3 s; raise timeouts\.imagePull to wait longer\)/,
        phase: "pending",
    },
    never: {
        args: { image: "localhost/there-is-none:1", imagePullPolicy: "Never" },
        says: /never-0-\w+ does not start: ErrImageNeverPull: .*localhost\/there-is-none:1/,
        phase: "pending",
    },
    unschedulable: {
        args: { nodeSelector: { "example.com/gpu": "h100" } },
        says: /unschedulable-0-\w+ can't be scheduled: 0\/1 nodes are available: 1 node\(s\) didn't match Pod's node affinity\/selector.*\(for 3 s; raise timeouts\.unschedulable/,
        phase: "pending",
    },
    "too-large": {
        args: { resources: { requests: { cpu: "1000" } } },
        says: /too-large-0-\w+ can't be scheduled: 0\/1 nodes are available: 1 Insufficient cpu/,
        phase: "pending",
    },
    quota: {
        args: { resources: { limits: { "example.com/widget": "1" } } },
        says: /Kubernetes can't create a pod: .*exceeded quota: no-widgets.*\(for 3 s; raise timeouts\.podCreation/,
        phase: "pending",
    },
    account: {
        args: { serviceAccountName: "nobody" },
        says: /Kubernetes can't create a pod: .*serviceaccount "nobody" not found/,
        phase: "pending",
    },
    "secret-volume": {
        args: { volumes: [{ name: "data", mountPath: "/data", secret: "there-is-none" }] },
        says: /secret-volume-0-\w+ does not start: MountVolume\.SetUp failed.*secret "there-is-none" not found.*\(for 3 s; raise timeouts\.podStart/,
        phase: "pending",
    },
    "secret-key": {
        args: {
            podTemplate: {
                spec: {
                    containers: [
                        { name: "flux", env: [{ name: "A", valueFrom: { secretKeyRef: { name: "none", key: "a" } } }] },
                    ],
                },
            },
        },
        says: /secret-key-0-\w+ does not start: CreateContainerConfigError: secret "none" not found/,
        phase: "pending",
    },
    "no-flux": {
        args: { image: noFluxImage, command: ["true"] },
        says: /no-flux-0-\w+ can't start: the image has no flux on PATH \(.*\); install flux-core in it, or correct PATH\./,
        phase: "failed",
    },
    "no-flux-lasting": {
        args: { image: noFluxImage },
        says: /no-flux-lasting-0-\w+ can't start: the image has no flux on PATH \(.*\); install flux-core in it, or correct PATH\./,
        phase: "starting",
    },
    "old-flux": {
        args: { image: oldStandinImage, command: ["true"] },
        says: /old-flux-0-\w+ can't start: \S+ is flux-core 0\.40\.0; at least [\d.]+ is needed/,
        phase: "failed",
    },
    toml: {
        args: { broker: { config: "this is no TOML" }, command: ["true"] },
        says: /toml-0-\w+ ended with exit code 1 before its broker had its quorum\.\s+toml-0-\w+: The configuration is not valid TOML .*\s+The end of the lead's log:[^]*Config file error/,
        phase: "failed",
    },
    "toml-lasting": {
        args: { broker: { config: "this is no TOML" } },
        says: /toml-lasting-0-\w+ ended with exit code 1 before it was ready, and so did the pod before it\.\s+toml-lasting-0-\w+: The configuration is not valid TOML .*\s+The end of the lead's log:[^]*Config file error/,
        phase: "starting",
    },
    crash: {
        args: { hooks: { init: "echo no licence >&2; exit 3" }, command: ["true"] },
        says: /crash-0-\w+ can't start: the init hook ended the start with exit code 3\.\s+The end of the lead's log:\s+no licence/,
        phase: "failed",
    },
    "crash-lasting": {
        args: { hooks: { init: "echo no licence >&2; exit 3" } },
        says: /crash-lasting-0-\w+ can't start: the init hook ended the start with exit code 3\.\s+The end of the lead's log:\s+no licence/,
        phase: "starting",
    },
    command: {
        args: { command: ends(7, "the disk is full") },
        says: /command: The command ended with exit code 7\.\s+The end of the lead's log:[^]*the disk is full/,
        phase: "failed",
    },
    missing: {
        args: { command: ["there-is-no-such-program"] },
        says: /missing: The command ended with exit code 127\./,
        phase: "failed",
    },
    memory: {
        args: { resources: { limits: { memory: "96Mi" } }, command: ["python3", "-c", "bytearray(200 * 2 ** 20)"] },
        says: /memory-0-\w+ ran out of memory, of which files in \/dev\/shm are a part\. Raise resources\.limits\.memory\./,
        phase: "failed",
    },
    deadline: {
        args: { activeDeadlineSeconds: 10, command: ["sleep", "inf"] },
        says: /deadline: DeadlineExceeded: Job was active longer than specified deadline \(raise activeDeadlineSeconds for a longer run\)/,
        phase: "failed",
    },
    join: {
        args: {
            size: 3,
            hooks: { worker: 'if [ "$JOB_COMPLETION_INDEX" = 2 ]; then sleep inf; fi' },
            timeouts: { ready: 25 },
        },
        says: /No quorum within timeouts\.ready, 25 s: join-2-\w+ did not join\./,
        phase: "starting",
    },
};

describe("failing MiniCluster", () => {
    const namespace = useNamespace();
    let stack: TestStack;
    let text: string;

    before(async () => {
        await Promise.all([noFluxImage, oldStandinImage].map(importTestImage));
        const body = { metadata: { name: "no-widgets" }, spec: { hard: { "requests.example.com/widget": "0" } } };
        await namespace.kube.core.createNamespacedResourceQuota({ namespace: namespace.name, body });
        stack = namespace.stack("diagnosis", async () => {
            Object.entries(cases).forEach(
                ([name, { args }]) =>
                    new MiniCluster(name, { image: namespace.image, timeouts, ...bareUnlessCommand(args) }),
            );
        });
        const update = stack.run((open, onEvent, onOutput) => open.up({ onEvent, onOutput, continueOnError: true }));
        text = await update.then(
            () => "",
            () => stack.printed,
        );
    });

    for (const [name, { phase, says }] of Object.entries(cases)) {
        it(`reports the cause of its failure (${name})`, () => assert.match(diagnostics(name), says));

        it(`keeps its Job and its phase in the state (${name})`, async () => {
            const resources = stack.resources();
            const status = resources.find(({ urn }) => urn.endsWith(`::${name}-status`));
            assert.equal(status?.outputs?.phase, phase);
            assert(resources.some(({ urn }) => urn.endsWith(`::${name}-job`)));
        });
    }

    it("leaves nothing when it is destroyed", async () => {
        await stack.destroy();
        await namespace.assertNothingLeft();
    });

    /** The diagnostics of one cluster. */
    function diagnostics(name: string): string {
        const [, all = ""] = text.split(/^Diagnostics:$/m);
        const parts = all.split(/^ {2}(?=\S)/m);
        return parts.find((part) => part.includes(`(${name}-status)`)) ?? all;
    }
});

describe("pod security standard restricted", () => {
    const namespace = useNamespace({ podSecurity: "restricted" });

    it("is named in the error if it refuses the pods", async () => {
        const stack = namespace.stack("denied", async () => {
            new MiniCluster("denied", { image: namespace.image, restful: { enabled: false }, timeouts });
        });
        const { text } = await stack.fails("up");
        assert.match(
            text,
            /Kubernetes can't create a pod: .*violates PodSecurity "restricted:latest": allowPrivilegeEscalation.*; cure: the fields .* docs\/security\.md/,
        );
    });

    it("accepts pods with the fields that it requires", async () => {
        const stack = namespace.stack("restricted", async () => ({
            output: new MiniCluster("restricted", {
                image: namespace.image,
                size: 2,
                command: ["id", "-u"],
                podSecurityContext: { runAsUser: 1000, runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } },
                securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } },
            }).output,
        }));
        const { outputs } = await stack.up();
        assert.match(outputs.output, /^1000$/m);
    });
});

describe("pulumi up with a faulty API server", () => {
    const namespace = useNamespace();
    const proxy = useFaultProxy(namespace);

    function stackOf(name: string, args: Partial<MiniClusterArgs>): TestStack {
        const program = async () => ({
            output: new MiniCluster(name, { image: namespace.image, ...bareUnlessCommand(args) }).output,
        });
        return namespace.stack(name, program);
    }

    it("waits until the API server answers again", async () => {
        const stack = stackOf("away", {
            command: ["sh", "-c", "until [ -e /tmp/go ]; do sleep 0.1; done; echo went on"],
        });
        const up = stack.up();
        await until("the command runs", async () => (/command runs/.test(stack.printed) ? true : undefined));
        await proxy().away();
        await until("the update reports the silent API server", async () =>
            /the API server does not answer/.test(stack.printed) ? true : undefined,
        );
        await namespace.exec("away", ["touch", "/tmp/go"]);
        await proxy().back();
        assert.match((await up).outputs.output, /went on/);
    });

    it("repeats requests that get 429, 500 or 503", async () => {
        for (const [method, ending, code] of [
            ["GET", "jobs/busy", 429],
            ["GET", "services/busy-lead", 500],
            ["GET", "jobs", 503],
            ["GET", "pods", 429],
            ["WATCH", "jobs", 500],
        ] as const) {
            proxy().answer(to(method, ending), code, 2);
        }
        const { outputs } = await stackOf("busy", { command: ["echo", "done"] }).up();
        assert.match(outputs.output, /done/);
    });

    it("creates one Job when the answer to its creation is lost", async () => {
        proxy().cut(to("POST", "jobs"), "answer");
        const from = requestsOf(namespace.username).length;
        const { outputs } = await stackOf("cut", { command: ["echo", "done"] }).up();
        assert.match(outputs.output, /done/);
        const created = requestsOf(namespace.username)
            .slice(from)
            .filter(({ resource, uri, verb }) => `${verb} ${resource}` === "create jobs" && !uri.includes("dryRun"));
        assert.equal(created.filter(({ code }) => code === 201).length, 1);
    });

    it("succeeds when watches are cut", async () => {
        for (const kind of ["jobs", "pods", "events"]) {
            proxy().cut(to("WATCH", kind), "answer", 3);
        }
        const { outputs } = await stackOf("watch", { command: ["echo", "done"] }).up();
        assert.match(outputs.output, /done/);
    });

    it("succeeds when a watch gets 410, and lists its objects again", async () => {
        proxy().answer(to("WATCH", "pods"), 410, 1);
        proxy().answer(to("WATCH", "jobs"), 410, 1);
        const from = proxy().requests.length;
        const { outputs } = await stackOf("gone", { command: ["echo", "done"] }).up();
        assert.match(outputs.output, /done/);
        for (const kind of ["pods", "jobs"]) {
            const isOfKind = (request: ApiRequest) => to("GET", kind)(request) || to("WATCH", kind)(request);
            // The argument fit also lists the pods of all namespaces.
            const own = proxy()
                .requests.slice(from)
                .filter(({ path }) => path.includes("/namespaces/"));
            const actions = own.filter(isOfKind).map(actionOf);
            assert.deepEqual(actions.slice(0, 3), ["GET", "WATCH", "GET"], `requests for ${kind}`);
        }
    });

    it("quotes a refusal of the Job, and leaves nothing after a destroy", async () => {
        const name = "refused";
        proxy().answer(to("POST", "jobs"), 409);
        const stack = stackOf(name, {});
        const { text } = await stack.fails("up");
        assert.match(text, /Job \S+\/refused can't be created: the proxy says 409/);
        await stack.destroy();
        await namespace.assertNothingLeft((object) => object.includes(`/${name}`));
    });
});
