import assert from "node:assert/strict";

import fc from "fast-check";

import type { PlainArgs } from "../../../../../components/args";
import { attempts } from "../../../../../components/features/attempts";
import { OnRankLoss } from "../../../../../components/features/attempts/lossPolicy";
import { command as feature } from "../../../../../components/features/command";
import { elastic } from "../../../../../components/features/elastic";
import { size } from "../../../../../components/features/size";
import { Sandbox } from "../../../support/sandbox";
import { makeSpec } from "../../../support/spec";

const numbers = (most: number) => fc.option(fc.integer({ min: 1, max: most }), { nil: undefined });

/** Arguments of a command, by which Flux may place it in another way than asked. */
const layouts = fc.record({
    size: fc.integer({ min: 1, max: 4 }),
    minSize: numbers(4),
    maxSize: numbers(6),
    nodes: numbers(5),
    tasks: numbers(7),
    cores: numbers(4),
    onRankLoss: fc.constantFrom(...Object.values(OnRankLoss)),
});

type Layout = Partial<PlainArgs> & { readonly size: number };

/** The features whose rules decide on a layout. */
const FEATURES = [size, attempts, feature];

function problemsOf(args: Partial<PlainArgs>): string[] {
    const spec = makeSpec(args);
    return FEATURES.flatMap(({ problems }) => problems!(spec)).map(({ property }) => property);
}

/** The sizes that a cluster may have when its command starts. */
function joined({ minSize, size }: Layout): number[] {
    const least = minSize ?? size;
    return Array.from({ length: size - least + 1 }, (_, more) => least + more);
}

/** True if each task gets its core when `up` ranks have joined, and the command has all ranks that are promised. */
function fits({ cores = Infinity, minSize, nodes, size, tasks }: Layout, up: number): boolean {
    const ranks = nodes ?? (minSize === undefined ? size : up);
    const used = Math.min(ranks, tasks ?? ranks);
    return ranks <= size && Math.ceil((tasks ?? ranks) / used) <= cores;
}

describe("the layout of a command", () => {
    /** The nodes and tasks that Flux gets when it lists so many ranks. */
    async function layoutOf(args: Partial<PlainArgs>, listed: number): Promise<[number, number]> {
        const pod = new Sandbox(args, 0);
        try {
            const stub = `[ "$1" != resource ] || echo ${listed}; [ "$1.$2" != getattr.size ] || echo ${listed}`;
            await pod.run("lead", ["x"], { FLUX_STUB: stub });
            const call = pod.calls.find(([, name]) => name === "run" || name === "submit") ?? [];
            const option = (letter: string) => Number(call[call.indexOf(letter) + 1]);
            return [option("-N"), option("-n")];
        } finally {
            pod.remove();
        }
    }

    it("is refused exactly if one of the ranks that are certain has too few cores, or if there are too few ranks", () => {
        fc.assert(
            fc.property(layouts, (args) => {
                const others = new Set(["size", "minSize", "onRankLoss"]);
                const problems = problemsOf(args);
                fc.pre(!problems.some((property) => others.has(property)));
                fc.pre(args.nodes === undefined || args.nodes <= (args.tasks ?? args.nodes));
                assert.equal(
                    problems.length === 0,
                    joined(args).every((up) => fits(args, up)),
                    problems.join(", "),
                );
            }),
            { numRuns: 1000 },
        );
    });

    it("has at least the promised ranks and room for its tasks, however many of them Flux lists", async function () {
        this.timeout(120_000);
        await fc.assert(
            fc.asyncProperty(layouts, fc.nat(), async (args, any) => {
                fc.pre(problemsOf(args).length === 0);
                const sizes = [0, ...joined(args)];
                const listed = sizes[any % sizes.length];
                const [nodes, tasks] = await layoutOf(args, listed);
                const ranks = args.nodes ?? Math.max(listed, args.minSize ?? args.size);
                assert.deepEqual([nodes, tasks], [Math.min(ranks, args.tasks ?? ranks), args.tasks ?? ranks]);
                assert.ok(Math.ceil(tasks / nodes) <= (args.cores ?? Infinity));
            }),
            { numRuns: 25 },
        );
    });

    it("has a notice exactly if it may have fewer nodes than with all ranks", () => {
        fc.assert(
            fc.property(layouts, (args) => {
                fc.pre(problemsOf(args).length === 0);
                const { minSize = args.size, nodes, size, tasks = size } = args;
                const mayBeSmaller = nodes === undefined && minSize < Math.min(size, tasks);
                assert.equal(feature.notices!(makeSpec(args)).length > 0, mayBeSmaller);
            }),
            { numRuns: 300 },
        );
    });

    it("is told in a notice with its limit and its cure", () =>
        assert.deepEqual(feature.notices!(makeSpec({ size: 3, minSize: 2 })), [
            {
                property: "minSize",
                reason: "is 2, below size 3; the command runs on the ranks that have joined when it starts, 2 or more. To run it on a fixed number of ranks, give nodes, or remove minSize.",
            },
        ]));

    it("isn't judged for a launcher, a persistent cluster or one that sizes itself", () => {
        const few = { size: 3, minSize: 1, maxSize: 4, cores: 1 };
        for (const args of [{ launcher: true }, { command: [] }, { command: [], elastic: {} }]) {
            assert.deepEqual(
                [problemsOf({ ...few, ...args }), feature.notices!(makeSpec({ ...few, ...args }))],
                [[], []],
            );
        }
    });

    it("is that of all ranks for a launcher too, and a command can't size its cluster", () => {
        assert.equal(makeSpec({ launcher: true, size: 3, maxSize: 4 }).minSize, 3);
        const given = { size: 3, minSize: 1, maxSize: 4, cores: 1, elastic: {} };
        assert.equal(elastic.problems!(makeSpec(given)).length, 1);
    });
});
