import {
    closeSync,
    copyFileSync,
    existsSync,
    mkdirSync,
    mkdtempSync,
    openSync,
    readFileSync,
    renameSync,
    rmSync,
} from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { basename, join } from "node:path";

import { exitCode, start } from "./child";
import { editModules } from "./editedModule";
import { type GoModule, sourcesOf } from "./goModule";
import { withLock } from "./lock";
import { cacheDir, goDir, shortHash } from "./paths";
import { buildArguments, cacheKey, fileNames, merge, type Piece } from "./pieces";
import { findProgram } from "./program";
import { run, tryRun } from "./run";

/**
 * Fixed values, because the user's settings are for other projects. The compiler's processes are short, so they collect no
 * garbage below a gibibyte each.
 */
const GO_ENVIRONMENT = { CGO_ENABLED: "0", GOFLAGS: "", GOGC: "off", GOMEMLIMIT: "1GiB", GOWORK: "off" };

/** Returns the folder with a piece's programs. Builds them if no clone on this machine has built them yet. */
export async function binaries(piece: Piece): Promise<string> {
    const [folder = ""] = await allBinaries([piece]);
    return folder;
}

/**
 * Returns the folders of some pieces. One command builds all pieces of a Go module: while it links one program, which
 * uses one core, it compiles the next one.
 */
export async function allBinaries(pieces: readonly Piece[]): Promise<string[]> {
    const missing = await unbuilt(pieces);
    for (const module of new Set(missing.map((piece) => piece.module))) {
        await buildModule(missing.filter((piece) => piece.module === module));
    }
    return Promise.all(pieces.map(folderOf));
}

/** The pieces that are not built yet on this machine. */
export async function unbuilt(pieces: readonly Piece[]): Promise<Piece[]> {
    const folders = await Promise.all(pieces.map(folderOf));
    return pieces.filter((_, index) => !existsSync(folders[index] ?? ""));
}

/** The folder of a piece, built or not. */
export async function folderOf(piece: Piece): Promise<string> {
    return join(cacheDir, cacheKey(piece, await goVersion()));
}

let version: Promise<string> | undefined;

function goVersion(): Promise<string> {
    version ??= run(goProgram(), ["env", "GOVERSION"], { cwd: goDir }).then((text) => text.trim());
    return version;
}

function goProgram(): string {
    const go = findProgram("go");
    if (go === undefined) {
        throw new Error(
            "The local cluster is built from Go modules, and this machine has no `go`. Install Go 1.26 or later, " +
                "or use a cluster of your own (CLUSTER=kind make demo).",
        );
    }
    return go;
}

/** Builds the missing pieces of a module. The lock prevents that other processes compile the same packages. */
function buildModule(pieces: readonly Piece[]): Promise<void> {
    const names = pieces.map(({ name }) => name).join(", ");
    return withLock(join(cacheDir, "build.lock"), `building ${names}`, async () => {
        const missing = await unbuilt(pieces);
        if (missing.length > 0) {
            await build(missing);
        }
    });
}

/** Builds in a draft folder. A finished folder gets its name in one step, so no process sees an incomplete one. */
async function build(pieces: readonly Piece[]): Promise<void> {
    const piece = merge(pieces);
    const draft = join(cacheDir, `build-${shortHash(piece.name)}.${process.pid}`);
    const log = join(cacheDir, `build-${shortHash(piece.name)}.log`);
    const sources = mkdtempSync(join(tmpdir(), "flux-minicluster-source-"));
    const module = { go: goProgram(), dir: join(goDir, piece.module) };
    mkdirSync(draft, { recursive: true });
    try {
        const modfile = piece.edited && (await editModules(piece.edited, { ...module, folder: sources }));
        const seconds = await goBuild(piece, { draft, log, modfile });
        for (const part of pieces) {
            await copyFiles(part, module, draft);
            await moveInto(await folderOf(part), fileNames(part), draft);
        }
        console.error(`${piece.name}: built in ${seconds} s`);
    } finally {
        rmSync(draft, { recursive: true, force: true });
        rmSync(sources, { recursive: true, force: true });
    }
}

async function copyFiles({ files = [] }: Piece, module: GoModule, to: string): Promise<void> {
    for (const file of files) {
        copyFileSync(join(await sourcesOf(file.module, module), file.path), join(to, basename(file.path)));
    }
}

async function moveInto(folder: string, names: readonly string[], from: string): Promise<void> {
    const draft = `${folder}.${process.pid}`;
    mkdirSync(draft);
    for (const name of names) {
        renameSync(join(from, name), join(draft, name));
    }
    renameSync(draft, folder);
}

interface Places {
    readonly draft: string;
    readonly log: string;
    readonly modfile: string | undefined;
}

interface Progress {
    /** Packages that are compiled. */
    readonly compiled: number;
    /** Packages of the whole build; undefined if it isn't known. */
    readonly total: number | undefined;
    readonly seconds: number;
}

async function goBuild(piece: Piece, { draft, log, modfile }: Places): Promise<number> {
    const started = Date.now();
    const elapsed = (): number => Math.round((Date.now() - started) / 1000);
    const logFile = openSync(log, "w");
    // Some compiler processes wait for the disk or for another package. Twice as many as cores keep the cores busy.
    const processes = String(2 * availableParallelism());
    const cwd = join(goDir, piece.module);
    const edits = modfile === undefined ? [] : [`-modfile=${modfile}`];
    // With -v, Go writes a line into the log for each package that it compiles.
    const words = ["build", "-v", "-p", processes, "-o", `${draft}/`, ...edits, ...buildArguments(piece)];
    const child = start(goProgram(), words, GO_ENVIRONMENT, { cwd, stdio: ["ignore", logFile, logFile] });
    closeSync(logFile);
    console.error(`${piece.name}: building (log: ${log}) ...`);
    const env = { ...process.env, ...GO_ENVIRONMENT };
    const tags = piece.tags === undefined ? [] : ["-tags", piece.tags];
    let total: number | undefined;
    void tryRun(goProgram(), ["list", "-deps", ...edits, ...tags, ...piece.packages], { cwd, env }).then((names) => {
        total = names?.trimEnd().split("\n").length;
    });
    const tell = (): void => {
        const compiled = readFileSync(log, "utf8").split("\n").length - 1;
        console.error(`${piece.name}: ${describeProgress({ compiled, total, seconds: elapsed() })} ...`);
    };
    const ticker = setInterval(tell, 60_000);
    try {
        if ((await exitCode(child)) !== 0) {
            throw new Error(`Building ${piece.name} failed. The end of ${log}:\n${tail(log)}`);
        }
        return elapsed();
    } finally {
        clearInterval(ticker);
    }
}

/** How far a build is. Packages that Go has compiled for another build aren't compiled again, so it may end earlier. */
export function describeProgress({ compiled, total, seconds }: Progress): string {
    if (total === undefined || compiled === 0) {
        return `building, ${seconds} s`;
    }
    const left = Math.ceil((seconds / compiled) * Math.max(0, total - compiled));
    const time = left < 90 ? `${left} s` : `${Math.round(left / 60)} min`;
    return `${compiled} of ${total} packages after ${seconds} s, at most about ${time} left`;
}

function tail(log: string): string {
    return readFileSync(log, "utf8").trimEnd().split("\n").slice(-20).join("\n");
}
