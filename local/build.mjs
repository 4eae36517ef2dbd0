// Compiles the package into dist/ and puts the scripts, which tsc doesn't copy, beside their reader. What was there stays
// until the new one is whole.
import { spawnSync } from "node:child_process";
import { cpSync, readdirSync, renameSync, rmSync } from "node:fs";

const draft = `dist.${process.pid}`;
const compiler = "node_modules/typescript/bin/tsc";
const { status } = spawnSync(process.execPath, [compiler, "-p", "tsconfig.build.json", "--outDir", draft], { stdio: "inherit" });
if (status !== 0) {
    rmSync(draft, { recursive: true, force: true });
    process.exit(status ?? 1);
}
for (const from of ["components/scripts", "provider/fluxSubmission"]) {
    for (const script of readdirSync(from).filter((file) => !file.endsWith(".ts"))) {
        cpSync(`${from}/${script}`, `${draft}/${from}/${script}`);
    }
}
rmSync("dist", { recursive: true, force: true });
renameSync(draft, "dist");
