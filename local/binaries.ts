import { spawn } from "node:child_process";
import { closeSync, existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { editModule } from "./editedModule";
import { withLock } from "./lock";
import { cacheDir, goDir } from "./paths";
import { buildArguments, cacheKey, type Piece } from "./pieces";
import { findProgram } from "./program";
import { run } from "./run";

/**
 * Gives the folder with a piece's programs, building them if no clone on this
 * machine has done so yet.
 */
export async function binaries(piece: Piece): Promise<string> {
    const go = goProgram();
    const goVersion = (await run(go, ["env", "GOVERSION"], { cwd: join(goDir, piece.module) })).trim();
    const folder = join(cacheDir, cacheKey(piece, goVersion));
    if (existsSync(folder)) {
        return folder;
    }
    return withLock(`${folder}.lock`, `building ${piece.name}`, async () => {
        if (!existsSync(folder)) {
            await build(piece, go, folder);
        }
        return folder;
    });
}

function goProgram(): string {
    const go = findProgram("go");
    if (go === undefined) {
        throw new Error("The local cluster is built from Go modules, and there is no `go` on this machine: install Go 1.26 or newer, or use a cluster of your own (CLUSTER=kind make demo).");
    }
    return go;
}

/** The finished folder appears at once, under its own name, or not at all. */
async function build(piece: Piece, go: string, folder: string): Promise<void> {
    const draft = `${folder}.${process.pid}`;
    const log = `${folder}.log`;
    const sources = mkdtempSync(join(tmpdir(), `${piece.name}-`));
    mkdirSync(draft, { recursive: true });
    try {
        const modfile = piece.edited && await editModule(piece.edited, { go, dir: join(goDir, piece.module), folder: sources });
        const seconds = await goBuild(piece, go, { draft, log, modfile });
        renameSync(draft, folder);
        console.error(`${piece.name}: built in ${seconds} s`);
    } finally {
        rmSync(draft, { recursive: true, force: true });
        rmSync(sources, { recursive: true, force: true });
    }
}

interface Places {
    readonly draft: string;
    readonly log: string;
    readonly modfile: string | undefined;
}

async function goBuild(piece: Piece, go: string, { draft, log, modfile }: Places): Promise<number> {
    const started = Date.now();
    const elapsed = (): number => Math.round((Date.now() - started) / 1000);
    const logFile = openSync(log, "w");
    const child = spawn(go, ["build", "-o", `${draft}/`, ...(modfile === undefined ? [] : [`-modfile=${modfile}`]), ...buildArguments(piece)], {
        cwd: join(goDir, piece.module),
        env: { ...process.env, CGO_ENABLED: "0", GOFLAGS: "", GOWORK: "off" },
        stdio: ["ignore", logFile, logFile],
    });
    closeSync(logFile);
    console.error(`${piece.name}: building (log: ${log}) ...`);
    const ticker = setInterval(() => console.error(`${piece.name}: building, ${elapsed()} s ...`), 20_000);
    try {
        const code = await new Promise<number | null>((resolve, reject) => child.once("error", reject).once("exit", resolve));
        if (code !== 0) {
            throw new Error(`Building ${piece.name} failed. The end of ${log}:\n${tail(log)}`);
        }
        return elapsed();
    } finally {
        clearInterval(ticker);
    }
}

function tail(log: string): string {
    return readFileSync(log, "utf8").trimEnd().split("\n").slice(-20).join("\n");
}
