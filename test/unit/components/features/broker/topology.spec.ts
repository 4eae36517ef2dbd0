import assert from "node:assert/strict";

import { noticeFlat } from "../../../../../components/features/broker/topology";
import { Network } from "../../../../../components/features/network/kind";
import { makeSpec } from "../../../support/spec";

type Args = Parameters<typeof makeSpec>[0];

describe("the default topology", () => {
    const cases: [string, Args, string | undefined][] = [
        ["is flat for 256 ranks with DNS", { network: Network.Dns, size: 256 }, undefined],
        ["is kary:128 for 257 ranks with DNS", { network: Network.Dns, size: 257 }, "kary:128"],
        ["is kary:128 for 257 ranks with names from the lead", { network: Network.Hosts, size: 257 }, "kary:128"],
        ["is flat for any size if inner ranks have no names", { network: Network.Service, size: 5000 }, undefined],
        ["is flat for any size by default", { size: 5000 }, undefined],
        ["depends on maxSize", { network: Network.Dns, size: 2, maxSize: 257 }, "kary:128"],
        ["is no other for another size", { network: Network.Dns, size: 257, maxSize: 257 }, "kary:128"],
        ["is a default", { network: Network.Dns, size: 257, broker: { topology: "mincrit:8" } }, "mincrit:8"],
    ];
    for (const [sentence, args, topology] of cases) {
        it(sentence, () => {
            assert.equal(makeSpec(args).broker.topology, topology);
        });
    }
});

describe("noticeFlat", () => {
    it("names the number of followers and the cure", () => {
        assert.deepEqual(noticeFlat(makeSpec({ size: 2, maxSize: 300 })), [
            {
                property: "network",
                reason:
                    'is "service", so up to 299 followers connect to the lead. Above 256 ranks, this makes jobs start slowly. ' +
                    'With "hosts" or "dns", the brokers form a tree (kary:128). ' +
                    'To keep the flat topology, set broker.topology to "custom".',
            },
        ]);
    });

    const silent: [string, Args][] = [
        ["256 ranks", { size: 256 }],
        ["a tree", { size: 300, network: Network.Dns }],
        ["a topology that the program chooses", { size: 300, broker: { topology: "custom" } }],
        ["a broker.toml of the program", { size: 300, broker: { config: "" } }],
    ];
    for (const [what, args] of silent) {
        it(`is silent about ${what}`, () => {
            assert.deepEqual(noticeFlat(makeSpec(args)), []);
        });
    }
});
