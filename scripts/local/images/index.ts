import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

import { cacheDir, shortHash } from "../paths";
import { imageNameIn, packImage, type ImageConfig } from "./archive";
import { packagesOf } from "./containerfile";
import { debianLayer } from "./debian";
import { keepInUse, makeOnce } from "./folders";
import { LIKENESSES } from "./likeness";
import { packLikeness } from "./likenessLayer";
import { packStandin, packVersion, standinContent } from "./standinLayer";

/** An image and its archive. Without an archive, the image comes from a registry. */
export interface AvailableImage {
    readonly name: string;
    readonly tar?: string;
}

/** An image that was built here. */
export type BuiltImage = Required<AvailableImage>;

/** A stand-in for Flux (not Flux): test/double/image/README.md. */
export const standinImage = "localhost/flux-standin:dev";
/** The stand-in with a version that is older than the oldest supported one. */
export const oldStandinImage = "localhost/flux-old:dev";
/** The stand-in in a Debian with PyTorch. */
const torchImageName = "localhost/flux-torch:dev";
/** The stand-in in an image that is like the public image of flux-core: `likeness.ts`. */
export const publicImage = "localhost/flux-bookworm:dev";
/** The same Debian without any Flux. */
export const noFluxImage = "localhost/no-flux:dev";

const oldVersion = "0.40.0";
const config: ImageConfig = {
    Cmd: ["/bin/bash"],
    Env: ["PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LANG=C.UTF-8"],
};

/** Builds the test images, or finds them in the cache. */
export async function buildImages(): Promise<BuiltImage[]> {
    const base = await debianLayer();
    const hash = shortHash(
        base,
        JSON.stringify(config),
        oldVersion,
        readFileSync(__filename),
        readFileSync(require.resolve("./standinLayer")),
        readFileSync(require.resolve("./likeness")),
        readFileSync(require.resolve("./likenessLayer")),
        ...standinContent(),
    );
    const folder = await makeOnce(join(cacheDir, `images-${hash}`), "building the test images", async (draft) => {
        console.error("Test images: packing ...");
        const standin = join(draft, "standin-layer.tar");
        const version = join(draft, "version-layer.tar");
        await packStandin(standin, base);
        await packVersion(version, oldVersion);
        const likeness = join(draft, "bookworm-layer.tar");
        await packLikeness(likeness, base, LIKENESSES.bookworm);
        await packImage(join(draft, "flux-bookworm.tar"), {
            name: publicImage,
            layers: [base, standin, likeness],
            config: LIKENESSES.bookworm.config,
        });
        await packImage(join(draft, "no-flux.tar"), { name: noFluxImage, layers: [base], config });
        await packImage(join(draft, "flux-standin.tar"), { name: standinImage, layers: [base, standin], config });
        await packImage(join(draft, "flux-old.tar"), {
            name: oldStandinImage,
            layers: [base, standin, version],
            config,
        });
    });
    // Removes unused images: each edit of the stand-in makes new images of half a gigabyte.
    keepInUse(folder);
    return [
        { name: noFluxImage, tar: join(folder, "no-flux.tar") },
        { name: standinImage, tar: join(folder, "flux-standin.tar") },
        { name: oldStandinImage, tar: join(folder, "flux-old.tar") },
        { name: publicImage, tar: join(folder, "flux-bookworm.tar") },
    ];
}

/**
 * Builds an image with the packages of examples/images/pytorch, or finds it in the cache. Only a part of
 * `make test-faults` needs it.
 */
export async function torchImage(): Promise<BuiltImage> {
    const base = await debianLayer(packagesOf("pytorch"));
    const hash = shortHash(base, JSON.stringify(config), readFileSync(__filename), ...standinContent());
    const folder = await makeOnce(
        join(cacheDir, `torch-${hash}`),
        "building the test image with PyTorch",
        async (draft) => {
            const standin = join(draft, "standin-layer.tar");
            await packStandin(standin, base);
            await packImage(join(draft, "torch.tar"), { name: torchImageName, layers: [base, standin], config });
        },
    );
    keepInUse(folder);
    return { name: torchImageName, tar: join(folder, "torch.tar") };
}

/** The image that the user chose with FLUX_IMAGE: the path of an archive, or a name. */
export async function imageFromEnv(environment: NodeJS.ProcessEnv = process.env): Promise<AvailableImage | undefined> {
    const choice = environment["FLUX_IMAGE"];
    if (!choice) {
        return undefined;
    }
    const looksLikePath =
        choice.endsWith(".tar") || choice.startsWith("/") || choice.startsWith("./") || choice.startsWith("../");
    if (!looksLikePath) {
        return { name: choice };
    }
    const tar = resolve(choice);
    if (!existsSync(tar)) {
        throw new Error(`FLUX_IMAGE=${choice} does not exist. Give the path of an archive, or the name of an image.`);
    }
    return { name: await imageNameIn(tar), tar };
}
