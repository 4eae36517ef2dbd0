import assert from "node:assert/strict";

import { decideOptions, sameOptions } from "../../../../scripts/local/cluster/options";

describe("the local cluster's options", () => {
    it("have defaults", () => {
        assert.deepEqual(decideOptions({}, {}), {
            dns: "on",
            proxy: "nftables",
            ipFamily: "ipv4",
            cpuManager: "none",
            kubernetes: "1.36",
        });
    });

    it("come from the environment", () => {
        const environment = {
            DNS: "off",
            PROXY: "iptables",
            IP_FAMILY: "ipv6",
            CPU_MANAGER: "static",
            K8S_VERSION: "1.31",
        };
        assert.deepEqual(decideOptions({}, environment), {
            dns: "off",
            proxy: "iptables",
            ipFamily: "ipv6",
            cpuManager: "static",
            kubernetes: "1.31",
        });
    });

    it("ignore an empty variable, as make exports it", () => {
        assert(sameOptions(decideOptions({}, { DNS: "", K8S_VERSION: "" }), decideOptions({}, {})));
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
