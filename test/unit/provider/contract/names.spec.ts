import assert from "node:assert/strict";

import { describeProblems } from "../../../../components/rules/problem";
import { commandsFor } from "../../../../components/miniCluster";
import { leadSelector, podSelector } from "../../../../provider/contract/labels";
import { domainNameOf, hostOf } from "../../../../components/parts/hosts";
import { namesOf } from "../../../../provider/contract/names";
import { FIND_FLUX } from "../../../../provider/contract/paths";
import { makeSpec } from "../../support/spec";

describe("names", () => {
    it("derives every object's name from the cluster's", () => {
        assert.deepEqual(namesOf("lammps"), {
            cluster: "lammps",
            key: "lammps-curve",
            keygen: "lammps-keygen",
            lead: "lammps-lead",
            secret: "lammps-secret",
            services: "lammps-services",
        });
    });

    it("names a rank as Kubernetes does", () => {
        assert.equal(hostOf("lammps", 3), "lammps-3");
        assert.equal(domainNameOf("lammps", 3, "hpc", "cluster.local"), "lammps-3.lammps.hpc.svc.cluster.local");
    });

    it("selects the lead by one label more than all pods", () => {
        assert.deepEqual(podSelector("lammps"), { "batch.kubernetes.io/job-name": "lammps" });
        assert.deepEqual(leadSelector("lammps"), {
            "batch.kubernetes.io/job-name": "lammps",
            "batch.kubernetes.io/job-completion-index": "0",
        });
    });
});

describe("commandsFor", () => {
    it("goes through the lead Service, which knows the lead's pod", () => {
        assert.deepEqual(commandsFor(makeSpec({ broker: { port: 9000 } }), "hpc"), {
            attach: `kubectl exec -it -n hpc service/lammps-lead -c flux -- sh -c '${FIND_FLUX}; exec bash'`,
            forward: "kubectl port-forward -n hpc service/lammps-lead 9000:9000",
            logs: "kubectl logs -n hpc service/lammps-lead -c flux",
        });
    });
});

describe("describeProblems", () => {
    it("puts each problem on a line of its own", () => {
        const problems = [
            { property: "size", reason: "is 0." },
            { property: "name", reason: "is bad." },
        ];
        const expected = 'MiniCluster "lammps" has 2 problems in its arguments:\n  size: is 0.\n  name: is bad.';
        assert.equal(describeProblems("lammps", problems), expected);
        assert.match(describeProblems("lammps", problems.slice(1)), /has 1 problem in/);
    });
});
