import assert from "node:assert/strict";

import type { PlainArgs } from "../../../../../components/args";
import { validate } from "../../../../../components/arguments/decide";
import { configFiles } from "../../../../../components/pod/configMap";
import { job } from "../../../../../components/pod/job";
import { makeSpec } from "../../../support/spec";

type Checks = NonNullable<PlainArgs["preflight"]>;

const CHECK = { name: "gpu", script: "nvidia-smi" };

describe("preflight", () => {
    const NAME =
        "the name of a check has up to 63 lower-case letters, digits and '-', and starts and ends with a letter or a digit.";
    const refused: [string, Checks, string, string][] = [
        ["a name that is no label", [{ ...CHECK, name: "GPU ok" }], "preflight[0].name", `is "GPU ok"; ${NAME}`],
        ["an empty name", [{ ...CHECK, name: "" }], "preflight[0].name", `is missing; ${NAME}`],
        [
            "two checks of one name",
            [CHECK, { ...CHECK, script: "true" }],
            "preflight[1].name",
            'is "gpu", which is already the name of another check. Change one of them.',
        ],
        [
            "an empty script",
            [{ ...CHECK, script: " \n" }],
            "preflight[0].script",
            "is missing or empty. Give a bash script, or remove the check.",
        ],
        ["a timeout below 1", [{ ...CHECK, timeout: 0 }], "preflight[0].timeout", "is 0; it must be at least 1."],
        [
            "a timeout above int32",
            [{ ...CHECK, timeout: 2147483648 }],
            "preflight[0].timeout",
            "is 2147483648; it must be at most 2147483647.",
        ],
        [
            "scripts that no ConfigMap can hold",
            [{ ...CHECK, script: "#".repeat(900_000) }],
            "preflight",
            "has 900041 bytes; all arguments together may have up to 800000, because Kubernetes objects can't hold more. Give it as a file in a volume.",
        ],
    ];
    for (const [what, preflight, property, reason] of refused) {
        it(`refuses ${what}`, () => {
            assert.deepEqual(validate(makeSpec({ preflight })), [{ property, reason }]);
        });
    }

    it("gives a check 60 seconds by default, and each check a file", () => {
        const files = configFiles(makeSpec({ preflight: [CHECK, { name: "clock", script: "true\r\n", timeout: 5 }] }));
        assert.equal(files["preflight"], "gpu 60\nclock 5\n");
        assert.deepEqual([files["preflight-gpu.sh"], files["preflight-clock.sh"]], ["nvidia-smi", "true\n"]);
        assert.equal(
            Object.keys(configFiles(makeSpec({ preflight: [] }))).filter((name) => /flight/.test(name)).length,
            0,
        );
    });

    it("has a readiness probe only if a cluster may start without some ranks, whatever its size is", () => {
        const probeOf = (args: Partial<PlainArgs>) => {
            const spec = makeSpec(args);
            return job(spec, "hpc", configFiles(spec)).spec.template.spec.containers[0].readinessProbe?.exec.command[1];
        };
        const preflight = [CHECK];
        assert.equal(probeOf({ preflight, size: 3 }), undefined);
        assert.equal(probeOf({ size: 3, minSize: 2 }), undefined);
        for (const sizes of [
            { size: 3, minSize: 2 },
            { size: 2, minSize: 2, maxSize: 3 },
            { minSize: 1, maxSize: 3 },
        ]) {
            assert.equal(probeOf({ preflight, ...sizes }), "/etc/flux-minicluster/joined.sh");
        }
    });
});
