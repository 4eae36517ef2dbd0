import assert from "node:assert/strict";

import { plainShape } from "../../../../scripts/local/cluster/nodes/shape";
import { decideOptions, describeOptions, sameOptions } from "../../../../scripts/local/cluster/options";

describe("the local cluster's options", () => {
    it("have defaults", () => {
        assert.deepEqual(decideOptions({}, {}), {
            dns: "on",
            proxy: "nftables",
            ipFamily: "ipv4",
            cpuManager: "none",
            kubernetes: "1.37",
            policy: "off",
            kueue: "off",
            podGroups: "off",
            mtu: 1500,
            nodeLost: 50,
            nodes: [],
        });
    });

    it("come from the environment", () => {
        const environment = {
            DNS: "off",
            PROXY: "iptables",
            IP_FAMILY: "ipv6",
            CPU_MANAGER: "static",
            K8S_VERSION: "1.31",
            POLICY: "on",
            KUEUE: "off",
            PODGROUPS: "off",
            MTU: "1400",
            NODE_LOST: "12",
            NODES: "2",
        };
        assert.deepEqual(decideOptions({}, environment), {
            dns: "off",
            proxy: "iptables",
            ipFamily: "ipv6",
            cpuManager: "static",
            kubernetes: "1.31",
            policy: "on",
            kueue: "off",
            podGroups: "off",
            mtu: 1400,
            nodeLost: 12,
            nodes: [plainShape(0), plainShape(1)],
        });
    });

    it("refuse Kueue on another Kubernetes, or with IPv6", () => {
        for (const other of [{ K8S_VERSION: "1.31" }, { K8S_VERSION: "1.36" }, { IP_FAMILY: "ipv6" }]) {
            assert.throws(() => decideOptions({}, { KUEUE: "on", ...other }), {
                message: "KUEUE=on needs Kubernetes 1.37 and ipv4, without K8S_VERSION and IP_FAMILY.",
            });
        }
        assert.equal(decideOptions({}, { KUEUE: "on" }).kueue, "on");
    });

    it("refuse PodGroups on a Kubernetes that has other ones", () => {
        assert.throws(() => decideOptions({}, { PODGROUPS: "on", K8S_VERSION: "1.36" }), {
            message: "PODGROUPS=on needs Kubernetes 1.37, without K8S_VERSION.",
        });
        assert.equal(decideOptions({}, { PODGROUPS: "on" }).podGroups, "on");
    });

    it("refuse a node that is lost before it can answer", () => {
        assert.throws(() => decideOptions({}, { NODE_LOST: "5" }), {
            message: "NODE_LOST=5 must be an integer from 10 to 50.",
        });
    });

    it("refuse an MTU that IPv6 can't use", () => {
        assert.throws(() => decideOptions({}, { MTU: "1000" }), {
            message: "MTU=1000 must be an integer from 1280 to 1500.",
        });
    });

    it("refuse nodes with a number of CPUs beside exclusive CPUs", () => {
        assert.throws(() => decideOptions({ nodes: [{ cpus: 1 }], cpuManager: "static" }, {}), {
            message:
                "CPU_MANAGER=static gives pods any CPU of the machine, so no node of NODES may have a number of cpus.",
        });
    });

    it("are equal only if the nodes are", () => {
        const [two, three] = ["2", "3"].map((count) => decideOptions({}, { NODES: count }));
        assert(two !== undefined && three !== undefined && !sameOptions(two, three));
        assert.match(describeOptions(three), /nodes 3$/);
        const small = decideOptions({ nodes: [{ cpus: 1 }] }, {});
        assert.match(describeOptions(small), /nodes 1 \[\{"cpus":1\}\]$/);
    });

    it("ignore an empty variable, as make exports it", () => {
        assert(sameOptions(decideOptions({}, { DNS: "", K8S_VERSION: "", MTU: "", NODES: "" }), decideOptions({}, {})));
    });

    it("come from the caller rather than from the environment", () => {
        assert.equal(decideOptions({ dns: "on" }, { DNS: "off" }).dns, "on");
    });

    it("refuse an unknown value and name the known ones", () => {
        assert.throws(() => decideOptions({}, { PROXY: "ipvs" }), {
            message: "PROXY=ipvs is not known; it must be one of nftables, iptables.",
        });
    });
});
