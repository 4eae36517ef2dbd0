import { allBinaries } from "./binaries";
import { decideOptions } from "./cluster/options";
import { clusterPieces } from "./cluster/up";
import type { Piece } from "./pieces";
import { preflight } from "./preflight";
import { toolchainPieces } from "./toolchain";

/** All pieces of the default cluster and of Pulumi. */
export function allPieces(): Piece[] {
    return [...clusterPieces(decideOptions({})), ...toolchainPieces()];
}

/**
 * Builds all these pieces and `more`, with one build for each Go module: while it links one program, which uses one
 * core, it compiles another one. Fails at once if the cluster can't run on this machine.
 */
export async function buildPrograms(more: readonly Piece[] = []): Promise<void> {
    await preflight();
    await allBinaries([...allPieces(), ...more]);
}
