import type { Reader, Values } from "../reader";
import { VIEW } from "../view";

/** An image of an MPIJob has no Flux, unless the user says that it has. */
export function readView(
    reader: Reader,
    args: Values,
    { fluxInImage, path }: { readonly fluxInImage: boolean; readonly path: string },
): void {
    if (!fluxInImage) {
        args.view = { ...VIEW };
        const reason = `has no Flux if it was made for the MPI Operator. So Flux comes from ${VIEW.image} (Ubuntu 24.04)`;
        const needs = "the image needs bash and a glibc that isn't older";
        reader.warn(path, `${reason} by view; ${needs}. If the image has Flux, set fluxInImage.`);
    }
}
