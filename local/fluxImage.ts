import { buildImages, imageFromEnv, standinImage, type AvailableImage } from "./images";
import type { Target } from "./target";

/** Brings the image with Flux to where the pods run, and gives its name. */
export async function provideFluxImage(target: Target): Promise<string> {
  const image = (await imageFromEnv()) ?? (await standin(target));
  if (image.tar !== undefined) await importInto(target, image.tar);
  else await target.pullImage?.(image.name);
  return image.name;
}

async function standin({ importImage }: Target): Promise<AvailableImage> {
  if (importImage === undefined) {
    throw new Error("Your cluster takes images from a registry only: name one that contains Flux, FLUX_IMAGE=registry/name:tag.");
  }
  console.error(`Flux is played by a stand-in that was made for tests (${standinImage}); FLUX_IMAGE=name or FLUX_IMAGE=archive.tar takes the real one.`);
  const image = (await buildImages()).find(({ name }) => name === standinImage);
  if (image === undefined) throw new Error(`${standinImage} was not built.`);
  return image;
}

async function importInto({ importImage }: Target, tar: string): Promise<void> {
  if (importImage === undefined) {
    throw new Error(`FLUX_IMAGE=${tar} is an archive, and your cluster takes images from a registry only.`);
  }
  await importImage(tar);
}
