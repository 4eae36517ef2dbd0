import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { root } from "../../../scripts/local/paths";
import { coreCases } from "../../faults/support/coreCases";
import { describeStep, stepsOf } from "../../faults/support/steps";
import { createsByPost, NEWEST, NODE_OF_THE_TESTS, OLDEST, SETS } from "../../faults/support/versions";
import { sectionIn, withSection } from "../../faults/support/versionsPage";

describe("the sets of versions", () => {
    const read = (file: string) => JSON.parse(readFileSync(join(root, file), "utf8"));
    const { dependencies, devDependencies, engines, peerDependencies } = read("package.json") as Record<
        string,
        Record<string, string>
    >;

    it("accept no older dependencies than those with which all other tests run", () => {
        const { packages } = read("package-lock.json") as { packages: Record<string, { version: string }> };
        for (const [name, range] of Object.entries(dependencies)) {
            assert.equal(range, `^${packages[`node_modules/${name}`].version}`, name);
        }
    });

    it("begin with the versions that package.json accepts, and have the Node of the other tests", () => {
        assert.equal(`^${OLDEST.sdk}`, peerDependencies["@pulumi/pulumi"]);
        assert.equal(OLDEST.cli, OLDEST.sdk);
        assert.equal(`^${OLDEST.kubernetes}`, peerDependencies["@pulumi/kubernetes"]);
        assert.equal(`>=${OLDEST.node}`, `${engines["node"]}.0`);
        assert(Object.values(SETS).some(({ node }) => node === devDependencies["node"]));
        assert.equal(NEWEST.sdk, devDependencies["@pulumi/pulumi"]);
    });

    it("have each version of each thing with old and with new ones", () => {
        const pairs = Object.values(SETS).map(({ cli, kubernetes, node, sdk }) =>
            [sdk, cli, kubernetes, node].join(" "),
        );
        const of = (name: keyof typeof OLDEST) => new Set(Object.values(SETS).map((versions) => versions[name]));
        assert.equal(pairs[0], Object.values(OLDEST).join(" "));
        assert.equal(pairs[1], Object.values(NEWEST).join(" "));
        assert.deepEqual(
            (["sdk", "cli", "kubernetes", "node"] as const).map((name) => [...of(name)].sort()),
            [
                [OLDEST.sdk, NEWEST.sdk],
                [OLDEST.cli, NEWEST.cli],
                [OLDEST.kubernetes, NEWEST.kubernetes],
                [OLDEST.node, NODE_OF_THE_TESTS, NEWEST.node],
            ],
        );
        const mixed = Object.values(SETS).slice(2);
        assert.deepEqual(new Set(mixed.map(({ sdk }) => sdk)).size, 2);
        assert(mixed.every(({ cli, sdk }) => (cli === OLDEST.cli) !== (sdk === OLDEST.sdk)));
    });

    it("say from which version on the plugin creates by POST", () => {
        assert.deepEqual(["4.25.0", "4.28.0", "4.29.0", "4.34.2"].map(createsByPost), [false, false, true, true]);
    });
});

describe("the core of the interruption matrix", () => {
    const request = (method: string, path: string, created?: string) => ({
        method,
        path: `/api/v1/namespaces/e2e/${path}`,
        created,
    });
    const job = request("POST", "jobs", "flow");

    for (const [how, lead] of [
        ["PATCH", request("PATCH", "services/flow-lead")],
        ["POST", request("POST", "services", "flow-lead")],
    ] as const) {
        it(`has both sides of the creation of the lead's Service by ${how}, and of the Job`, () => {
            const steps = stepsOf([request("POST", "services", "flow"), lead, job], "flow");
            const cases = coreCases("create", steps).map(
                ({ interruption, step }) => `${describeStep(step!)}, ${interruption}`,
            );
            assert.deepEqual(
                cases,
                [`${how} services/NAME-lead`, "POST jobs"].flatMap((name) =>
                    ["before", "after"].flatMap((point) =>
                        ["SIGINT once", "kill -9 of the CLI"].map(
                            (interruption) => `${point} \`${name}\`, ${interruption}`,
                        ),
                    ),
                ),
            );
        });
    }

    it("fails if the operation makes no such request", () => {
        assert.throws(
            () => coreCases("create", stepsOf([job], "flow")),
            /create: .*services.* is not among before `POST jobs`/,
        );
    });
});

describe("the section about versions", () => {
    const page = "# Title\n\nText.\n\n## FluxJob: create\n\n| a |\n\n## MiniCluster: create\n\n| b |\n";
    const section = "## Versions\n\nText.\n\n| c |\n";

    it("is the first one of the page, and the only one", () => {
        const first = withSection(page, section);
        assert.equal(
            first,
            "# Title\n\nText.\n\n## Versions\n\nText.\n\n| c |\n\n## FluxJob: create\n\n| a |\n\n## MiniCluster: create\n\n| b |\n",
        );
        assert.equal(withSection(first, section.replace("c", "d")), first.replace("| c |", "| d |"));
        assert.equal(sectionIn(first), section);
        assert.equal(withSection(first, sectionIn(first)), first);
    });

    it("is left out of a page that has none", () => {
        assert.equal(sectionIn(page), "");
        assert.equal(withSection(page, ""), page);
    });
});
