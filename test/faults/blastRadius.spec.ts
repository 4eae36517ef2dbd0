import assert from "node:assert/strict";

import { Interrupt } from "flux-minicluster";

import { Random } from "../double/support/random";
import { useNamespace } from "../e2e/support/namespace";
import { BlastHistory, CHANGES, type Outcome } from "./support/blastHistory";

/** BLAST_CHANGES=200 makes more changes, BLAST_SEED=... others. */
const NUMBER = Number(process.env["BLAST_CHANGES"] ?? 30);
const SEED = Number(process.env["BLAST_SEED"] ?? 37);

describe("Random changes and destroys of persistent clusters with running jobs", function () {
    this.timeout(0);
    const namespace = useNamespace();
    const outcomes: Outcome[] = [];

    before(async () => {
        console.log(`      BLAST_CHANGES=${NUMBER} BLAST_SEED=${SEED}`);
        const history = new BlastHistory(namespace, "blast", new Random(SEED));
        // One after the other, because an inline program that fails makes others in its process fail too.
        while (outcomes.length < NUMBER) {
            outcomes.push(await history.change());
        }
        printTable();
    });

    function printTable(): void {
        const rows = CHANGES.flatMap((change) =>
            [Interrupt.Refuse, Interrupt.Allow].map((interrupt) => {
                const all = outcomes.filter((each) => each.change === change && each.interrupt === interrupt);
                const sum = (count: (outcome: Outcome) => number) =>
                    all.reduce((total, each) => total + count(each), 0);
                return {
                    change,
                    interrupt,
                    times: all.length,
                    "jobs before": sum(({ before }) => before),
                    refused: sum(({ refused }) => Number(refused)),
                    "ended, named": sum(({ named }) => named.length),
                    "ended, not named": sum(({ silent }) => silent.length),
                };
            }),
        );
        console.table(rows);
    }

    const isDestroy = ({ change }: Outcome) => change === "destroy";

    it("end no job without permission", () => {
        const ended = ({ named, silent }: Outcome) => named.length + silent.length > 0;
        const wrong = outcomes.filter((each) => !isDestroy(each) && each.interrupt === "refuse" && ended(each));
        assert.deepEqual(wrong, []);
    });

    it("end no job that neither the preview nor the plan has named", () => {
        assert.deepEqual(
            outcomes.filter(({ silent }) => silent.length > 0),
            [],
        );
    });

    it("are refused only if a job would end", () => {
        assert.deepEqual(
            outcomes.filter(({ before, interrupt, refused }) => refused && (before === 0 || interrupt === "allow")),
            [],
        );
    });

    it("end jobs, and are refused, so that the tests above mean something", () => {
        assert.ok(outcomes.some(({ refused }) => refused));
        assert.ok(outcomes.some(({ change, named }) => change === "destroy" && named.length > 0));
        assert.ok(outcomes.some((each) => !isDestroy(each) && each.named.length > 0));
    });
});
