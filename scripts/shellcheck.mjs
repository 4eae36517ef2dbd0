// Checks every shell script of the repository. It installs nothing: `make` does.
import { spawnSync } from "node:child_process";

const listed = spawnSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "*.sh"], {
    encoding: "utf8",
});
const scripts = listed.stdout.split("\n").filter(Boolean);

const { error, status } = spawnSync("shellcheck", ["--", ...scripts], { stdio: "inherit" });
if (error) {
    console.error(
        `shellcheck can't be run (${error.message}). Install the Debian package shellcheck, or run make test, which does.`,
    );
}
process.exit(status ?? 1);
