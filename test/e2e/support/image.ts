import type { Cluster } from "../../../scripts/local";
import {
    type AvailableImage,
    buildImages,
    imageFromEnv,
    publicImage,
    standinImage,
} from "../../../scripts/local/images";

/** The image with Flux: FLUX_IMAGE (the name of an image or the path of an archive), else the stand-in. */
export async function fluxImage(): Promise<AvailableImage> {
    const image = (await imageFromEnv()) ?? (await buildImages()).find(({ name }) => name === standinImage);
    return image ?? { name: standinImage };
}

/** Imports the image with Flux into the cluster, unless the cluster pulls it. Returns its name. */
export async function importImage(cluster: Cluster): Promise<string> {
    const { name, tar } = await fluxImage();
    if (tar !== undefined) {
        await cluster.importImage(tar);
    }
    return name;
}

/** FLUX_IMAGE, else the stand-in in an image that is like the public one of flux-core, in the cluster. */
export async function importPublicImage(cluster: Cluster): Promise<string> {
    const built = (await buildImages()).find(({ name }) => name === publicImage);
    const image = (await imageFromEnv()) ?? built ?? { name: publicImage };
    if (image.tar !== undefined) {
        await cluster.importImage(image.tar);
    }
    return image.name;
}
