import assert from "node:assert/strict";

import { describeEnd, readWishes } from "../../../scripts/nextSteps";

describe("the demo", () => {
    it("runs hostname on four ranks, the user's command, or a persistent cluster", () => {
        assert.deepEqual(readWishes({}), { size: 4, command: ["hostname"] });
        const wishes = readWishes({ COMMAND: "echo $HOME", SIZE: "8" });
        assert.deepEqual(wishes, { size: 8, command: ["bash", "-c", "echo $HOME"] });
        assert.deepEqual(readWishes({ PERSISTENT: "on" }), { size: 4, command: undefined });
        assert.throws(() => readWishes({ SIZE: "0" }), /^Error: SIZE=0: must be a whole number from 1/);
        assert.throws(() => readWishes({ PERSISTENT: "yes" }), /^Error: PERSISTENT=yes: must be on/);
        assert.throws(() => readWishes({ PERSISTENT: "on", COMMAND: "id" }), /exclude each other/);
    });

    it("ends with what stands there, the stand-in, and what to type next", () => {
        assert.equal(
            describeEnd(readWishes({}), { isOwn: true, isStandin: true }),
            `
The MiniCluster hello has run \`hostname\` on 4 ranks.
Flux was a stand-in, which is made for tests: no image registry answers.

Next:
  eval "$(make env)"                     # so that this shell finds pulumi, kubectl and the cluster
  npx flux-minicluster status hello      # look at it
  COMMAND="echo hello" SIZE=8 make demo  # run your own command, on eight ranks
  PERSISTENT=on make demo                # a cluster that stays and takes jobs
  make demo-down                         # remove it (and make cluster-down: its Kubernetes)`,
        );
        const end = describeEnd(readWishes({ PERSISTENT: "on" }), { isOwn: false, isStandin: false });
        assert.match(end, /^\nThe MiniCluster flux waits for jobs on 4 ranks\.\n\nNext:\n/);
        assert.match(end, /npx flux-minicluster submit -- hostname/);
    });
});
