import assert from "node:assert/strict";

import { blocksOf } from "./documents";
import { preview } from "./program";

/** The program for a team, which is the first one of the page. */
const [program] = blocksOf("ts").filter(({ document }) => document.name === "docs/production.md");

describe("the program for a team in docs/production.md", () => {
    it("has pods that its own quota and its own namespace admit", async () => {
        const registered = await preview(program);
        const inputs = (type: string) => registered.find((each) => each.type.endsWith(`:${type}`))?.inputs;
        const hard: Record<string, string> = inputs("ResourceQuota").spec.hard;
        const { maxSize, manifest } = inputs("IndexedJob");
        const { containers, initContainers = [], securityContext } = manifest.spec.template.spec;
        assert.ok(containers.length + initContainers.length >= 3);
        // A quota of a request refuses pods in which a container has none.
        const counted = Object.keys(hard).flatMap((name) => name.match(/^requests\.(.*)/)?.[1] ?? []);
        assert.deepEqual(counted, ["cpu", "memory"]);
        for (const { name, resources, securityContext: own } of [...containers, ...initContainers]) {
            assert.ok(
                counted.every((each) => resources?.requests?.[each] !== undefined),
                name,
            );
            assert.deepEqual([own.allowPrivilegeEscalation, own.capabilities], [false, { drop: ["ALL"] }], name);
        }
        assert.deepEqual([securityContext.runAsNonRoot, securityContext.seccompProfile.type], [true, "RuntimeDefault"]);
        assert.ok(maxSize <= Number(hard.pods));
    });

    it("gives users the rights that docs/command-line.md names for the commands of jobs and of a sleeping cluster", async () => {
        const registered = await preview(program);
        const rules: { resources: string[]; verbs: string[] }[] =
            registered.find(({ name, type }) => name === "users" && type.endsWith(":Role"))?.inputs.rules ?? [];
        const has = (resource: string, verb: string) =>
            rules.some(({ resources, verbs }) => resources.includes(resource) && verbs.includes(verb));
        const needed = ["jobs get", "jobs list", "jobs patch", "pods list", "pods/exec create", "pods/exec get"];
        assert.deepEqual(
            needed.filter((each) => !has(each.split(" ")[0], each.split(" ")[1])),
            [],
        );
    });
});
