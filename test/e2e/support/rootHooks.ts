import { performance } from "node:perf_hooks";

import { enterFile, recordStep } from "../../../scripts/tests/measure";
import "./onPlugin";

/** End of the last test file in this process, in milliseconds since the start of the process. */
let free = 0;

/** In a parallel run, mocha calls these hooks once for each file. */
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
