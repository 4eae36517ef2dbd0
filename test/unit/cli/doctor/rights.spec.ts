import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { parseAllDocuments } from "yaml";

import { checkRights, judgeRights, keyOf, rulesFor } from "../../../../cli/doctor/rights";
import { readRules } from "../../../../cli/doctor/rightsTable";
import { root } from "../../../../scripts/local/paths";
import { useApi } from "../../support/fakeApi";
import { kubeFor } from "./support";

const rightsOf = (file: "rbac-fit.yaml" | "rbac.yaml", namespace?: string) =>
    readRules(file, namespace).flatMap(({ rights }) => rights);

describe("checkRights", () => {
    const api = useApi();

    const rules = rulesFor("hpc");
    const all = new Map(rules.flatMap(({ rights }) => rights.map((right) => [keyOf(right), right])));

    for (const [key, right] of all) {
        const { group, namespace, resource, verb } = right;
        const name = `${verb} ${group === "" ? resource : `${resource}.${group}`}`;

        it(`names the right to ${name}${namespace === undefined ? " everywhere" : ""} if it is missing, and its cure`, () => {
            const answers = new Map([...all.keys()].map((each) => [each, each !== key]));
            const found = judgeRights(rules, answers, "hpc");
            const where = namespace === undefined ? "in all namespaces" : "in namespace hpc";
            assert.ok(found.length > 0);
            for (const { cure = "", level, text } of found) {
                assert.ok(text.startsWith(`no right to ${name} ${where}. `), text);
                assert.ok(text.length > `no right to ${name} ${where}. `.length, "the purpose is missing");
                assert.match(
                    cure,
                    namespace === undefined ? /docs\/rbac-fit\.yaml/ : /kubectl apply -n hpc -f docs\/rbac\.yaml/,
                );
                assert.notEqual(level, "ok");
            }
        });
    }

    it("fails only without a right that each MiniCluster needs", () => {
        const required = readRules("rbac.yaml", "hpc").filter(({ isOptional }) => !isOptional);
        assert.deepEqual(
            required.map(({ rights }) => [...new Set(rights.map(({ resource }) => resource))].join()),
            ["services", "configmaps,secrets", "jobs", "pods"],
        );
        assert.ok(readRules("rbac-fit.yaml").every(({ isOptional }) => isOptional));
    });

    it("reviews each rule of the two files", () => {
        for (const file of ["rbac.yaml", "rbac-fit.yaml"] as const) {
            const documents = parseAllDocuments(readFileSync(join(root, "docs", file), "utf8"));
            const rules = documents.flatMap((document) => document.toJS().rules as Record<string, string[]>[]);
            const wanted = rules.flatMap(({ apiGroups, resources, verbs }) =>
                apiGroups.flatMap((group) =>
                    resources.flatMap((resource) => verbs.map((verb) => ({ group, resource, verb }))),
                ),
            );
            assert.equal(documents.length, 1, `${file} has several objects`);
            assert.deepEqual(
                rightsOf(file).map(({ namespace: _, ...right }) => right),
                wanted,
            );
        }
    });

    it("asks for each right once", async () => {
        const { findings } = await checkRights(kubeFor(api), "hpc");
        assert.deepEqual(findings, [
            { level: "ok", text: `all ${all.size} rights of docs/rbac.yaml and docs/rbac-fit.yaml` },
        ]);
        assert.equal(api.requests.length, all.size);
    });

    it("reads the answers of the API server", async () => {
        api.allows = ({ resource, subresource, verb }) => `${verb} ${resource}/${subresource}` !== "get pods/log";
        const { findings } = await checkRights(kubeFor(api), "hpc");
        assert.deepEqual(
            findings.map(({ level, text }) => [level, text.split(". ")[0]]),
            [["warn", "no right to get pods/log in namespace hpc"]],
        );
    });

    it("says that the API server reviews no access", async () => {
        api.fail(/selfsubject/, 403, { message: "no reviews", times: 99 });
        const { findings } = await checkRights(kubeFor(api), "hpc");
        assert.deepEqual(findings, [
            { level: "unchecked", text: "the API server reviews no access: no reviews", cure: undefined },
        ]);
    });
});
