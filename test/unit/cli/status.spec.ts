import assert from "node:assert/strict";

import { nodeLine } from "../../../cli/status/action";
import type { Pod } from "../../../provider/observe/pods/pod";

describe("the line of status for a pod that is being deleted", () => {
    it("comes when the end is overdue by the server's clock", () => {
        const endsBy = Date.parse("2020-01-01T00:00:00Z");
        const pod = { name: "lammps-0-x", node: "n1", endsBy } as Pod;
        assert.deepEqual(nodeLine(pod, endsBy), []);
        assert.match(nodeLine(pod, endsBy + 1)[0], /^lammps-0-x was deleted, and node n1 .* 2020-01-01T00:00:00Z/);
    });
});
