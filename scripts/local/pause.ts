import { createHash } from "node:crypto";
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { binaries } from "./binaries";
import * as pieces from "./pieces";
import { tar } from "./tar";

export const pauseImage = "localhost/pause:1";

/** The image of the process that holds a pod's namespaces: one static program. */
export async function pauseTar(): Promise<string> {
    const folder = await binaries(pieces.pause);
    const path = join(folder, "pause.tar");
    if (!existsSync(path)) {
        const draft = `${path}.${process.pid}`;
        writeFileSync(draft, imageTar(readFileSync(join(folder, "pause"))));
        renameSync(draft, path);
    }
    return path;
}

function imageTar(program: Buffer): Buffer {
    const layer = tar([{ path: "pause", content: program, mode: 0o755 }]);
    const config = json({
        architecture: process.arch === "arm64" ? "arm64" : "amd64",
        os: "linux",
        config: { Entrypoint: ["/pause"] },
        rootfs: { type: "layers", diff_ids: [`sha256:${createHash("sha256").update(layer).digest("hex")}`] },
    });
    const manifest = json([{ Config: "config.json", RepoTags: [pauseImage], Layers: ["layer.tar"] }]);
    return tar([
        { path: "layer.tar", content: layer, mode: 0o644 },
        { path: "config.json", content: config, mode: 0o644 },
        { path: "manifest.json", content: manifest, mode: 0o644 },
    ]);
}

const json = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));
