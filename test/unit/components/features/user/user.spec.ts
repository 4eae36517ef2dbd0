import assert from "node:assert/strict";

import type { PlainArgs } from "../../../../../components/args";
import { user } from "../../../../../components/features/user";
import { configFiles } from "../../../../../components/pod/configMap";
import { podTemplate } from "../../../../../components/pod/template";
import { makeSpec, problemsOf } from "../../../support/spec";

const podOf = (args: Partial<PlainArgs>) => {
    const spec = makeSpec(args);
    return podTemplate(spec, "hpc", configFiles(spec)).spec;
};

describe("user", () => {
    it("sets the account that all containers run as, from the start", () => {
        const user = { name: "somebody", uid: 4242 };
        assert.deepEqual(podOf({ user }).securityContext, {
            runAsUser: 4242,
            runAsGroup: 4242,
            runAsNonRoot: true,
        });
        assert.equal(makeSpec({ user: {} }).podSecurityContext.runAsUser, 1000);
    });

    it("has an init container add the account to the image's passwd and group", () => {
        const { containers, initContainers } = podOf({ user: {} });
        const paths = containers[0].volumeMounts.filter(({ name }: { name: string }) => name === "flux-prepared");
        assert.deepEqual(
            paths.map(({ mountPath, readOnly }: any) => [mountPath, readOnly]),
            [
                ["/etc/passwd", true],
                ["/etc/group", true],
            ],
        );
        assert.deepEqual(
            initContainers.map(({ name }: { name: string }) => name),
            ["flux-prepare"],
        );
    });

    it("sets the home of passwd, unless HOME is given", () => {
        const asked = (args: Partial<PlainArgs>) =>
            podOf(args).containers[0].env.some(({ name }: { name: string }) => name === "MINICLUSTER_USER");
        assert.deepEqual(
            [asked({ user: {} }), asked({ user: {}, environment: { HOME: "/data" } }), asked({})],
            [true, false, false],
        );
        const patched = (name: string) => ({
            spec: { containers: [{ name: "flux", env: [{ name, value: "/data" }] }] },
        });
        assert.deepEqual(
            ["HOME", "HOMES"].map((name) => asked({ user: {}, podTemplate: patched(name) })),
            [false, true],
        );
    });

    const cases: [Partial<PlainArgs>, string[]][] = [
        [{ user: { name: "flux", uid: 1000 }, podSecurityContext: { runAsUser: 1000 } }, []],
        [
            { user: { name: "Root" } },
            [
                "user.name: is \"Root\"; a user name has up to 32 lower-case letters, digits, '-' and '_', starts with a letter or '_', and is not root.",
            ],
        ],
        [
            { user: { name: "root" } },
            [
                "user.name: is \"root\"; a user name has up to 32 lower-case letters, digits, '-' and '_', starts with a letter or '_', and is not root.",
            ],
        ],
        [{ user: { uid: 0 } }, ["user.uid: is 0; a uid is from 1 to 2147483647."]],
        [
            { user: { uid: 1000 }, podSecurityContext: { runAsUser: 7 } },
            ["podSecurityContext.runAsUser: is 7, but user.uid is 1000. Remove one of them."],
        ],
        [
            { user: { uid: 1000 }, securityContext: { runAsUser: 7 } },
            ["securityContext.runAsUser: is 7, but user.uid is 1000. Remove one of them."],
        ],
    ];
    for (const [args, expected] of cases) {
        it(`${expected.length === 0 ? "accepts" : "refuses"} ${JSON.stringify(args)}`, () => {
            assert.deepEqual(problemsOf(user, makeSpec(args)), expected);
        });
    }
});
