import assert from "node:assert/strict";

import type { Cluster } from "../../../../cli/doctor/subject";
import { checkImage, checkPods } from "../../../../cli/doctor/troubles";
import { cureOf } from "../../../../provider/observe/causes/pods";
import { summarize } from "../../../../provider/observe/pods/pod";
import { causes } from "../../support/causes";
import type { Cause } from "../../support/causes/cause";
import { observeCause } from "../../support/causes/look";

function clusterWith(cause: Cause): Cluster {
    const seen = observeCause(cause);
    return { job: seen.job!, pods: cause.pod === undefined ? [] : [cause.pod], seen, logs: new Map() };
}

describe("checkPods and checkImage", () => {
    for (const cause of Object.values(causes).flat()) {
        it(`find ${cause.cause}, with the cure of docs/troubleshooting.md`, () => {
            const cluster = clusterWith(cause);
            const found = [...checkPods(cluster), ...checkImage(cluster)].filter(({ level }) => level === "fail");
            const [{ cure = "", text }] = found;
            const documented = cureOf(text, cause.limit === "podCreation");
            assert.equal(found.length, 1);
            assert.equal(cure, documented.replace(/\[[^\]]*\]\((\S+?)\)/, "docs/$1").replaceAll(/[`*]/g, ""));
        });
    }

    it("tell one problem of many pods once", () => {
        const [cause] = causes["A container can't start"];
        const cluster = clusterWith(cause);
        const other = observeCause({ ...cause, pod: undefined });
        for (const rank of [0, 1, 2]) {
            const name = `NAME-${rank}-x`;
            const labels = { ...cause.pod!.metadata!.labels, "batch.kubernetes.io/job-completion-index": `${rank}` };
            const metadata = { ...cause.pod!.metadata, name, uid: name, labels };
            other.setPod(summarize({ ...cause.pod!, metadata }), Date.now());
        }
        const [{ text }, ...rest] = checkImage({ ...cluster, seen: other });
        assert.match(text, /^NAME-0-x does not start: ErrImagePull: .* \(and 2 others\)$/);
        assert.deepEqual(rest, []);
    });
});
