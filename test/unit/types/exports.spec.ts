import assert from "node:assert/strict";
import { join } from "node:path";

import ts from "typescript";

import { Compiler, ROOT, typesUsed } from "./support";

describe("the types that the package exports", () => {
    let checker: ts.TypeChecker;
    let exported: Map<string, ts.Symbol>;

    before(() => {
        const program = new Compiler().programOf("components/index.ts");
        checker = program.getTypeChecker();
        const module = checker.getSymbolAtLocation(program.getSourceFile(join(ROOT, "components/index.ts"))!)!;
        const resolved = (symbol: ts.Symbol) =>
            symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
        exported = new Map(checker.getExportsOfModule(module).map((each) => [each.name, resolved(each)]));
    });

    it("include all types that their own declarations use", () => {
        const missing = [...exported].flatMap(([name, symbol]) =>
            [...typesUsed(checker, symbol)].filter((type) => !exported.has(type)).map((type) => `${type} of ${name}`),
        );
        assert.deepEqual(missing, []);
    });

    it("are used in the arguments and the outputs, so that this test can fail", () => {
        const used = ["MiniClusterArgs", "FluxJob"].map((name) => typesUsed(checker, exported.get(name)!));
        assert.ok(used[0].has("CheckpointArgs") && used[0].has("CsiVolumeArgs") && used[0].has("Placement"));
        const records = ["RecordedBytes", "RecordedDigest", "RecordedFailure", "RecordedRank", "RunRecord"];
        const others = ["ElementsStatus", "FailedElement", "KeptFile", "KeptResults"];
        assert.deepEqual([...used[1]].sort(), [...others, ...records]);
    });
});
