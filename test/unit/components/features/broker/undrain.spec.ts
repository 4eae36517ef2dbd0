import assert from "node:assert/strict";

import { Sandbox } from "../../../support/sandbox";

const OURS = "the pod is leaving";
/** That of `minicluster drain`. */
const MAINTAINED = "the pod leaves for maintenance";

interface Event {
    readonly name?: string;
    readonly idset?: string;
    readonly reason?: string;
    readonly overwrite?: number;
}

/** A line of `flux kvs eventlog get resource.eventlog`. */
function line({ name = "drain", idset = "4", reason, overwrite = 0 }: Event): string {
    const why = reason === undefined ? "" : ` reason=${JSON.stringify(reason)}`;
    return `1795392000.123456 ${name} idset="${idset}" nodelist="lammps-[${idset}]"${why} overwrite=${overwrite}`;
}

const START = '1795391999.5 resource-init restart=false drain={} online="" exclude=""';

describe("undrain.sh", () => {
    let pod: Sandbox;

    beforeEach(() => {
        pod = new Sandbox({ command: [] }, 4);
    });
    afterEach(() => pod.remove());

    /** Rank 4 joins. `drained` has the lines of `flux resource drain`: ranks and reasons. */
    async function join(events: readonly Event[], drained: readonly string[]) {
        pod.write("events", `${[START, ...events.map(line)].join("\n")}\n`);
        pod.write("drained", drained.map((one) => `${one}\n`).join(""));
        const stub =
            'case "$1 $2" in "kvs eventlog") cat "$SANDBOX/events";; "resource drain") cat "$SANDBOX/drained";; esac';
        const { code, stderr } = await pod.run("ready", [], { FLUX_STUB: stub });
        assert.deepEqual([code, stderr], [0, ""]);
        return pod.calls.filter(([, command]) => command === "resource").map((call) => call[2]);
    }

    const both = ["drain", "undrain"];
    const cases: [string, readonly Event[], readonly string[], readonly string[]][] = [
        ["undrains a rank that left", [{ reason: OURS }], [`4 ${OURS}`], both],
        ["undrains a rank that was drained for maintenance", [{ reason: MAINTAINED }], [`4 ${MAINTAINED}`], both],
        [
            "undrains a rank that left, and was drained for maintenance before",
            [{ reason: OURS }, { reason: MAINTAINED, overwrite: 1 }],
            [`4 ${MAINTAINED}`],
            both,
        ],
        [
            "undrains a rank that left more than once",
            [{ reason: OURS }, { name: "undrain" }, { reason: OURS }],
            [`4 ${OURS}`],
            both,
        ],
        ["undrains a rank that left together with others", [{ idset: "1,3-5", reason: OURS }], [`1,3-5 ${OURS}`], both],
        ["undrains a rank whose idset is in brackets", [{ idset: "[3-5]", reason: OURS }], [`[3-5] ${OURS}`], both],
        [
            "undrains a rank if a later undrain names only other ranks",
            [{ reason: OURS }, { name: "undrain", idset: "1,5-44" }],
            [`4 ${OURS}`],
            both,
        ],
        ["doesn't list drained ranks if the rank was never drained", [], [], []],
        [
            "doesn't list drained ranks if only other ranks were drained",
            [{ idset: "1-3,5,14,40-49", reason: OURS }],
            [`1-3,5,14,40-49 ${OURS}`],
            [],
        ],
        [
            "doesn't list drained ranks if another client has undrained the rank since",
            [{ reason: OURS }, { name: "undrain", idset: "0-7" }],
            [],
            [],
        ],
        ["keeps a rank drained that an administrator has drained", [{ reason: "broken" }], ["4 broken"], []],
        ["keeps a rank drained that was drained without a reason", [{}], ["4 "], []],
        [
            "keeps a rank drained whose reason only quotes the reason of leave.sh",
            [{ reason: `said reason="${OURS}"` }],
            [`4 said reason="${OURS}"`],
            [],
        ],
        [
            "keeps a rank drained that an administrator has drained after it left",
            [{ reason: OURS }, { reason: "broken", overwrite: 1 }],
            ["4 broken"],
            ["drain"],
        ],
        [
            "keeps a rank drained that an administrator has drained after it came back",
            [{ reason: OURS }, { name: "undrain" }, { reason: "broken" }],
            ["4 broken"],
            [],
        ],
        [
            "undrains a rank if an administrator's later reason didn't overwrite the reason of leave.sh",
            [{ reason: OURS }, { reason: "broken", overwrite: 0 }],
            [`4 ${OURS}`],
            both,
        ],
        [
            "doesn't undrain other ranks that are leaving",
            [{ reason: OURS }, { idset: "5", reason: OURS }],
            ["4 broken", `5 ${OURS}`],
            ["drain"],
        ],
    ];
    for (const [what, events, drained, expected] of cases) {
        it(what, async () => {
            assert.deepEqual(await join(events, drained), expected);
            const undrained = pod.calls.filter((call) => call.includes("undrain"));
            assert.deepEqual(undrained, expected.includes("undrain") ? [["flux", "resource", "undrain", "4"]] : []);
        });
    }

    it("fails while the lead can't list the drained ranks", async () => {
        pod.write("events", `${line({ reason: OURS })}\n`);
        const stub = 'case "$1 $2" in "kvs eventlog") cat "$SANDBOX/events";; "resource drain") exit 1;; esac';
        assert.equal((await pod.run("ready", [], { FLUX_STUB: stub })).code, 1);
        assert.ok(!pod.calls.some((call) => call.includes("undrain")));
    });
});
