import { buildImages, imageFromEnv, standinImage, type AvailableImage } from "./images";
import type { Target } from "./target";

/** The image that the Flux project publishes. */
const publishedImage = "docker.io/fluxrm/flux-core:bookworm-v0.88.0";

/** Makes the image with Flux available to the pods, and returns its name. */
export async function provideFluxImage(target: Target): Promise<string> {
    const image = (await imageFromEnv()) ?? (await defaultImage(target));
    if (image.tar !== undefined) {
        await importInto(target, image.tar);
    } else {
        await target.pullImage?.(image.name);
    }
    return image.name;
}

/** The published image, or the stand-in if the local cluster can't get that image. */
async function defaultImage({ importImage }: Target): Promise<AvailableImage> {
    return importImage === undefined || (await registryAnswers()) ? { name: publishedImage } : standin();
}

async function registryAnswers(): Promise<boolean> {
    const [registry] = publishedImage.split("/");
    return fetch(`https://${registry}/v2/`, { signal: AbortSignal.timeout(3000) }).then(
        () => true,
        () => false,
    );
}

async function standin(): Promise<AvailableImage> {
    console.error(
        `No image registry answers, so a stand-in for Flux runs, which is made for tests (${standinImage}). ` +
            "For a real Flux, set FLUX_IMAGE=archive.tar.",
    );
    const image = (await buildImages()).find(({ name }) => name === standinImage);
    if (image === undefined) {
        throw new Error(`The image ${standinImage} was not built.`);
    }
    return image;
}

async function importInto({ importImage }: Target, tar: string): Promise<void> {
    if (importImage === undefined) {
        throw new Error(`FLUX_IMAGE=${tar} is an archive, but your cluster needs the name of an image in a registry.`);
    }
    await importImage(tar);
}
