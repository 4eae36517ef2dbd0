import fc from "fast-check";
import assert from "node:assert/strict";

import { checkArguments } from "../../../../components/arguments/shape";
import { SYNONYMS } from "../../../../components/arguments/synonyms";
import { ARGUMENTS, JOB_ARGUMENTS } from "../../../../components/generated/shapes";
import { suggestionFor } from "../../../../provider/contract/suggestion";

const reasons = (args: object) => checkArguments(args).map(({ property, reason }) => `${property}: ${reason}`);

describe("checkArguments", () => {
    it("accepts arguments of the right shape", () => {
        const args = {
            image: "x",
            command: ["a", "b"],
            size: 2,
            launcher: false,
            environment: { A: "1" },
            placement: "pack",
            volumes: [{ name: "data", mountPath: "/data", source: { csi: { driver: "x" } } }],
            triggers: [1, { a: null }],
            affinity: { nodeAffinity: {} },
            broker: { logLevel: 7 },
            timeouts: { ready: 10 },
            output: { secret: true },
        };
        assert.deepEqual(checkArguments(args), []);
    });

    it("treats undefined and null as arguments that aren't given", () => {
        assert.deepEqual(checkArguments({ size: undefined, command: null, hooks: { init: undefined } }), []);
    });

    const wrong: [object, string][] = [
        [{ size: "4" }, 'size: is "4"; it must be a whole number.'],
        [{ size: 1.5 }, "size: is 1.5; it must be a whole number."],
        [{ tasks: true }, "tasks: is true; it must be a whole number."],
        [{ timeLimit: "1h" }, 'timeLimit: is "1h"; it must be a whole number of seconds.'],
        [{ timeouts: { ready: 0.5 } }, "timeouts.ready: is 0.5; it must be a whole number of seconds."],
        [{ image: 7 }, "image: is 7; it must be a string."],
        [{ launcher: "yes" }, 'launcher: is "yes"; it must be true or false.'],
        [{ affinity: [] }, "affinity: is []; it must be an object."],
        [{ podTemplate: "x" }, 'podTemplate: is "x"; it must be an object.'],
        [{ command: "hostname -f" }, 'command: is "hostname -f"; it must be a list.'],
        [{ command: ["a", 1] }, "command[1]: is 1; it must be a string."],
        [{ command: ["a", null] }, "command[1]: is null; it must be a string."],
        [{ volumes: [null] }, "volumes[0]: is null; it must be an object."],
        [{ environment: { A: 1 } }, "environment.A: is 1; it must be a string."],
        [{ environment: { A: undefined } }, "environment.A: is undefined; it must be a string."],
        [{ labels: ["a"] }, 'labels: is ["a"]; it must be an object.'],
        [{ restful: false }, "restful: is false; it must be { enabled: false }."],
        [{ archive: true }, "archive: is true; it must be an object."],
        [{ archive: { onDamage: "ignore" } }, 'archive.onDamage: is "ignore"; it must be one of "setAside", "fail".'],
        [{ placement: "dense" }, 'placement: is "dense"; it must be one of "spread", "exclusive", "pack".'],
        [{ waitFor: 1 }, 'waitFor: is 1; it must be one of "ready", "completed", "none".'],
        [{ resources: { limits: { cpu: 4 } } }, "resources.limits.cpu: is 4; it must be a string."],
        [{ tolerations: [{ key: 1 }] }, "tolerations[0].key: is 1; it must be a string."],
        [
            { imagePullPolicy: "always" },
            'imagePullPolicy: is "always"; it must be one of "Always", "IfNotPresent", "Never".',
        ],
    ];
    for (const [args, expected] of wrong) {
        it(`reports the wrong value in ${JSON.stringify(args)}`, () => {
            assert.deepEqual(reasons(args), [expected]);
        });
    }

    const unknown: [object, string][] = [
        [{ minsize: 1 }, "minsize: does not exist. Did you mean minSize?"],
        [{ sise: 1 }, "sise: does not exist. Did you mean size?"],
        [{ env: {} }, "env: does not exist. Did you mean environment?"],
        [{ replicas: 2 }, "replicas: does not exist. Did you mean size?"],
        [{ cpus: 2 }, "cpus: does not exist. Did you mean cores, resources.requests.cpu or coresPerTask?"],
        [{ memory: "1Gi" }, "memory: does not exist. Did you mean resources.requests.memory?"],
        [{ hooks: { pret: "x" } }, "hooks.pret: does not exist. Did you mean pre?"],
        [{ hooks: { epilogue: "x" } }, "hooks.epilogue: does not exist. Use one of init, lead, post, pre, worker."],
        [{ volumes: [{ mountpath: "/x" }] }, "volumes[0].mountpath: does not exist. Did you mean mountPath?"],
        [{ output: { bytes: 1 } }, "output.bytes: does not exist. Use one of maxBytes, secret, stream."],
        [{ output: { constructor: {} } }, "output.constructor: does not exist. Use one of maxBytes, secret, stream."],
    ];
    for (const [args, expected] of unknown) {
        it(`reports the unknown name in ${JSON.stringify(args)}`, () => {
            assert.deepEqual(reasons(args), [expected]);
        });
    }

    it("names three of many names if none is near", () => {
        const [reason] = reasons({ constructor: 1 });
        assert.match(reason, /^constructor: does not exist\. The nearest names are \w+, \w+, \w+\.$/);
    });

    it("has a name that exists for each word of Kubernetes and Slurm", () => {
        const known = [...Object.keys(ARGUMENTS), ...Object.keys(JOB_ARGUMENTS)];
        for (const [word, meant] of Object.entries(SYNONYMS)) {
            assert.doesNotMatch(suggestionFor(word, known, SYNONYMS), /nearest/, word);
            for (const name of [meant].flat() as string[]) {
                assert.ok(known.includes(name.split(".")[0]) || name === "persistentVolumeClaim", `${word}: ${name}`);
            }
        }
    });

    it("reports all problems at once", () => {
        const problems = checkArguments({ size: "4", comand: ["x"], hooks: { init: 1 }, volumes: [{}, { name: 2 }] });
        assert.deepEqual(
            problems.map(({ property }) => property),
            ["size", "comand", "hooks.init", "volumes[1].name"],
        );
    });

    it("never throws, whatever a JavaScript program passes", () => {
        const keys = fc.oneof(
            fc.string(),
            fc.constantFrom("size", "volumes", "hooks", "constructor", "toString", "__proto__"),
        );
        const { tree } = fc.letrec((tie) => ({
            tree: fc.oneof(
                { depthSize: "small" },
                fc.jsonValue(),
                fc.array(tie("tree")),
                fc.dictionary(keys, tie("tree")),
            ),
        }));
        fc.assert(fc.property(fc.dictionary(keys, tree), (args) => Array.isArray(checkArguments(args as object))));
    });
});
