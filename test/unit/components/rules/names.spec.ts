import assert from "node:assert/strict";

import { decideCluster } from "../../../../components/arguments/decide";
import { dropNulls } from "../../../../components/arguments/dropNulls";
import { describeProblems } from "../../../../components/rules/problem";
import { limit } from "../../../../scripts/tests/limits";
import { makeArgs } from "../../support/spec";

const problemsOf = (args: object) => decideCluster("lammps", dropNulls(makeArgs(args))).problems;
const pathsOf = (args: object) => problemsOf(args).map(({ property }) => property);

const volume = { name: "data", mountPath: "/data", hostPath: "/mnt" };

// The API server would refuse these values too late, during the update.
describe("decideCluster", () => {
    const wrong: [string, object, string][] = [
        ["a number above int32", { backoffLimit: 2 ** 31 }, "backoffLimit"],
        ["a size above the maximum of a Job, even without maxSize", { size: 100_001 }, "size"],
        ["more cores than any machine has", { resources: { limits: { cpu: "1e12" } } }, "resources.limits.cpu"],
        ["a label with a space", { labels: { "a b": "c" } }, "labels.a b"],
        ["a label's value that is too long", { nodeSelector: { a: "x".repeat(64) } }, "nodeSelector.a"],
        [
            "a label of the package",
            { podLabels: { "app.kubernetes.io/name": "a" } },
            "podLabels.app.kubernetes.io/name",
        ],
        [
            "an annotation of the package",
            { annotations: { "flux-minicluster/nonce": "a" } },
            "annotations.flux-minicluster/nonce",
        ],
        ["an annotation without a name", { podAnnotations: { "": "a" } }, "podAnnotations."],
        ["annotations of more than 256 KiB", { annotations: { a: "x".repeat(300_000) } }, "annotations"],
        ["an empty name of a Secret", { certificateSecret: "" }, "certificateSecret"],
        ["an image with a space", { image: "flux 1" }, "image"],
        ["an invalid cluster domain", { clusterDomain: "a b" }, "clusterDomain"],
        ["a LocalQueue without a name", { queueName: "" }, "queueName"],
        ["a resource that containers don't have", { resources: { limits: { gpu: "1" } } }, "resources.limits.gpu"],
        [
            "a request above its limit",
            { resources: { limits: { cpu: "1" }, requests: { cpu: "2" } } },
            "resources.requests.cpu",
        ],
        [
            "a device without a limit",
            { resources: { requests: { "example.com/a": "1" } } },
            "resources.requests.example.com/a",
        ],
        [
            "a toleration of all taints without Exists",
            { tolerations: [{ effect: "NoSchedule" }] },
            "tolerations[0].key",
        ],
        [
            "a toleration with both Exists and a value",
            { tolerations: [{ key: "a", operator: "Exists", value: "b" }] },
            "tolerations[0].value",
        ],
        [
            "tolerationSeconds without the effect NoExecute",
            { tolerations: [{ key: "a", tolerationSeconds: 1 }] },
            "tolerations[0].tolerationSeconds",
        ],
        [
            'a RESTful port that network "hosts" uses',
            { command: [], network: "hosts", restful: { port: 8051 } },
            "restful.port",
        ],
        [
            "a mount over the accounts that user makes",
            { user: {}, volumes: [{ ...volume, mountPath: "/etc/passwd" }] },
            "volumes[0].mountPath",
        ],
        ["a mount over the view", { view: { image: "a", prefix: "/data" }, volumes: [volume] }, "volumes[0].mountPath"],
        ["a mount path with a colon", { volumes: [{ ...volume, mountPath: "/a:b" }] }, "volumes[0].mountPath"],
        ["a hostPath with ..", { volumes: [{ ...volume, hostPath: "/a/../b" }] }, "volumes[0].hostPath"],
        [
            "an item's path that leaves the volume",
            { volumes: [{ name: "a", mountPath: "/a", secret: "a", items: { a: "../b" } }] },
            "volumes[0].items.a",
        ],
        ["a variable that is too long for Linux", { environment: { A: "x".repeat(131_072) } }, "environment.A"],
        ["a variable with a NUL character", { environment: { A: "\0" } }, "environment.A"],
        ["hooks that are too large for a ConfigMap", { hooks: { pre: "x".repeat(1_000_000) } }, "hooks"],
    ];
    for (const [what, args, property] of wrong) {
        it(`names the property of ${what}`, () => assert.deepEqual(pathsOf(args), [property]));
    }
});

describe("decideCluster", () => {
    it("names values that JSON can't hold, and holes in lists", () => {
        const problems = problemsOf({
            size: 1n,
            tasks: Symbol("s"),
            launcher: () => 1,
            labels: { a: NaN },
            command: Array(1),
        });
        assert.deepEqual(problems.map(({ property, reason }) => `${property} ${reason.split(";")[0]}`).sort(), [
            "command[0] is undefined",
            "labels.a is NaN",
            "launcher is a function",
            "size is 1",
            "tasks is Symbol(s)",
        ]);
    });

    it("needs little CPU for a huge misspelt name", () => {
        const started = process.cpuUsage();
        assert.equal(pathsOf({ ["x".repeat(200_000)]: 1 }).length, 1);
        const { user } = process.cpuUsage(started);
        assert.ok(user < limit(1) * 1e6, `${user / 1e6} s of CPU`);
    });

    it("names a misspelt argument that is null", () => {
        assert.deepEqual(pathsOf({ sise: null }), ["sise"]);
    });

    it("keeps errors short, on one line each, without control characters", () => {
        const text = describeProblems(
            "lammps",
            problemsOf({ environment: { ["\u001b[31m\n" + "x".repeat(5000)]: "1" }, placement: "x".repeat(5000) }),
        );
        const lines = text.split("\n");
        assert.equal(lines.length, 2);
        assert.ok(lines[1].length < 1300);
        const many = Array.from({ length: 150 }, (_, index) => ({
            property: `a[${index}]`,
            reason: "is\u001b wrong.",
        }));
        const listed = describeProblems("lammps", many).split("\n");
        assert.deepEqual(
            [listed.length, listed[1], listed.at(-1)],
            [102, "  a[0]: is\\u001b wrong.", "  and 50 more."],
        );
    });
});
