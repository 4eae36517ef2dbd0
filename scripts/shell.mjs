// Checks every shell script of the repository with shfmt (as WebAssembly) and shellcheck. With --write it only formats.
// It doesn't install shellcheck: `make` does.
import { spawnSync } from "node:child_process";
import { format } from "@wasm-fmt/shfmt";

import { checkFormat, sources } from "./sources.mjs";

const write = process.argv.includes("--write");
const scripts = sources("*.sh", ".ci/run");
const formatted = checkFormat(scripts, (text, path) => format(text, path, { indent: 2 }), write);
process.exitCode = (write || shellcheck()) && formatted ? 0 : 1;

function shellcheck() {
    const { error, status } = spawnSync("shellcheck", ["--", ...scripts], { stdio: "inherit" });
    if (error) {
        console.error(
            `shellcheck can't be run (${error.message}). Install the Debian package shellcheck, or run make test, which does.`,
        );
    }
    return status === 0;
}
