import assert from "node:assert/strict";

import { networkPolicy } from "../../../../../components/features/network/policy";
import { Network } from "../../../../../components/features/network/kind";
import { podMonitor } from "../../../../../components/features/metrics/podMonitor";
import { validateMetrics } from "../../../../../components/features/metrics/rules";
import { leadService } from "../../../../../components/pod/services";
import { makeSpec } from "../../../support/spec";

type Args = NonNullable<Parameters<typeof makeSpec>[0]>;

const problemsOf = (args: Args) =>
    validateMetrics(makeSpec(args)).map(({ property, reason }) => `${property}: ${reason}`);

describe("validateMetrics", () => {
    const right: [string, Args][] = [
        ["no metrics", {}],
        ["all defaults, of a cluster with a command too", { command: ["a"], metrics: {} }],
        ["the port of a server that doesn't run", { metrics: { port: 5000 }, restful: { enabled: false } }],
        ["intervals of Prometheus", { metrics: { podMonitor: { interval: "1m30s" } } }],
    ];
    for (const [what, args] of right) {
        it(`accepts ${what}`, () => assert.deepEqual(problemsOf(args), []));
    }

    const taken = (port: number, owner: string) => `metrics.port: is ${port}, which is ${owner}. Change one of them.`;
    const wrong: [Args, string][] = [
        [{ metrics: { port: 65536 } }, "metrics.port: is 65536; ports go from 1 to 65535."],
        [{ metrics: { port: 8050 } }, taken(8050, "the broker's port")],
        [{ command: [], metrics: { port: 5000 } }, taken(5000, "restful.port")],
        [
            { metrics: { port: 8051 }, network: Network.Hosts },
            'metrics.port: is 8051, but network "hosts" needs the port after broker.port. Change one of them.',
        ],
        [
            { metrics: { clients: [{ podSelector: {} }] } },
            "metrics.clients: are given, but without networkPolicy every client reaches the port. " +
                "Set networkPolicy: true, or remove them.",
        ],
        [
            { metrics: { podMonitor: { interval: "half a minute" } } },
            'metrics.podMonitor.interval: is "half a minute", which is no duration of Prometheus. Write it like "30s".',
        ],
    ];
    for (const [args, problem] of wrong) {
        it(`refuses ${problem}`, () => assert.deepEqual(problemsOf(args), [problem]));
    }
});

describe("metrics in the manifests", () => {
    const annotationsOf = (args: Args) =>
        Object.keys(leadService(makeSpec(args)).metadata.annotations as object).filter((name) => name.includes("io/"));

    it("are annotated on the lead Service only, unless there is a PodMonitor", () => {
        const all = ["prometheus.io/path", "prometheus.io/port", "prometheus.io/scrape"];
        assert.deepEqual(annotationsOf({ metrics: {} }), all);
        assert.deepEqual(annotationsOf({ metrics: { podMonitor: {} } }), []);
        assert.deepEqual(annotationsOf({ metrics: { annotations: false } }), []);
        assert.deepEqual(annotationsOf({ metrics: { annotations: true, podMonitor: {} } }), all);
        assert.deepEqual(annotationsOf({ metrics: { enabled: false } }), []);
    });

    it("have a PodMonitor that selects the lead, with the labels that a Prometheus looks for", () => {
        const labels = { release: "stack" };
        const { metadata, spec } = podMonitor(makeSpec({ metrics: { podMonitor: { interval: "30s", labels } } }));
        assert.equal(metadata.labels.release, "stack");
        assert.deepEqual(spec, {
            selector: {
                matchLabels: {
                    "batch.kubernetes.io/job-completion-index": "0",
                    "batch.kubernetes.io/job-name": "lammps",
                },
            },
            podMetricsEndpoints: [{ port: "metrics", path: "/metrics", interval: "30s" }],
        });
    });

    it("admit their clients to their own port only", () => {
        const clients = [{ namespaceSelector: {} }];
        const policy = networkPolicy(makeSpec({ metrics: { clients, port: 9100 }, networkPolicy: true }));
        assert.deepEqual(policy.spec.ingress.slice(1), [{ from: clients, ports: [{ port: 9100, protocol: "TCP" }] }]);
    });
});
