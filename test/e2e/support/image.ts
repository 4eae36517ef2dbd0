import type { Cluster } from "../../../local";
import { type AvailableImage, buildImages, imageFromEnv, standinImage } from "../../../local/images";

/** The image with Flux: FLUX_IMAGE, the name of an image or the path of an archive, or the stand-in. */
export async function fluxImage(): Promise<AvailableImage> {
    const image = (await imageFromEnv()) ?? (await buildImages()).find(({ name }) => name === standinImage);
    return image ?? { name: standinImage };
}

/** Brings it into the cluster, where it isn't to be pulled. */
export async function importImage(cluster: Cluster): Promise<string> {
    const { name, tar } = await fluxImage();
    if (tar !== undefined) {
        await cluster.importImage(tar);
    }
    return name;
}
