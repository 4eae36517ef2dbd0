import type { Cluster } from "../../../local";
import { buildImages, imageFromEnv, standinImage } from "../../../local/images";

/** Brings the image with Flux into the cluster: FLUX_IMAGE, the name of an image or the path of an archive, or the stand-in. */
export async function importImage(cluster: Cluster): Promise<string> {
    const chosen = await imageFromEnv();
    const image = chosen ?? (await buildImages()).find(({ name }) => name === standinImage);
    if (image?.tar !== undefined) {
        await cluster.importImage(image.tar);
    }
    return image?.name ?? standinImage;
}
