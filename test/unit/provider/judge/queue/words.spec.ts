import assert from "node:assert/strict";

import type { Place } from "../../../../../provider/judge/queue/position";
import { describeWaiting } from "../../../../../provider/judge/queue/words";
import { waitingWorkload, type Workload } from "../../../../../provider/judge/queue/workload";

const LACKS =
    "couldn't assign flavors to pod set main: insufficient unused quota for cpu in flavor plain, 8 more needed";

function workload(message: string, { annotations = {}, type = "QuotaReserved" } = {}): Workload {
    const requests = { cpu: "3", memory: "2Gi" };
    return {
        metadata: { name: "job-lammps-1", annotations },
        spec: {
            queueName: "team-a",
            podSets: [{ count: 4, template: { spec: { containers: [{ name: "flux", resources: { requests } }] } } }],
        },
        status: {
            conditions: [{ type, status: "False", reason: "Pending", message, lastTransitionTime: new Date(0) }],
        },
    };
}

describe("describeWaiting", () => {
    const third: Place = { queue: "team-a", waiting: 5, position: 3 };
    const cases: [string, Workload, Place | undefined, string][] = [
        ["the place and the quota", workload(LACKS), third, "third of 5 in team-a; quota: 12 cpu needed, 4 free"],
        [
            "the number of waiting Jobs without a place",
            workload(LACKS),
            { queue: "team-a", waiting: 5 },
            "one of 5 in team-a; quota: 12 cpu needed, 4 free",
        ],
        [
            "a place beyond the tenth",
            workload(LACKS),
            { ...third, position: 11, waiting: 12 },
            "number 11 of 12 in team-a; quota: 12 cpu needed, 4 free",
        ],
        ["the quota alone", workload(LACKS), undefined, "quota: 12 cpu needed, 4 free"],
        [
            "several resources",
            workload(`${LACKS}, insufficient unused quota for memory in flavor plain, 6Gi more needed`),
            undefined,
            "quota: 12 cpu needed, 4 free; 8 GiB memory needed, 2 GiB free",
        ],
        [
            "several flavors",
            workload(`${LACKS}, insufficient unused quota for cpu in flavor spot, 12 more needed`),
            undefined,
            "quota: 12 cpu needed, 4 free in flavor plain, 0 free in flavor spot",
        ],
        [
            "a quota that is too small in any case",
            workload(
                "couldn't assign flavors to pod set main: insufficient quota for cpu in flavor plain, previously considered " +
                    "podsets requests (0) + current podset request (12) > maximum capacity (8)",
            ),
            undefined,
            "quota: 12 cpu needed, 8 in all",
        ],
        [
            "only the difference of a Job that grows",
            workload(LACKS, { annotations: { "kueue.x-k8s.io/workload-slice-replacement-for": "hpc/job-lammps-0" } }),
            third,
            "third of 5 in team-a; quota: 8 cpu more needed",
        ],
        [
            "Kueue's words without numbers",
            workload("LocalQueue team-a doesn't exist"),
            undefined,
            "LocalQueue team-a doesn't exist",
        ],
        [
            "admission checks",
            workload("The workload has not all checks ready", { type: "Admitted" }),
            undefined,
            "The workload has not all checks ready",
        ],
    ];
    for (const [what, given, place, expected] of cases) {
        it(`tells ${what}`, () => assert.equal(describeWaiting(given, place), expected));
    }

    it("tells nothing of an admitted Job", () => {
        assert.equal(describeWaiting({ status: { conditions: [] } }, third), undefined);
    });
});

describe("waitingWorkload", () => {
    const made = (second: number, conditions: readonly { type: string; status: string }[]): Workload =>
        ({ metadata: { creationTimestamp: new Date(second * 1000) }, status: { conditions } }) as never;
    const waits = { type: "QuotaReserved", status: "False" };

    it("is the newest one that waits", () => {
        const [old, grown] = [made(1, [waits]), made(2, [waits])];
        assert.equal(waitingWorkload([made(0, []), grown, old]), grown);
    });

    it("is none that has ended", () => {
        assert.equal(waitingWorkload([made(1, [waits, { type: "Finished", status: "True" }])]), undefined);
    });
});
