import assert from "node:assert/strict";

import { counted, namesInWords, sizeInWords } from "../../../../provider/contract/words";

describe("words for numbers and names", () => {
    it("count things", () => {
        assert.deepEqual(
            [0, 1, 12_345].map((count) => counted(count, "job")),
            ["0 jobs", "1 job", "12,345 jobs"],
        );
    });

    it("give a size in the largest unit of which there is a whole one", () => {
        const sizes: [number, string][] = [
            [1, "1 byte"],
            [1023, "1,023 bytes"],
            [1024, "1 KiB"],
            [1.5 * 2 ** 20, "1.5 MiB"],
            [2 ** 40, "1024 GiB"],
        ];
        assert.deepEqual(
            sizes.map(([bytes]) => sizeInWords(bytes)),
            sizes.map(([, words]) => words),
        );
    });

    it("list up to 20 names", () => {
        const names = Array.from({ length: 22 }, (_, index) => `${index}`);
        assert.equal(namesInWords(names.slice(0, 2)), "0, 1");
        assert.match(namesInWords(names), /18, 19 and 2 more$/);
    });
});
