import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { curveCertificate } from "../../provider/contract/curveKey";
import { makeKeyPair } from "../../provider/curveKey/keyPair";
import { useLanguage } from "./support/languages";
import { useNamespace } from "./support/namespace";
import { requireNoSecret } from "./support/secrets";

/**
 * A program whose cluster has the arguments of an operator's resource. It reads the resource from a file, because Pulumi
 * takes `${` in a program's own text for the start of a value, and a key may contain it.
 */
const PROGRAM = {
    name: "operator",
    runtime: "yaml",
    variables: {
        read: {
            "fn::invoke": {
                function: "flux-minicluster:fromOperator",
                arguments: { yaml: { "fn::readFile": "./minicluster.yaml" } },
            },
        },
    },
    resources: {
        taken: {
            type: "flux-minicluster:MiniCluster",
            properties: {
                image: "${read.args.image}",
                size: "${read.args.size}",
                command: "${read.args.command}",
                certificate: "${read.args.certificate}",
            },
        },
    },
    outputs: { output: "${taken.output}" },
};

describe("fromOperator in a YAML program", () => {
    const namespace = useNamespace();
    const programs = mkdtempSync(join(tmpdir(), "flux-minicluster-e2e-"));
    const program = useLanguage("yaml", programs);
    after(() => rmSync(programs, { recursive: true, force: true }));

    it("gives a cluster its certificate, and keeps that secret", async () => {
        const certificate = curveCertificate("taken", makeKeyPair());
        const containers = [{ image: namespace.image, command: "hostname" }];
        const spec = { size: 1, containers, flux: { curveCert: certificate } };
        const yaml = JSON.stringify({ kind: "MiniCluster", spec });
        mkdirSync(join(programs, "operator"));
        writeFileSync(join(programs, "operator", "Pulumi.yaml"), JSON.stringify(PROGRAM));
        writeFileSync(join(programs, "operator", "minicluster.yaml"), yaml);
        const stack = namespace.stack("operator", program("operator"));
        assert.equal((await stack.up()).outputs.output, "taken-0\n");
        const { data } = await namespace.kube.core.readNamespacedSecret({
            name: "taken-secret",
            namespace: namespace.name,
        });
        assert.equal(Buffer.from(data?.["curve.cert"] ?? "", "base64").toString(), certificate);
        requireNoSecret([...stack.files(), stack.printed], [certificate]);
    });
});
