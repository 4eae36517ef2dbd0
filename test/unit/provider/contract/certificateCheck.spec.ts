import assert from "node:assert/strict";

import { certificateProblem } from "../../../../provider/contract/certificateCheck";
import { curveCertificate } from "../../../../provider/contract/curveKey";
import { makeKeyPair } from "../../../../provider/curveKey/keyPair";

describe("certificateProblem", () => {
    const keys = makeKeyPair();
    const good = curveCertificate("lammps", keys);

    it("accepts the package's certificates, also with the entries that flux keygen adds", () => {
        assert.equal(certificateProblem(good), undefined);
        const more = good.replace(
            "metadata\n",
            '# note\n\nmetadata\n    keygen.hostname = "a-0"\n    keygen.time = "2026-11-21T10:00:00"\n',
        );
        assert.equal(certificateProblem(more), undefined);
    });

    const cases: [string, string, string | RegExp][] = [
        ["an empty text", "", "has no public-key and secret-key of 40 Z85 characters each"],
        ["other text", "flux: command not found\n", "is not a CURVE certificate: see its line 1"],
        ["text before the certificate", `warning: x\n${good}`, "is not a CURVE certificate: see its line 1"],
        ["an entry outside a section", '    name = "x"\n', "is not a CURVE certificate: see its line 1"],
        ["a key that is too short", good.replace(keys.publicKey, keys.publicKey.slice(1)), /40 Z85 characters/],
        [
            "a duplicate entry",
            good.replace("curve\n", '    name = "again"\ncurve\n'),
            "is not a CURVE certificate: see its line 6",
        ],
        [
            "a line that is too long for Flux",
            good.replace("lammps", "x".repeat(300)),
            "has more than 255 characters in line 5",
        ],
        [
            "the public key of another secret key",
            curveCertificate("x", { ...keys, publicKey: makeKeyPair().publicKey }),
            /doesn't belong/,
        ],
        ["a public certificate", good.replace(/ +secret-key.*\n/, ""), /40 Z85 characters/],
        [
            "40 characters that aren't Z85",
            curveCertificate("x", { ...keys, secretKey: "#".repeat(40) }),
            /doesn't belong/,
        ],
    ];
    for (const [what, text, expected] of cases) {
        it(`refuses ${what}, without quoting it`, () => {
            const problem = certificateProblem(text) ?? "";
            assert.match(problem, expected instanceof RegExp ? expected : new RegExp(`^${expected}$`));
            assert.ok(!problem.includes(keys.secretKey));
        });
    }
});
