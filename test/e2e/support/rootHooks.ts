import { performance } from "node:perf_hooks";

import { enterFile, recordStep } from "../../../scripts/tests/measure";

/** Milliseconds since this process started, when the last test file ended in it. */
let free = 0;

/** Mocha calls these once for each file of a parallel run. */
export const mochaHooks = {
    beforeAll(this: Mocha.Context) {
        const [suite] = this.test?.parent?.suites ?? [];
        enterFile(suite?.file);
        recordStep("load mocha, tsx and the test file", (performance.now() - free) / 1000);
    },
    afterAll() {
        free = performance.now();
    },
};
