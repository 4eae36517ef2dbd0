import assert from "node:assert/strict";

import { certificateProblem } from "../../../../provider/contract/certificateCheck";
import { curveCertificate } from "../../../../provider/contract/curveCertificate";
import { makeKeyPair } from "../../../../provider/curveKey/keyPair";

describe("certificateProblem", () => {
    const keys = makeKeyPair();
    const good = curveCertificate("lammps", keys);

    it("is none for what we make, and for what flux keygen adds to it", () => {
        assert.equal(certificateProblem(good), undefined);
        const more = good.replace(
            "metadata\n",
            '# note\n\nmetadata\n    keygen.hostname = "a-0"\n    keygen.time = "2026-11-21T10:00:00"\n',
        );
        assert.equal(certificateProblem(more), undefined);
    });

    const cases: [string, string, string | RegExp][] = [
        ["nothing", "", "has no public-key and secret-key of 40 Z85 characters each"],
        ["other text", "flux: command not found\n", "is no CURVE certificate, see its line 1"],
        ["text before it", `warning: x\n${good}`, "is no CURVE certificate, see its line 1"],
        ["an entry without a section", '    name = "x"\n', "is no CURVE certificate, see its line 1"],
        ["a key that is too short", good.replace(keys.publicKey, keys.publicKey.slice(1)), /40 Z85 characters/],
        [
            "an entry twice",
            good.replace("curve\n", '    name = "again"\ncurve\n'),
            "is no CURVE certificate, see its line 6",
        ],
        [
            "a line that Flux doesn't read",
            good.replace("lammps", "x".repeat(300)),
            "has more than 255 characters in line 5",
        ],
        [
            "a public key of another",
            curveCertificate("x", { ...keys, publicKey: makeKeyPair().publicKey }),
            /doesn't belong/,
        ],
        ["a public certificate", good.replace(/ +secret-key.*\n/, ""), /40 Z85 characters/],
        [
            "40 characters that are no number",
            curveCertificate("x", { ...keys, secretKey: "#".repeat(40) }),
            /doesn't belong/,
        ],
    ];
    for (const [what, text, expected] of cases) {
        it(`is said of ${what}, without a word of it`, () => {
            const problem = certificateProblem(text) ?? "";
            assert.match(problem, expected instanceof RegExp ? expected : new RegExp(`^${expected}$`));
            assert.ok(!problem.includes(keys.secretKey));
        });
    }
});
