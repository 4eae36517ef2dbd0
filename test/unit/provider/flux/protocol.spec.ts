import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";

import * as protocol from "../../../../provider/flux/protocol";

const FOLDER = join(__dirname, "../../../../provider/flux");

/** The numbers of a text by their names: `A, B = 1, 2` and `A=1 B=2`. */
function numbersIn(file: string, prefix: string): Record<string, number> {
    const lines = readFileSync(join(FOLDER, file), "utf8").matchAll(/^(?:readonly )?([A-Z][A-Z_=0-9, ]*[0-9])$/gm);
    return Object.fromEntries(
        [...lines].flatMap(([, line = ""]) => {
            const names = line.match(/[A-Z][A-Z_]*/g) ?? [];
            const values = line.match(/\d+/g) ?? [];
            assert.equal(names.length, values.length, line);
            return names.map((name, index) => [name.replace(prefix, ""), Number(values[index])] as const);
        }),
    );
}

describe("what is agreed with the programs in the lead", () => {
    it("is the same in TypeScript and Python", () =>
        assert.deepEqual(numbersIn("agent/protocol.py", ""), { ...protocol }));

    it("is the same in job.sh", () => {
        const { NO_BROKER, UNKNOWN_JOB } = protocol;
        assert.deepEqual(numbersIn("job.sh", "MC_"), { NO_BROKER, UNKNOWN_JOB });
    });
});
