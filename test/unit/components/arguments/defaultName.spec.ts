import * as pulumi from "@pulumi/pulumi";
import assert from "node:assert/strict";

import type { MiniClusterArgs } from "../../../../components/args";
import { problemsOfCluster } from "../../../../components/arguments/resolve";
import { MiniCluster } from "../../../../components/miniCluster";
import { answers, lateProblem } from "../../support/cluster";
import { mockPulumi, type Registered, settled, valueOf } from "../../support/pulumi";

type Aliases = pulumi.ComponentResourceOptions["aliases"];

const URN = "urn:pulumi:stack::project::my:index:Group$flux-minicluster:index:MiniCluster::old";

describe("the default of a MiniCluster's name", () => {
    let registered: Registered[];

    beforeEach(async () => {
        registered = await mockPulumi(answers);
    });

    function make(aliases: Aliases, args: Partial<MiniClusterArgs> = {}): MiniCluster {
        return new MiniCluster("new", { image: "registry.example/flux:1", ...args }, { aliases });
    }

    const alike: readonly [what: string, aliases: () => Aliases, name: string][] = [
        ["no alias", () => [], "new"],
        ["an alias with a name", () => [{ name: "old" }], "old"],
        ["an alias with a name and a parent", () => [{ name: "old", parent: pulumi.rootStackResource }], "old"],
        ["a URN", () => [URN], "old"],
        ["a URN from Pulumi's createUrn", () => [pulumi.createUrn("old", "flux-minicluster:index:MiniCluster")], "old"],
        ["an Output with an alias", () => [pulumi.output({ name: "old" })], "old"],
        ["a Promise of a name", () => [{ name: Promise.resolve("old") }], "old"],
        ["an alias with another parent", () => [{ parent: pulumi.rootStackResource }], "new"],
        ["an alias with another project", () => [{ project: "other" }], "new"],
        ["the same name twice", () => [{ name: "old" }, URN, { name: "new" }], "old"],
    ];
    for (const [what, aliases, name] of alike) {
        it(`is "${name}" with ${what}`, async () => {
            assert.equal(await valueOf(make(aliases()).name), name);
            await settled();
            const { files, lead, manifest, secret } = registered.find((one) => one.name === "new-job")!.inputs;
            const names = [manifest, secret, { metadata: lead }].map(({ metadata }) => metadata.name);
            assert.deepEqual(names, [name, `${name}-secret`, `${name}-lead`]);
            assert.match(files.metadata.name, new RegExp(`^${name}-config-`));
        });
    }

    it("is not used if the argument is given", async () => {
        assert.equal(await valueOf(make([{ name: "old" }], { name: "given" }).name), "given");
    });

    const SEVERAL =
        'name: has no default, because opts.aliases has several names: "second", "first". ' +
        "Give the name of the Job in Kubernetes, usually the oldest of them.";

    it("is refused if the aliases have several names, because the program doesn't know the state", () => {
        assert.throws(
            () => make([{ name: "second" }, { name: "first" }]),
            (error: Error) => error.message.includes(SEVERAL),
        );
    });

    it("is refused too if one of the names is an Output", async () => {
        const cluster = make([{ name: pulumi.output("second") }, { name: "first" }]);
        const { message } = await lateProblem(cluster);
        assert(message.includes(SEVERAL), message);
    });

    it("is refused in the plugin too", async () => {
        const problems = await problemsOfCluster({ image: "i" }, "new", {
            aliases: [{ name: "second" }, { name: "first" }],
        });
        assert.deepEqual(
            problems.map(({ property, reason }) => `${property}: ${reason}`),
            [SEVERAL],
        );
    });

    it("is not needed with several names if the argument is given", async () => {
        const cluster = make([{ name: "second" }, { name: "first" }], { name: pulumi.output("first") });
        assert.equal(await valueOf(cluster.name), "first");
    });
});

describe("the Pulumi names of a MiniCluster's resources", () => {
    it("all start with the cluster's name, so that they inherit its aliases", async () => {
        const registered = await mockPulumi(answers);
        for (const keygen of ["pod", "initContainer"] as const) {
            new MiniCluster("flow", {
                image: "registry.example/flux:1",
                size: 2,
                maxSize: 4,
                resources: { limits: { cpu: "1" } },
                disruptionBudget: true,
                elastic: {},
                keygen,
                munge: true,
                networkPolicy: true,
                services: [{ name: "db", image: "db", ports: [1] }],
            });
        }
        await settled();
        const children = registered.filter(({ type }) => !type.endsWith(":MiniCluster"));
        assert.deepEqual([...new Set(children.map(({ name }) => name.replace("flow", "NAME")))].sort(), [
            "NAME",
            "NAME-budget",
            "NAME-curve",
            "NAME-elastic",
            "NAME-job",
            "NAME-key",
            "NAME-keygen",
            "NAME-lead",
            "NAME-policy",
            "NAME-services",
            "NAME-status",
        ]);
    });
});
