import assert from "node:assert/strict";

import type { PlainArgs } from "../../../../../components/args";
import { brokerConfig, hostsToDetect } from "../../../../../components/features/broker/config";
import { network, placeSpec, validateHostNames } from "../../../../../components/features/network";
import { Network } from "../../../../../components/features/network/kind";
import { configFiles } from "../../../../../components/pod/configMap";
import { leadService } from "../../../../../components/pod/services";
import { podTemplate } from "../../../../../components/pod/template";
import { makeSpec } from "../../../support/spec";

const placed = (args: Partial<PlainArgs>) => placeSpec(makeSpec(args), "hpc");
const podOf = (args: Partial<PlainArgs>) => podTemplate(placed(args), "hpc", configFiles(placed(args))).spec;
const variables = (args: Partial<PlainArgs>) => podOf(args).containers[0].env as { name: string; value?: string }[];

describe("fqdn", () => {
    const args = { fqdn: true };

    it("makes full host names for the pods, in broker.toml and in the resources", () => {
        assert.equal(podOf(args).setHostnameAsFQDN, true);
        const text = brokerConfig(placed({ ...args, resources: { limits: { cpu: "2" } } }));
        assert.match(text, /host = "lammps-0\.lammps\.hpc\.svc\.cluster\.local"/);
        assert.match(text, /host = "lammps-\[1-3\]\.lammps\.hpc\.svc\.cluster\.local"/);
        assert.match(text, /hosts = "lammps-\[0-3\]\.lammps\.hpc\.svc\.cluster\.local"/);
        assert.equal(hostsToDetect(placed({ ...args, maxSize: 8 })), "lammps-[0-7].lammps.hpc.svc.cluster.local");
    });

    it("keeps the lead Service as the address of the lead", () => {
        assert.match(brokerConfig(placed(args)), /connect = "tcp:\/\/lammps-lead:8050"/);
    });

    it("allows the 64 characters of Linux for the rank with the longest number", () => {
        const domain = (length: number) => "d".repeat(length);
        const problems = (length: number, maxSize = 4) =>
            validateHostNames(makeSpec({ ...args, maxSize, clusterDomain: domain(length) }), "hpc").map(
                ({ property, reason }) => `${property}: ${reason}`,
            );
        // lammps-3.lammps.hpc.svc. has 24 characters.
        assert.deepEqual(problems(40), []);
        assert.deepEqual(problems(41), [
            `fqdn: makes the host name "lammps-3.lammps.hpc.svc.${domain(41)}", which has 65 characters; Linux allows 64. ` +
                "Shorten name and namespace by 1 together (name counts twice), or remove fqdn.",
        ]);
        assert.equal(problems(40, 11).length, 1);
        assert.deepEqual(validateHostNames(makeSpec({ clusterDomain: domain(60) }), "hpc"), []);
    });

    it("is refused together with hostNetwork", () => {
        const [{ property, reason }] = network.problems!(makeSpec({ ...args, hostNetwork: true }));
        assert.equal(
            `${property}: ${reason}`,
            "fqdn: is true, but with hostNetwork the host name is the node's. Remove one of them.",
        );
    });
});

describe('network "dns"', () => {
    it("addresses all ranks by their own names in broker.toml, the lead too", () => {
        const text = brokerConfig(placed({ network: Network.Dns }));
        assert.match(text, /default_connect = "tcp:\/\/%h:8050"/);
        assert.match(text, /host = "lammps-\[0-3\]"/);
        assert.doesNotMatch(text, /lammps-lead/);
    });
});

describe('network "hosts"', () => {
    const args = { network: Network.Hosts };

    it("doesn't use the cluster DNS", () => {
        const { dnsConfig, dnsPolicy } = podOf(args);
        assert.deepEqual([dnsConfig, dnsPolicy], [undefined, "Default"]);
    });

    it("gives the pods a writable hosts file, prepared under the security context of the broker", () => {
        const securityContext = { allowPrivilegeEscalation: false };
        const { containers, initContainers } = podOf({ ...args, securityContext });
        const mount = containers[0].volumeMounts.find(
            ({ mountPath }: { mountPath: string }) => mountPath === "/etc/hosts",
        );
        assert.deepEqual(mount, { name: "flux-prepared", mountPath: "/etc/hosts", subPath: "hosts" });
        assert.deepEqual(
            [initContainers[0].name, initContainers[0].securityContext],
            ["flux-prepare", securityContext],
        );
    });

    it("adds the port after the broker's to the lead Service", () => {
        const { ports } = leadService(placed({ ...args, broker: { port: 9000 } })).spec;
        assert.deepEqual(
            ports.map(({ name, port }: { name: string; port: number }) => [name, port]),
            [
                ["broker", 9000],
                ["hosts", 9001],
            ],
        );
        const [{ property, reason }] = network.problems!(makeSpec({ ...args, broker: { port: 65535 } }));
        assert.equal(
            `${property}: ${reason}`,
            'broker.port: is 65535, but network "hosts" also needs the port after it. Use a lower port.',
        );
    });

    it("gives the pods their addresses in variables, which other networks don't set", () => {
        const names = ["MINICLUSTER_ADDRESS", "MINICLUSTER_CLUSTER", "MINICLUSTER_HOSTS_PORT", "MINICLUSTER_SUBDOMAIN"];
        const found = (given: Partial<PlainArgs>) =>
            variables(given)
                .map(({ name }) => name)
                .filter((name) => names.includes(name))
                .sort();
        assert.deepEqual([found(args), found({})], [names, []]);
    });
});
