import assert from "node:assert/strict";
import { parse } from "smol-toml";

import { brokerConfig, gathers, hostsToDetect } from "../../../../../components/features/broker/config";
import { makeSpec } from "../../../support/spec";

/** As plain objects, because the parser's objects have no prototype. */
const read = (...args: Parameters<typeof makeSpec>) =>
    JSON.parse(JSON.stringify(parse(brokerConfig(makeSpec(...args))))) as Record<string, any>;

describe("brokerConfig", () => {
    it("gives the lead its Service's name as address, which needs no DNS, and followers no address", () => {
        assert.deepEqual(read(), {
            bootstrap: {
                curve_cert: "/etc/curve/curve.cert",
                hosts: [
                    { host: "lammps-0", bind: "tcp://*:8050", connect: "tcp://lammps-lead:8050" },
                    { host: "lammps-[1-3]" },
                ],
            },
            tbon: { connect_timeout: "0.1s", torpid_min: "2s" },
        });
    });

    it("lists only rank 0 if the cluster has one rank", () => {
        assert.deepEqual(
            read({ size: 1 }).bootstrap.hosts.map(({ host }: { host: string }) => host),
            ["lammps-0"],
        );
    });

    it("lists all ranks up to maxSize, whatever the size", () => {
        const text = brokerConfig(makeSpec({ size: 2, maxSize: 8 }));
        assert.equal(text, brokerConfig(makeSpec({ size: 5, maxSize: 8 })));
        assert.match(text, /host = "lammps-\[1-7\]"/);
    });

    it("gives the inner ranks of a tree their own addresses, which need DNS", () => {
        const { bootstrap, tbon } = read({ broker: { topology: "kary:2", port: 9000 } });
        assert.equal(bootstrap.default_bind, "tcp://*:9000");
        assert.equal(bootstrap.default_connect, "tcp://%h:9000");
        assert.equal(bootstrap.hosts[0].connect, "tcp://lammps-lead:9000");
        assert.deepEqual(tbon, { connect_timeout: "0.1s", torpid_min: "2s", topo: "kary:2" });
    });

    for (const topology of ["custom", "kary:0"]) {
        it(`gives followers no address with the topology ${topology}, which is flat`, () => {
            const { bootstrap, tbon } = read({ broker: { topology } });
            assert.deepEqual(Object.keys(bootstrap), ["curve_cert", "hosts"]);
            assert.equal(tbon.topo, topology);
        });
    }

    it("gives Flux the cores and GPUs of the limits unverified, because hwloc sees the node's", () => {
        const { resource } = read({ resources: { limits: { cpu: "3500m", "nvidia.com/gpu": "2", memory: "1Gi" } } });
        assert.deepEqual(resource, { noverify: true, config: [{ hosts: "lammps-[0-3]", cores: "0-2", gpus: "0-1" }] });
    });

    it("counts less than one CPU as one core", () => {
        const { resource } = read({ resources: { limits: { cpu: "250m" } } });
        assert.deepEqual(resource.config, [{ hosts: "lammps-[0-3]", cores: "0" }]);
    });

    it("has no resources without an amount of CPUs, so that the pods find their cores", () => {
        assert.equal(read({ resources: { requests: { memory: "4Gi" } } }).resource, undefined);
    });

    it("has a checkpoint period for a persistent cluster, whose lead may come back to its queue", () => {
        assert.deepEqual(read({ command: [] }).kvs, { "checkpoint-period": "5s" });
        assert.equal(read().kvs, undefined);
    });

    it("is the user's text if broker.config is given", () => {
        assert.equal(brokerConfig(makeSpec({ broker: { config: "[tbon]\ntopo = 1" } })), "[tbon]\ntopo = 1");
    });
});

describe("the cores of ranks without an amount of CPUs", () => {
    const elastic = { size: 2, minSize: 1, maxSize: 4 };
    const cases: [string, Parameters<typeof makeSpec>[0], string, boolean][] = [
        ["of an elastic cluster are described by the lead", elastic, "lammps-[0-3]", false],
        [
            "are gathered if all ranks start together and the cluster ends with a lost rank",
            { size: 4 },
            "lammps-[0-3]",
            true,
        ],
        [
            "of a persistent cluster, where a lost rank comes back, are described",
            { size: 4, command: [] },
            "lammps-[0-3]",
            false,
        ],
        [
            "for a launcher, which continues after a rank is lost, are described",
            { size: 4, launcher: true },
            "lammps-[0-3]",
            false,
        ],
        ["are known if the limits give them", { ...elastic, resources: { limits: { cpu: "2" } } }, "", false],
        ["are known if the requests give them", { ...elastic, resources: { requests: { cpu: "2" } } }, "", false],
        ["are known if broker.toml is the user's", { ...elastic, broker: { config: "" } }, "", false],
    ];
    for (const [sentence, args, hosts, gathered] of cases) {
        it(sentence, () => {
            assert.deepEqual([hostsToDetect(makeSpec(args)), gathers(makeSpec(args))], [hosts, gathered]);
        });
    }
});
