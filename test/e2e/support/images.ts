import { buildImages } from "../../../scripts/local/images";
import { sharedCluster } from "./sharedCluster";

/** Imports an image that was built for the tests into the cluster. */
export async function importTestImage(name: string): Promise<string> {
    const { cluster } = await sharedCluster();
    const image = (await buildImages()).find((candidate) => candidate.name === name);
    if (image === undefined) {
        throw new Error(`${name} is not one of the test images.`);
    }
    await cluster.importImage(image.tar);
    return name;
}
