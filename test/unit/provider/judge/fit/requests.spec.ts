import assert from "node:assert/strict";

import { amountsOf, describeAmount, describePart, timesIn } from "../../../../../provider/judge/fit/amounts";
import { limitsOf, requestsOf, withApiDefaults } from "../../../../../provider/judge/fit/requests";

const GI = 2 ** 30;
const container = (name: string, cpu: string, more: object = {}) => ({
    name,
    resources: { requests: { cpu } },
    ...more,
});

describe("amountsOf", () => {
    it("rounds up to whole units, and CPUs to thousandths", () => {
        assert.deepEqual(amountsOf({ cpu: "1.1", memory: "1.5Gi", "nvidia.com/gpu": "2", "requests.cpu": "0.0001" }), {
            cpu: 1100,
            memory: 1.5 * GI,
            "nvidia.com/gpu": 2,
            "requests.cpu": 1,
        });
    });

    it("is described in the units of users", () => {
        assert.equal(describeAmount("cpu", 500), "0.5 cpu");
        assert.equal(describeAmount("memory", 1.5 * GI), "1.5 GiB memory");
        assert.equal(describeAmount("nvidia.com/gpu", 2), "2 nvidia.com/gpu");
        assert.equal(describePart("requests.memory", GI, 2 * GI), "1 GiB of 2 GiB requests.memory");
    });
});

describe("timesIn", () => {
    it("is limited by the scarcest resource, of which there may be none or less", () => {
        assert.equal(timesIn({ cpu: 1000, memory: GI }, { cpu: 3500, memory: 2 * GI }), 2);
        assert.equal(timesIn({ "nvidia.com/gpu": 1 }, { cpu: 3500 }), 0);
        assert.equal(timesIn({ cpu: 1000 }, { cpu: -1 }), 0);
        assert.equal(timesIn({}, {}), Infinity);
    });
});

describe("requestsOf", () => {
    it("is the sum of the containers", () => {
        const containers = [container("a", "1"), container("b", "500m")];
        assert.deepEqual(requestsOf({ containers }), { cpu: 1500 });
    });

    it("is the peak of the init containers if that is larger", () => {
        const initContainers = [container("i", "4"), container("j", "3")];
        assert.deepEqual(requestsOf({ containers: [container("a", "1")], initContainers }), { cpu: 4000 });
    });

    it("counts sidecars with the containers, and with the init containers after them", () => {
        const sidecar = container("s", "1", { restartPolicy: "Always" });
        const after = [sidecar, container("i", "4")];
        const before = [container("i", "4"), sidecar];
        assert.deepEqual(requestsOf({ containers: [container("a", "2")], initContainers: after }), { cpu: 5000 });
        assert.deepEqual(requestsOf({ containers: [container("a", "2")], initContainers: before }), { cpu: 4000 });
    });

    it("takes the values that a pod has as a whole, and adds the overhead of its RuntimeClass", () => {
        const resources = { requests: { cpu: "3", "nvidia.com/gpu": "9" } };
        const spec = { containers: [container("a", "1")], resources, overhead: { cpu: "250m" } };
        assert.deepEqual(requestsOf(spec), { cpu: 3250 });
    });

    it("is the larger value of a pod that is being resized", () => {
        const status = (cpu: string) => ({
            containerStatuses: [{ name: "a", resources: { requests: { cpu } } } as never],
        });
        assert.deepEqual(requestsOf({ containers: [container("a", "1")] }, status("2")), { cpu: 2000 });
        assert.deepEqual(requestsOf({ containers: [container("a", "1")] }, status("0.5")), { cpu: 1000 });
    });
});

describe("limitsOf", () => {
    it("adds the overhead only to resources with a limit", () => {
        const containers = [{ name: "a", resources: { limits: { cpu: "1" } } }];
        assert.deepEqual(limitsOf({ containers, overhead: { cpu: "1", memory: "1" } }), { cpu: 2000 });
    });
});

describe("withApiDefaults", () => {
    it("takes a missing request from the limit", () => {
        const containers = [{ name: "a", resources: { limits: { cpu: "2", memory: "1Gi" }, requests: { cpu: "1" } } }];
        assert.deepEqual(requestsOf(withApiDefaults({ containers })), { cpu: 1000, memory: GI });
    });

    it("takes the missing request of a whole pod from its containers, or else from its limit", () => {
        const spec = { containers: [container("a", "1")], resources: { limits: { cpu: "4", memory: "1Gi" } } };
        assert.deepEqual(requestsOf(withApiDefaults(spec)), { cpu: 1000, memory: GI });
    });
});
