import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";

import { binaries } from "./binaries";
import { root, shortHash, stateDir } from "./paths";
import { sdkgen } from "./pieces";
import { run } from "./run";

/** A language for which an SDK can be made. */
export type SdkLanguage = "go" | "python";

const SCHEMA = join(root, "plugin", "schema.json");

/** Returns the folder of a language's SDK. Makes the SDK if the schema or the generator has changed. */
export async function sdk(language: SdkLanguage): Promise<string> {
    const generator = await binaries(sdkgen);
    const folder = join(stateDir, "sdks", `${language}-${shortHash(generator, readFileSync(SCHEMA))}`);
    if (!existsSync(folder)) {
        const draft = `${folder}.${process.pid}`;
        rmSync(draft, { recursive: true, force: true });
        mkdirSync(dirname(folder), { recursive: true });
        await makeSdk(language, SCHEMA, draft);
        renameSync(draft, folder);
    }
    return folder;
}

/** Makes the SDK of a schema in a folder. */
export async function makeSdk(language: SdkLanguage, schema: string, folder: string): Promise<void> {
    await run(join(await binaries(sdkgen), "sdkgen"), [language, schema, folder]);
}
