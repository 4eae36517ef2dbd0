import { allBinaries } from "./binaries";
import { decideOptions } from "./cluster/options";
import { clusterPieces } from "./cluster/up";
import type { Piece } from "./pieces";
import { preflight } from "./preflight";
import { toolchainPieces } from "./toolchain";

/** What the local cluster and Pulumi are made of. */
export function allPieces(): Piece[] {
    return [...clusterPieces(decideOptions({})), ...toolchainPieces()];
}

/**
 * Builds all of it, by one build for each Go module: while one program is linked, which takes one core, another one is
 * compiled. Refuses at once where the cluster can't run.
 */
export async function buildPrograms(): Promise<void> {
    await preflight();
    await allBinaries(allPieces());
}
