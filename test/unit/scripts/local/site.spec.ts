import assert from "node:assert/strict";
import { BlockList } from "node:net";

import { MAX_NODES } from "../../../../scripts/local/cluster/nodes/shape";
import { addresses, nodeAddresses, urlHost } from "../../../../scripts/local/cluster/site";

function rangeOf(range: string, family: "ipv4" | "ipv6"): BlockList {
    const [net = "", prefix = ""] = range.split("/");
    const list = new BlockList();
    list.addSubnet(net, Number(prefix), family);
    return list;
}

describe("a local cluster's addresses", () => {
    for (const family of ["ipv4", "ipv6"] as const) {
        it(`differ from those of every other cluster (${family})`, () => {
            const all = Array.from({ length: 100 }, (_, index) => addresses(index, family));
            for (const key of ["controlPlane", "machine", "podRange", "serviceRange", "apiService"] as const) {
                assert.equal(new Set(all.map((one) => one[key])).size, all.length, key);
            }
        });

        it(`of nodes are different parts of the cluster's ranges (${family})`, () => {
            const { controlPlane, machine, nodeRange, podRange } = addresses(7, family);
            const nodes = Array.from({ length: MAX_NODES }, (_, node) => nodeAddresses(7, family, node));
            const hosts = [controlPlane, machine, ...nodes.map(({ address }) => address)];
            assert.equal(new Set(hosts).size, hosts.length);
            for (const { address, podRange: own } of nodes) {
                const [first = ""] = own.split("/");
                assert(rangeOf(nodeRange, family).check(address, family), address);
                assert(rangeOf(podRange, family).check(first, family), own);
                const containing = nodes.filter((node) => rangeOf(node.podRange, family).check(first, family));
                assert.deepEqual(
                    containing.map((node) => node.address),
                    [address],
                );
            }
        });
    }

    it("stand in brackets in a URL if they contain colons", () => {
        assert.equal(urlHost("10.245.0.1"), "10.245.0.1");
        assert.equal(urlHost("fd45::1"), "[fd45::1]");
    });
});
