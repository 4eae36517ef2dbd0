import fc from "fast-check";
import assert from "node:assert/strict";

import { encodeZ85 } from "../../../../provider/contract/z85";
import { decodeZ85 } from "../../support/z85";

describe("encodeZ85", () => {
    it("encodes the test vector of ZeroMQ RFC 32", () => {
        assert.equal(encodeZ85(Buffer.from("864fd26fb559f75b", "hex")), "HelloWorld");
    });

    it("encodes the test keys of ZeroMQ's RFC 26 and libzmq", () => {
        const publicKey = "54fcba24e93249969316fb617c872bb0c1d1ff14800427c594cbfacf1bc2d652";
        assert.equal(encodeZ85(Buffer.from(publicKey, "hex")), "rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf7");
        const secretKey = "8e0bdd697628b91d8f245587ee95c5b04d48963f79259877b49cd9063aead3b7";
        assert.equal(encodeZ85(Buffer.from(secretKey, "hex")), "JTKVSB%%)wK0E.X)V>+}o?pNmC{O&4W4b!Ni{Lh6");
    });

    for (const [hex, expected] of [
        ["00000000", "00000"],
        ["ffffffff", "%nSc0"],
        ["", ""],
    ]) {
        it(`encodes ${hex || "nothing"} as ${expected || "nothing"}`, () => {
            assert.equal(encodeZ85(Buffer.from(hex, "hex")), expected);
        });
    }

    it("is reversed by the decoder of the RFC, for any bytes at any offset of their buffer", () => {
        const words = fc.uint8Array({ maxLength: 64 }).filter((bytes) => bytes.length % 4 === 0);
        fc.assert(
            fc.property(words, fc.nat(7), (bytes, offset) => {
                const padded = Buffer.concat([Buffer.alloc(offset, 1), bytes]).subarray(offset);
                assert.deepEqual(decodeZ85(encodeZ85(padded)), Buffer.from(bytes));
            }),
        );
    });

    it("refuses bytes whose number isn't a multiple of 4", () => {
        assert.throws(() => encodeZ85(Buffer.alloc(6)), { message: "Z85 encodes multiples of 4 bytes, not 6." });
    });
});
