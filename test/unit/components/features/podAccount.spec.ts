import assert from "node:assert/strict";

import type { MiniClusterArgs, PlainArgs } from "../../../../components/args";
import { Keygen } from "../../../../components/features/key/keygen";
import { podAccount } from "../../../../components/features/podAccount";
import { MiniCluster } from "../../../../components/miniCluster";
import { answers } from "../../support/cluster";
import { mockPulumi, settled } from "../../support/pulumi";
import { makeSpec } from "../../support/spec";

const ELASTIC = { elastic: {}, maxSize: 6, minSize: 1, resources: { limits: { cpu: "2" } } };
const BUDGET = { disruptionBudget: true };
const KEY = { keygen: Keygen.InitContainer };

const TO_SECRET = {
    apiGroups: [""],
    resources: ["secrets"],
    resourceNames: ["mc-curve"],
    verbs: ["get", "watch", "patch"],
};
const TO_JOB = { apiGroups: ["batch"], resources: ["jobs"], resourceNames: ["mc"], verbs: ["get", "patch"] };
const TO_BUDGET = {
    apiGroups: ["policy"],
    resources: ["poddisruptionbudgets"],
    resourceNames: ["mc"],
    verbs: ["patch"],
};

/** Arguments, the end of the name of the Role and of the account, and the rights. */
const CLUSTERS: readonly [string, Partial<PlainArgs>, string, readonly object[]][] = [
    ["a key that the pods make", KEY, "curve", [TO_SECRET]],
    ["elastic", ELASTIC, "elastic", [TO_JOB]],
    ["a budget that follows jobs", BUDGET, "budget", [TO_BUDGET]],
    ["elastic and a budget", { ...BUDGET, ...ELASTIC }, "elastic", [TO_JOB, TO_BUDGET]],
    ["all three", { ...BUDGET, ...ELASTIC, ...KEY }, "curve", [TO_SECRET, TO_JOB, TO_BUDGET]],
];

const KINDS = ["Role", "RoleBinding", "ServiceAccount"];

/** The objects that give rights to the pods, in the order of their kinds, and the account of the Job's pods. */
async function register(args: Partial<PlainArgs>) {
    const registered = await mockPulumi(answers);
    new MiniCluster("mc", { image: "registry.example/flux:1", ...(args as Partial<MiniClusterArgs>) });
    await settled();
    const kindOf = ({ type }: { readonly type: string }) => type.slice(type.lastIndexOf(":") + 1);
    const objects = registered.filter((each) => KINDS.includes(kindOf(each)));
    const { inputs } = registered.find(({ name }) => name === "mc-job")!;
    return {
        account: inputs.manifest.spec.template.spec.serviceAccountName as string | undefined,
        objects: objects
            .map((each) => ({ kind: kindOf(each), name: each.name, inputs: each.inputs }))
            .sort((a, b) => (a.kind < b.kind ? -1 : 1)),
    };
}

describe("the rights of the pods", () => {
    for (const [what, args, suffix, rights] of CLUSTERS) {
        it(`are in one Role of one account with ${what}`, async () => {
            const { account, objects } = await register(args);
            const name = `mc-${suffix}`;
            assert.deepEqual(
                objects.map((object) => [object.kind, object.name, object.inputs.metadata.name]),
                KINDS.map((kind) => [kind, name, name]),
            );
            const [role, binding, made] = objects;
            assert.deepEqual(role.inputs.rules, rights);
            assert.deepEqual([binding.inputs.roleRef.name, binding.inputs.subjects[0].name], [name, name]);
            assert.deepEqual([account, made.inputs.automountServiceAccountToken], [name, false]);
        });
    }

    it("are given to the user's account", async () => {
        const { account, objects } = await register({ ...BUDGET, ...ELASTIC, serviceAccountName: "mine" });
        assert.deepEqual(
            objects.map(({ kind }) => kind),
            ["Role", "RoleBinding"],
        );
        assert.deepEqual([account, objects[1].inputs.subjects[0].name], ["mine", "mine"]);
    });

    for (const [what, named, expected] of [
        ["that podTemplate names", "mine", "mine"],
        ["of the namespace if podTemplate removes the name", null, undefined],
    ] as const) {
        it(`are given to the account ${what}`, async () => {
            const podTemplate = { spec: { serviceAccountName: named } };
            const { account, objects } = await register({ ...ELASTIC, podTemplate });
            const binding = objects.find(({ kind }) => kind === "RoleBinding");
            assert.deepEqual([account, binding?.inputs.subjects[0].name], [expected, expected ?? "default"]);
        });
    }

    it("are none by default, and with a budget that covers a command", async () => {
        for (const args of [{}, { ...BUDGET, command: ["hostname"] }]) {
            assert.deepEqual(await register(args), { account: undefined, objects: [] });
        }
        assert.equal(podAccount(makeSpec({ serviceAccountName: "mine" })), "mine");
    });
});
