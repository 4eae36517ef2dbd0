import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { stringify } from "yaml";

import { resolveSpec, validate } from "../../../components/arguments/decide";
import type { KubernetesObject } from "../../../provider/contract/object";
import { GOLDEN_SPECS, goldenObjects, type GoldenSpec } from "../../golden/specs";

const pathOf = (name: string) => join(__dirname, "../../golden", `${name}.yaml`);

/** Leaves out the scripts, which are files of their own. The hash in the pod template covers their content. */
function readable(object: KubernetesObject): KubernetesObject {
    if (object.kind !== "ConfigMap") {
        return object;
    }
    const data = Object.entries<string>(object.data).map(([file, text]) => {
        const own = /\.(sh|py|txt)$/.test(file) && !file.startsWith("hook-");
        return [file, own ? `the text of ${file}` : text];
    });
    return { ...object, data: Object.fromEntries(data) };
}

/** Removes the hashes, which change with every word in a script. Other tests cover them. */
function withoutHash(text: string): string {
    return text.replace(/(-config-)[0-9a-f]{8}\b/g, "$1HASH");
}

function render(spec: GoldenSpec): string {
    const documents = goldenObjects(spec).map((object) =>
        stringify(readable(object), { lineWidth: 120, aliasDuplicateObjects: false }),
    );
    return withoutHash(documents.join("---\n"));
}

const find = (name: string) => GOLDEN_SPECS.find((spec) => spec.name === name)!;
const jobOf = (name: string) => goldenObjects(find(name)).at(-1)!;

describe("the golden manifests", () => {
    for (const spec of GOLDEN_SPECS) {
        it(`of "${spec.name}" match their file (UPDATE_GOLDEN=1 rewrites it)`, () => {
            const text = render(spec);
            if (process.env.UPDATE_GOLDEN) {
                writeFileSync(pathOf(spec.name), text);
            }
            assert.equal(text, readFileSync(pathOf(spec.name), "utf8"));
        });

        it(`of "${spec.name}" come from valid arguments`, () => {
            assert.deepEqual(validate(resolveSpec(spec.name, spec.args, spec.secretNames)), []);
        });

        it(`of "${spec.name}" hold no key`, () => {
            assert.doesNotMatch(render(spec), /secret-key|public-key/);
        });
    }

    it("of a minimal cluster leave out settings that aren't given", () => {
        const pod = jobOf("minimal").spec.template.spec;
        for (const key of ["hostNetwork", "nodeSelector", "securityContext", "serviceAccountName", "tolerations"]) {
            assert.equal(pod[key], undefined, key);
        }
    });

    it("of an elastic cluster have a quorum of one rank, and a broker.toml for all ranks", () => {
        const [, , config, job] = goldenObjects(find("elastic"));
        assert.match(config.data["broker.toml"], /host = "elastic-\[1-7\]"/);
        const variables = job.spec.template.spec.containers[0].env;
        assert.equal(variables.find(({ name }: { name: string }) => name === "MINICLUSTER_QUORUM").value, "1");
        assert.equal(job.spec.completions, 2);
    });

    it("of a GPU cluster let the user read the certificate, and keep others off the nodes", () => {
        const { spec } = jobOf("gpu-user").spec.template;
        assert.deepEqual(spec.securityContext, { runAsNonRoot: true, runAsUser: 1000 });
        const curve = spec.volumes.find(({ name }: { name: string }) => name === "flux-curve");
        assert.equal(curve.secret.defaultMode, 0o444);
        assert.ok(spec.affinity.podAntiAffinity);
    });

    it("of a cluster with all arguments hold secret variables only by reference", () => {
        const { env } = jobOf("everything").spec.template.spec.containers[0];
        const secrets = env.filter(({ valueFrom }: { valueFrom?: unknown }) => valueFrom !== undefined);
        assert.deepEqual(
            secrets.map(({ name, valueFrom }: any) => [name, valueFrom.secretKeyRef]),
            [
                ["LICENSE_KEY", { key: "env.LICENSE_KEY", name: "everything-secret" }],
                ["TOKEN", { key: "env.TOKEN", name: "everything-secret" }],
            ],
        );
    });
});
