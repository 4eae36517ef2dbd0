// Makes one file of modules and their dependencies.
import { build } from "esbuild";

/** Returns the files that went into the bundle. `options` are esbuild's. */
export async function bundle(options) {
    const { metafile } = await build({
        bundle: true,
        format: "cjs",
        legalComments: "inline",
        logLevel: "error",
        metafile: true,
        minify: true,
        platform: "node",
        target: "node22",
        ...options,
    });
    return Object.keys(metafile.inputs);
}
