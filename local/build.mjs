// Compiles the package into dist/ and puts the scripts, which tsc doesn't copy, beside their reader.
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, rmSync } from "node:fs";

const { status } = spawnSync(process.execPath, ["node_modules/typescript/bin/tsc", "-p", "tsconfig.build.json"], {
    stdio: "inherit",
});
if (status !== 0) {
    rmSync("dist", { recursive: true, force: true });
    process.exit(status ?? 1);
}
const [from, to] = ["components/scripts", "dist/components/scripts"];
mkdirSync(to, { recursive: true });
for (const script of readdirSync(from).filter((file) => file.endsWith(".sh"))) {
    cpSync(`${from}/${script}`, `${to}/${script}`);
}
