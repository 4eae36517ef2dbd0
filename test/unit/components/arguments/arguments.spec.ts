import { deepEqual } from "node:assert";
import assert from "node:assert/strict";

import fc from "fast-check";

import type { MiniClusterArgs } from "../../../../components/args";
import { decideCluster } from "../../../../components/arguments/decide";
import { dropNulls } from "../../../../components/arguments/dropNulls";
import { ARGUMENTS } from "../../../../components/generated/shapes";
import { MiniCluster } from "../../../../components/miniCluster";
import { describeProblems } from "../../../../components/rules/problem";
import { certificateProblem } from "../../../../provider/contract/certificateCheck";
import { goldenObjects } from "../../../golden/specs";
import { answers, lateProblem } from "../../support/cluster";
import { mockPulumi, settled } from "../../support/pulumi";
import { RIGHT_VALUES, rightArgs } from "../../support/rightArgs";
import { lateArgs, PLACES, type Wrong, WRONG_ARGS } from "../../support/wrongArgs";

/** How many wrong sets of arguments are tried. Of right sets it is a tenth, of sets with Outputs a fiftieth. */
const RUNS = Number(process.env.ARGUMENT_RUNS ?? 10_000);
/** All runs have one seed, so that a test fails only because of a change. ARGUMENT_SEED tries others. */
const SEED = Number(process.env.ARGUMENT_SEED ?? 1);
const SHARES = { right: Math.ceil(RUNS / 10), late: Math.ceil(RUNS / 50), wrong: Math.ceil(RUNS / WRONG_ARGS.length) };
/** So many values of another type, the first kind, reach nearly every place. */
const ALL_PLACES = Math.max(SHARES.wrong, 5 * PLACES.length);

describe("generated arguments", function () {
    this.timeout(120_000);

    it("have a right value for each argument", () => {
        const names = Object.keys(RIGHT_VALUES);
        const missing = Object.keys(ARGUMENTS).filter((name) => !names.includes(name));
        assert.deepEqual(missing, [], "add a right value to test/unit/support/rightArgs.ts");
        assert.deepEqual(names.sort(), Object.keys(ARGUMENTS).sort());
        const [certificate] = fc.sample(RIGHT_VALUES.certificate, 1);
        assert.equal(certificateProblem(certificate as string), undefined);
    });

    it("are accepted if they are right, and make manifests that JSON can hold", () => {
        const used = new Set<string>();
        fc.assert(
            fc.property(rightArgs, (args) => {
                Object.keys(args).forEach((name) => used.add(name));
                assert.deepEqual(decideCluster("lammps", dropNulls(args)).problems, []);
                const objects = goldenObjects({ name: "lammps", args });
                // The loose comparison ignores prototypes, which generated objects don't have.
                deepEqual(JSON.parse(JSON.stringify(objects)), objects);
            }),
            { numRuns: SHARES.right, seed: SEED },
        );
        // Some arguments rarely fit the others; fewer runs may miss them.
        assert.deepEqual(
            Object.keys(ARGUMENTS).filter((name) => SHARES.right >= 1000 && !used.has(name)),
            [],
        );
    });

    for (const [index, wrong] of WRONG_ARGS.entries()) {
        const [{ kind }] = fc.sample(wrong, 1);
        it(`are refused with the name of the property if they have ${kind}`, () => {
            const numRuns = index === 0 ? ALL_PLACES : SHARES.wrong;
            fc.assert(fc.property(WRONG_ARGS[index], refused), { numRuns, seed: SEED });
        });
    }

    function refused({ args, property }: Wrong): void {
        const { problems, spec } = decideCluster("lammps", dropNulls(args) as any);
        assert.equal(spec, undefined);
        assert.ok(
            problems.some((problem) => problem.property === property),
            `${property} among ${problems.map((problem) => problem.property)}`,
        );
        assert.deepEqual(
            problems.filter((problem) => problem.property === "" && property !== ""),
            [],
        );
        const lines = describeProblems("lammps", problems).split("\n");
        assert.equal(lines.length, Math.min(problems.length, 101) + 1);
        assert.ok(
            lines.every((line) => line.length < 1300),
            "an error is too long for a terminal",
        );
    }

    it("register no object of the cluster if an Output turns out wrong", async () => {
        const registered = await mockPulumi(answers);
        const wrong = fc.sample(lateArgs, { numRuns: SHARES.late, seed: SEED });
        const problems = wrong.map(({ args }, index) => problemOf(`late-${index}`, args));
        for (const [index, { property }] of wrong.entries()) {
            const message = await problems[index];
            assert.match(message, /MiniCluster "late-\d+" has \d+ problems? in its arguments:\n/);
            assert.match(message, new RegExp(`\n  ${property}[.[:]`));
        }
        await settled().catch(() => undefined);
        const types = new Set(registered.map(({ type }) => type.replace(/^.*[/:]/, "")));
        assert.deepEqual([...types].sort(), ["MiniCluster"]);
    });

    /** The constructor itself throws for an argument that can't be an Output. */
    async function problemOf(name: string, args: object): Promise<string> {
        try {
            return (await lateProblem(new MiniCluster(name, args as MiniClusterArgs))).message;
        } catch (error) {
            return (error as Error).message;
        }
    }

    it("put wrong values into nearly every place of the description", () => {
        assert.ok(PLACES.length > 150, String(PLACES.length));
        const paths = fc.sample(WRONG_ARGS[0], { numRuns: ALL_PLACES, seed: 1 }).map(({ property }) => property);
        assert.ok(new Set(paths).size > 0.9 * PLACES.length, `${new Set(paths).size} of ${PLACES.length}`);
    });
});
