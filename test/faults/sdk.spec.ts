import assert from "node:assert/strict";
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";

import { type SdkLanguage, sdk } from "../../scripts/local/sdk";

/** A file of each SDK that declares the MiniCluster. */
const FILES: Readonly<Record<SdkLanguage, string>> = {
    go: "fluxminicluster/miniCluster.go",
    python: "pulumi_flux_minicluster/mini_cluster.py",
};

describe("the SDK of another language", function () {
    this.timeout(900_000);

    for (const [language, file] of Object.entries(FILES) as [SdkLanguage, string][]) {
        it(`is made for ${language} from a schema without errors and warnings, and only once`, async () => {
            const folder = await sdk(language);
            assert(existsSync(join(folder, file)), file);
            const { ctimeMs } = statSync(folder);
            assert.deepEqual([await sdk(language), statSync(folder).ctimeMs], [folder, ctimeMs]);
        });
    }
});
