import assert from "node:assert/strict";

import { validateConstraint } from "../../../../components/runOptions/constraint";

describe("validateConstraint", () => {
    const right = [
        "fast",
        "^fast",
        "a,b -c",
        "host:mc-[0-1]",
        "hosts: mc-0",
        'host:"mc-0"',
        "hostlist:a,b and rank:0-3,7",
        "rank:[0,2]",
        "not (rank:0 || fast) & -big",
        "properties:a",
        "android",
    ];
    for (const text of right) {
        it(`accepts ${text}`, () => assert.deepEqual(validateConstraint("requires", text), []));
    }

    const wrong: [string, string][] = [
        ["", "a constraint is missing at its end"],
        ["rank:0 and", "a constraint is missing at its end"],
        ["or rank:0", 'a constraint is missing before "or"'],
        ["(rank:0", 'a "(" has no ")"'],
        ["rank:0)", 'a ")" has no "("'],
        ["()", 'a constraint is missing before ")"'],
        ["-(a or b)", '"-" stands before "(", but it negates only one term'],
        ["host:'a", "a quote isn't closed, or has nothing in it"],
        ["a ''", "a quote isn't closed, or has nothing in it"],
        ["node:a", "Flux knows no operator node, but properties, host, hosts, hostlist, rank, ranks"],
        ["rank:", "rank has no value"],
        ["ranks:1-", '"1-" is no list of ranks'],
        ["rank:all", '"all" is no list of ranks'],
        ["a\nb", "a constraint has no control characters"],
    ];
    for (const [text, why] of wrong) {
        it(`refuses ${JSON.stringify(text)}`, () => {
            const cure = "Write it like host:mc-[0-1], rank:0-3, or (fast or big) and not rank:0.";
            assert.deepEqual(validateConstraint("requires", text), [
                { property: "requires", reason: `is ${JSON.stringify(text)}; ${why}. ${cure}` },
            ]);
        });
    }
});
