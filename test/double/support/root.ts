import { buildImages, standinImage } from "../../../local/images";
import { unpackedRoot } from "../../../local/images/unpack";

/** A folder with another Flux to hold these tests against, for instance the real one. */
const otherRoot = process.env["FLUX_TEST_ROOT"];

export const isStandin = otherRoot === undefined;

/** The root of a file system with `flux` in it. */
export async function fluxRoot(): Promise<string> {
    if (otherRoot !== undefined) {
        return otherRoot;
    }
    const image = (await buildImages()).find(({ name }) => name === standinImage);
    if (image === undefined) {
        throw new Error(`buildImages() made no ${standinImage}.`);
    }
    return unpackedRoot(image.tar);
}
