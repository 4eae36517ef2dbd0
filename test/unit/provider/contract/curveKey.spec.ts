import assert from "node:assert/strict";
import { parse } from "smol-toml";

import { curveCertificate } from "../../../../provider/contract/curveKey";

const keys = {
    publicKey: "rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf7",
    secretKey: "JTKVSB%%)wK0E.X)V>+}o?pNmC{O&4W4b!Ni{Lh6",
};

describe("curveCertificate", () => {
    it("writes the same file as flux keygen", () => {
        assert.equal(
            curveCertificate("lammps", keys),
            `#  ZeroMQ CURVE **Secret** Certificate
#  DO NOT DISTRIBUTE

metadata
    name = "lammps"
curve
    public-key = "rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf7"
    secret-key = "JTKVSB%%)wK0E.X)V>+}o?pNmC{O&4W4b!Ni{Lh6"
`,
        );
    });

    it("needs no escapes in its strings, because names and Z85 have no quotes or backslashes", () => {
        const lines = curveCertificate("lammps", keys)
            .split("\n")
            .filter((line) => line.includes("="));
        assert.deepEqual(
            { ...parse(lines.join("\n")) },
            {
                name: "lammps",
                "public-key": keys.publicKey,
                "secret-key": keys.secretKey,
            },
        );
    });
});
