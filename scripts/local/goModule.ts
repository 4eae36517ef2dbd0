import { run } from "./run";

/** A Go module of this repository. */
export interface GoModule {
    /** Path of the `go` program. */
    readonly go: string;
    /** Folder of go.mod. */
    readonly dir: string;
}

/** Downloads the sources of a module's dependency. Returns their folder in Go's module cache. */
export async function sourcesOf(dependency: string, { go, dir }: GoModule): Promise<string> {
    const env = { ...process.env, GOFLAGS: "", GOWORK: "off" };
    const text = await run(go, ["mod", "download", "-json", dependency], { cwd: dir, env });
    return (JSON.parse(text) as { Dir: string }).Dir;
}
