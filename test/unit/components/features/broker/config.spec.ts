import assert from "node:assert/strict";
import { parse } from "smol-toml";

import { brokerConfig, hostsToDetect } from "../../../../../components/features/broker/config";
import { makeSpec } from "../../../support/spec";

/** As plain objects: those of the parser have no prototype. */
const read = (...args: Parameters<typeof makeSpec>) =>
    JSON.parse(JSON.stringify(parse(brokerConfig(makeSpec(...args))))) as Record<string, any>;

describe("brokerConfig", () => {
    it("reaches rank 0 by the name of the lead Service, which needs no DNS, and needs nothing to reach the others", () => {
        assert.deepEqual(read(), {
            bootstrap: {
                curve_cert: "/etc/curve/curve.cert",
                hosts: [
                    { host: "lammps-0", bind: "tcp://*:8050", connect: "tcp://lammps-lead:8050" },
                    { host: "lammps-[1-3]" },
                ],
            },
            tbon: { connect_timeout: "2s", torpid_min: "2s" },
        });
    });

    it("lists rank 0 alone where there is no other", () => {
        assert.deepEqual(
            read({ size: 1 }).bootstrap.hosts.map(({ host }: { host: string }) => host),
            ["lammps-0"],
        );
    });

    it("lists all ranks that the cluster can grow to, whatever its size", () => {
        const text = brokerConfig(makeSpec({ size: 2, maxSize: 8 }));
        assert.equal(text, brokerConfig(makeSpec({ size: 5, maxSize: 8 })));
        assert.match(text, /host = "lammps-\[1-7\]"/);
    });

    it("gives the inner ranks of a tree addresses of their own, which need DNS", () => {
        const { bootstrap, tbon } = read({ broker: { topology: "kary:2", port: 9000 } });
        assert.equal(bootstrap.default_bind, "tcp://*:9000");
        assert.equal(bootstrap.default_connect, "tcp://%h:9000");
        assert.equal(bootstrap.hosts[0].connect, "tcp://lammps-lead:9000");
        assert.deepEqual(tbon, { connect_timeout: "2s", torpid_min: "2s", topo: "kary:2" });
    });

    for (const topology of ["custom", "kary:0"]) {
        it(`has no addresses for ${topology}, which is flat`, () => {
            const { bootstrap, tbon } = read({ broker: { topology } });
            assert.deepEqual(Object.keys(bootstrap), ["curve_cert", "hosts"]);
            assert.equal(tbon.topo, topology);
        });
    }

    it("gives Flux the cores and GPUs of the limits, unverified, because hwloc sees those of the node", () => {
        const { resource } = read({ resources: { limits: { cpu: "3500m", "nvidia.com/gpu": "2", memory: "1Gi" } } });
        assert.deepEqual(resource, { noverify: true, config: [{ hosts: "lammps-[0-3]", cores: "0-2", gpus: "0-1" }] });
    });

    it("counts less than a CPU as one core", () => {
        const { resource } = read({ resources: { limits: { cpu: "250m" } } });
        assert.deepEqual(resource.config, [{ hosts: "lammps-[0-3]", cores: "0" }]);
    });

    it("says nothing of resources without a CPU limit, so that Flux detects them", () => {
        assert.equal(read({ resources: { requests: { cpu: "4" } } }).resource, undefined);
    });

    it("writes the queue down where rank 0 may come back to it", () => {
        assert.deepEqual(read({ command: [] }).kvs, { "checkpoint-period": "5s" });
        assert.equal(read().kvs, undefined);
    });

    it("is the user's text where there is one", () => {
        assert.equal(brokerConfig(makeSpec({ broker: { config: "[tbon]\ntopo = 1" } })), "[tbon]\ntopo = 1");
    });
});

describe("hostsToDetect", () => {
    const elastic = { size: 2, minSize: 1, maxSize: 4 };
    const cases: [string, Parameters<typeof makeSpec>[0], string][] = [
        ["names all ranks of an elastic cluster without limits", elastic, "lammps-[0-3]"],
        ["names none where all ranks are there at the start, and a loss is the end", { size: 4 }, ""],
        ["names all ranks of a cluster that stays, for one that comes back", { size: 4, command: [] }, "lammps-[0-3]"],
        ["names all ranks for a launcher, which goes on after a loss", { size: 4, launcher: true }, "lammps-[0-3]"],
        ["names none where the limits tell", { ...elastic, resources: { limits: { cpu: "2" } } }, ""],
        ["names none where the broker.toml is the user's", { ...elastic, broker: { config: "" } }, ""],
    ];
    for (const [sentence, args, expected] of cases) {
        it(sentence, () => {
            assert.equal(hostsToDetect(makeSpec(args)), expected);
        });
    }
});
