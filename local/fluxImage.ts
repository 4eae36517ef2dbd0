import { buildImages, imageFromEnv, standinImage, type AvailableImage } from "./images";
import type { Target } from "./target";

/** Flux as its own project publishes it. */
const publishedImage = "docker.io/fluxrm/flux-core:bookworm-v0.88.0";

/** Brings the image with Flux to where the pods run, and gives its name. */
export async function provideFluxImage(target: Target): Promise<string> {
    const image = (await imageFromEnv()) ?? (await defaultImage(target));
    if (image.tar !== undefined) {
        await importInto(target, image.tar);
    } else {
        await target.pullImage?.(image.name);
    }
    return image.name;
}

/** The real one wherever it can be had. */
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
        `No image registry answers, so Flux is played by a stand-in that was made for tests (${standinImage}); FLUX_IMAGE=archive.tar takes a real one.`,
    );
    const image = (await buildImages()).find(({ name }) => name === standinImage);
    if (image === undefined) {
        throw new Error(`${standinImage} was not built.`);
    }
    return image;
}

async function importInto({ importImage }: Target, tar: string): Promise<void> {
    if (importImage === undefined) {
        throw new Error(`FLUX_IMAGE=${tar} is an archive, and your cluster takes images from a registry only.`);
    }
    await importImage(tar);
}
