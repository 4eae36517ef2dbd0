import { buildImages, standinImage } from "../../../scripts/local/images";
import { unpackedRoot } from "../../../scripts/local/images/unpack";

/** Root folder of another Flux to test, for instance the real one. */
const otherRoot = process.env["FLUX_TEST_ROOT"];

export const isStandin = otherRoot === undefined;

/** Root folder of the tested file system, which has `flux`. */
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
