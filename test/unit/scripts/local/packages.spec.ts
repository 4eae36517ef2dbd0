import assert from "node:assert/strict";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";

import { ensurePrograms } from "../../../../scripts/local/packages";

/** An apt-get that fails while another one has the lock, and installs programs named after the packages. */
const APT_GET = `#!/bin/sh
cd "$(dirname "$0")"
mkdir lock || exit 100
echo "$@" >> calls
sleep 0.1
for word in "$@"; do
    case $word in few-*) printf '#!/bin/sh\\n' > "$word"; chmod +x "$word" ;; esac
done
rmdir lock
`;

describe("ensurePrograms", () => {
    let folder: string;
    let path: string | undefined;

    beforeEach(() => {
        folder = mkdtempSync(join(tmpdir(), "flux-minicluster-"));
        writeFileSync(join(folder, "apt-get"), APT_GET);
        chmodSync(join(folder, "apt-get"), 0o755);
        path = process.env["PATH"];
        process.env["PATH"] = `${folder}${delimiter}${path}`;
    });
    afterEach(() => {
        process.env["PATH"] = path;
        rmSync(folder, { recursive: true });
    });

    const ensure = (name: string) => ensurePrograms({ [name]: name }, join(folder, "apt.lock"));
    const installs = () =>
        readFileSync(join(folder, "calls"), "utf8")
            .split("\n")
            .filter((line) => line.includes("install"));

    it("runs one apt-get at a time", async () => {
        await Promise.all(["few-a", "few-b", "few-c"].map((name) => ensure(name)));
        assert.equal(installs().length, 3);
    });

    it("installs a program once, even if two callers need it", async () => {
        await Promise.all([ensure("few-a"), ensure("few-a")]);
        assert.equal(installs().length, 1);
    });
});
