import assert from "node:assert/strict";

import { readDocuments } from "../../../convert/yaml/documents";

const read = (text: string) => readDocuments(text).map(({ value }) => value);

describe("readDocuments", () => {
    // As kubectl 1.33 prints them with `kubectl annotate --local -o json`.
    const scalars: [string, unknown][] = [
        ...["y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"].map(
            (word) => [word, true] as [string, unknown],
        ),
        ...["n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"].map(
            (word) => [word, false] as [string, unknown],
        ),
        ...["", "~", "null", "Null", "NULL"].map((word) => [word, null] as [string, unknown]),
        ["yEs", "yEs"],
        ["010", 8],
        ["-010", -8],
        ["089", 89],
        ["0o10", 8],
        ["0x1F", 31],
        ["0b11", 3],
        ["1_000", 1000],
        ["1e3", 1000],
        ["1e3x", "1e3x"],
        ["1E400", "1E400"],
        ["1.5e-3", 0.0015],
        ["0.1e1", 1],
        ["1.0", 1],
        ["12.50", 12.5],
        [".5", 0.5],
        ["5.", 5],
        ["+5", 5],
        ["-0", 0],
        ["1:30", "1:30"],
        ["1.2.3", "1.2.3"],
        ["=", "="],
        ["2001-01-01", "2001-01-01"],
        ["2001-12-14t21:59:43.10-05:00", "2001-12-14t21:59:43.10-05:00"],
        ["123456789012345678901", 123_456_789_012_345_680_000],
        ["'no'", "no"],
        ['"010"', "010"],
        ["!!str 5", "5"],
        ['!!int "5"', 5],
        ["!!bool yes", true],
        ["!!binary YQ==", "a"],
        ["|-\n  no", "no"],
    ];
    for (const [source, expected] of scalars) {
        it(`reads ${source} as kubectl does`, () => assert.deepEqual(read(`a: ${source}\n`), [{ a: expected }]));
    }

    const texts: [string, string, unknown[]][] = [
        ["keys that are no texts", "yes: 1\n5: a\n1.5: b\n", [{ true: 1, 5: "a", 1.5: "b" }]],
        ["the last of two equal keys", "a: 1\nb: 2\na: 3\n", [{ a: 3, b: 2 }]],
        ["anchors and aliases", "a: &x [1, {b: no}]\nc: *x\n", [{ a: [1, { b: false }], c: [1, { b: false }] }]],
        [
            "merged maps, which replace earlier fields only",
            "x: &x {k: 1, l: 2}\nk: 0\n<<: *x\nl: 9\n",
            [{ x: { k: 1, l: 2 }, k: 1, l: 9 }],
        ],
        ["the first of several merged maps", "<<: [{a: 1}, {a: 2, b: 3}]\n", [{ a: 1, b: 3 }]],
        ["several documents, empty ones too", "a: 1\n---\n---\nb: 2\n...\n", [{ a: 1 }, null, { b: 2 }]],
        ["JSON", '{"a": [true, "no"]}', [{ a: [true, "no"] }]],
        ["Windows line ends and a byte order mark", "\uFEFFa: |\r\n  b\r\n  c\r\nd: e\r\n", [{ a: "b\nc\n", d: "e" }]],
        ["a directive", "%YAML 1.1\n---\na: no\n", [{ a: false }]],
    ];
    for (const [what, text, expected] of texts) {
        it(`reads ${what}`, () => assert.deepEqual(read(text), expected));
    }

    it("knows the lines of fields, keys that are given twice, and the texts of values that are no texts", () => {
        const [document] = readDocuments(
            "# a\nspec:\n  list:\n    - a: 010\n      b: no\n    - c\n  list2: {x: 1}\n  list2: {}\n",
        );
        assert.deepEqual(Object.fromEntries(document.lines), {
            spec: 2,
            "spec.list": 3,
            "spec.list[0]": 4,
            "spec.list[0].a": 4,
            "spec.list[0].b": 5,
            "spec.list[1]": 6,
            "spec.list2": 8,
            "spec.list2.x": 7,
        });
        assert.deepEqual(document.repeated, [{ path: "spec.list2", lines: [7, 8] }]);
        assert.deepEqual(
            [document.sources.get("spec.list[0].a"), document.sources.get("spec.list[0].b")],
            ["010", "no"],
        );
    });

    it("doesn't change the prototype of a map", () => {
        const [value] = read('{"__proto__": {"size": 3}}') as Record<string, unknown>[];
        assert.equal(value["size"], undefined);
    });

    const wrong: [string, string, string][] = [
        [
            "a list in a line with its key",
            "a: x\na b: - c",
            "line 2, column 6: Unexpected block-seq-ind on same line with key. Correct the text there.",
        ],
        [
            "a tab as indentation",
            "a:\n\t- b",
            "line 2, column 1: Tabs are not allowed as indentation. Correct the text there.",
        ],
        [
            "a quote without an end",
            'a: 1\nb: "c\n',
            'line 3, column 1: Missing closing "quote. Correct the text there.',
        ],
        [
            "an unknown alias",
            "a: 1\nb: *q",
            "line 2: there is no anchor &q before the alias *q. Correct the text there.",
        ],
        [
            "an anchor that contains its alias",
            "a: &x\n  b: *x",
            "line 2: an anchor contains its own alias. Correct the text there.",
        ],
        ["a merge of no map", "a: 1\n<<: 2", "line 2: the value of << is no map. Correct the text there."],
        [
            "a text with a tag of numbers",
            "a: !!int q",
            'line 1: "q" doesn\'t fit its tag !!int. Correct the text there.',
        ],
        [
            "a template",
            "# {{ name }}\nmetadata:\n  name: {{ name }}",
            "line 3: a map or a list is the key of a map. The text is a template: render it first, for example with helm template.",
        ],
        [
            "a template of Jinja",
            "a: 1\n{% if b %}",
            "line 2, column 2: Plain value cannot start with directive indicator character %. " +
                "The text is a template: render it first, for example with helm template.",
        ],
        [
            "billions of values in few lines",
            `a0: &a0 [1]\n${Array.from({ length: 30 }, (_, n) => `a${n + 1}: &a${n + 1} [*a${n}, *a${n}]`).join("\n")}`,
            "line 1: it has more than 100000 values, with its aliases. Correct the text there.",
        ],
    ];
    for (const [what, text, expected] of wrong) {
        it(`refuses ${what}, with its line`, () =>
            assert.throws(() => read(text), { message: `The YAML has an error at ${expected}` }));
    }
});
