import { buildImages, imageFromEnv, standinImage, type AvailableImage } from "./images";
import type { Target } from "./target";

/** The image that the Flux project publishes. */
const publishedImage = "docker.io/fluxrm/flux-core:bookworm-v0.88.0";

/** The image with Flux for a demo. It needs no cluster yet, so it can be built while the cluster's programs are. */
export async function fluxImage(environment: NodeJS.ProcessEnv = process.env): Promise<AvailableImage> {
    return (await imageFromEnv()) ?? (await defaultImage(environment));
}

/** The published image, or the stand-in if the local cluster can't get that image. */
async function defaultImage({ CLUSTER }: NodeJS.ProcessEnv): Promise<AvailableImage> {
    return CLUSTER === "current" || (await registryAnswers()) ? { name: publishedImage } : standin();
}

/** Makes an image available to the pods. */
export async function giveImage({ name, tar }: AvailableImage, target: Target): Promise<void> {
    await (tar === undefined ? target.pullImage?.(name) : importInto(target, tar));
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
