import assert from "node:assert/strict";

import { MiniCluster } from "flux-minicluster";

import type { Look } from "./look";

/** Rank 0 makes a credential, and rank 1 reads it. */
const EXCHANGE = [
    "command -v munge >/dev/null || { echo none; exit; }",
    "credential=$(munge --no-input)",
    'flux run -N2 bash -c \'[[ $FLUX_TASK_RANK == 0 ]] || printf %s "$1" | unmunge --metadata -\' unmunge "$credential"',
].join("\n");

export const munge: Look = {
    subject: "munge",

    clusters({ image }) {
        const args = { image, size: 2, munge: true, launcher: true, command: ["bash", "-c", EXCHANGE] };
        return {
            mungeOfRoot: new MiniCluster("munge-root", args).output,
            mungeOfUser: new MiniCluster("munge-user", { ...args, user: { name: "somebody", uid: 4242 } }).output,
        };
    },

    tests(outputs) {
        for (const who of ["mungeOfRoot", "mungeOfUser"]) {
            it(`takes on one rank what it gave on another (${who})`, () => {
                assert.match(outputs[who], /^STATUS: +Success \(0\)$|^none$/m);
            });
        }
    },
};
