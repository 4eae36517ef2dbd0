import assert from "node:assert/strict";

import type { PlainArgs } from "../../../../../components/args";
import { key } from "../../../../../components/features/key";
import { munge } from "../../../../../components/features/munge";
import { Keygen } from "../../../../../components/features/key/keygen";
import { makeSpec, problemsOf } from "../../../support/spec";

describe("the rules of key", () => {
    const cases: [Partial<PlainArgs>, string[]][] = [
        [{}, []],
        [{ keygen: Keygen.Pod, rotate: "2" }, []],
        [{ certificateSecret: "mine" }, []],
        [
            { certificate: "text", certificateSecret: "mine" },
            ['certificateSecret: is "mine", but certificate is given too. Remove one of them.'],
        ],
        [
            { certificate: "text", keygen: Keygen.Native },
            ['keygen: is "native", but certificate already gives a key. Remove one of them.'],
        ],
        [
            { certificateSecret: "mine", keygen: Keygen.Pod },
            ['keygen: is "pod", but certificateSecret already gives a key. Remove one of them.'],
        ],
    ];
    for (const [args, expected] of cases) {
        it(`find ${expected.length === 0 ? "nothing" : "a contradiction"} in ${JSON.stringify(args)}`, () => {
            assert.deepEqual(problemsOf(key, makeSpec(args)), expected);
        });
    }
});

describe("the rules of munge", () => {
    const cases: [Partial<PlainArgs>, string[]][] = [
        [{}, []],
        [{ munge: false }, []],
        [{ munge: true, mungeSecret: "mine" }, []],
        [{ munge: false, mungeSecret: "mine" }, ['mungeSecret: is "mine", but munge is false. Remove one of them.']],
        [{ mungeSecret: "" }, ["mungeSecret: is empty; give the name of a Secret, or munge: true for a new key."]],
    ];
    for (const [args, expected] of cases) {
        it(`find ${expected.length === 0 ? "nothing" : "a problem"} in ${JSON.stringify(args)}`, () => {
            assert.deepEqual(problemsOf(munge, makeSpec(args)), expected);
        });
    }
});
