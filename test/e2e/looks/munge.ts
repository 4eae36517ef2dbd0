import assert from "node:assert/strict";

import { MiniCluster } from "flux-minicluster";

import type { Look } from "./look";

/** The lead makes a credential, and the follower reads it. If the image has no MUNGE, the output is "none". */
const EXCHANGE = [
    "command -v munge >/dev/null || { echo none; exit; }",
    "credential=$(munge --no-input)",
    'flux run -N2 bash -c \'[[ $FLUX_TASK_RANK == 0 ]] || printf %s "$1" | unmunge --metadata -\' unmunge "$credential"',
].join("\n");

export const munge: Look = {
    subject: "with MUNGE",

    clusters({ image }) {
        const args = { image, size: 2, munge: true, launcher: true, command: ["bash", "-c", EXCHANGE] };
        return {
            mungeOfRoot: new MiniCluster("munge-root", args).output,
            mungeOfUser: new MiniCluster("munge-user", { ...args, user: { name: "somebody", uid: 4242 } }).output,
        };
    },

    tests(outputs) {
        for (const [who, name] of [
            ["root", "mungeOfRoot"],
            ["another user", "mungeOfUser"],
        ]) {
            it(`accepts the lead's credential on the follower as ${who}`, () => {
                assert.match(outputs[name], /^STATUS: +Success \(0\)$|^none$/m);
            });
        }
    },
};
