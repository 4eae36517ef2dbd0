// Checks every Python file of the repository: rules and format with ruff (as WebAssembly), types with pyright. With --write
// it only formats. scripts/pyproject.toml has the settings of both.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { matchesGlob } from "node:path";
import { PositionEncoding, Workspace } from "@astral-sh/ruff-wasm-nodejs";
import { parse } from "smol-toml";

import { checkFormat, sources } from "./sources.mjs";

const write = process.argv.includes("--write");
const SETTINGS = "scripts/pyproject.toml";
const files = sources("*.py", "test/double/image/flux");
const { "per-file-target-version": versions, ...settings } = parse(readFileSync(SETTINGS, "utf8")).tool.ruff;
const workspaces = new Map();

// pyright takes seconds, so it runs beside ruff.
const typed = write || pyright();
const problems = [];
const formatted = checkFormat(files, format, write);
problems.forEach((problem) => console.error(problem));
process.exitCode = (await typed) && formatted && problems.length === 0 ? 0 : 1;

/** Ruff's library gets no paths, so the Python version of a file is looked up here. */
function workspaceOf(path) {
    const [, version] = Object.entries(versions).find(([pattern]) => matchesGlob(path, pattern)) ?? [];
    if (!workspaces.has(version)) {
        const options = { ...settings, "target-version": version ?? settings["target-version"] };
        workspaces.set(version, new Workspace(options, PositionEncoding.Utf16));
    }
    return workspaces.get(version);
}

/** Formats a text, and notes the rules that it breaks. Sorted imports are a rule of ruff, and part of the format here. */
function format(text, path) {
    const workspace = workspaceOf(path);
    const found = workspace.check(text);
    if (!write) {
        const line = ({ code, message, start_location: { row, column } }) =>
            `${path}:${row}:${column}: ${code} ${message}`;
        problems.push(...found.map(line));
    }
    return workspace.format(write ? sortImports(text, found) : text);
}

/** Makes the edits from the end of the text, so that the earlier positions stay right. Rows and columns count from 1. */
function sortImports(text, diagnostics) {
    const lines = text.split(/(?<=\n)/);
    const offset = ({ row, column }) => lines.slice(0, row - 1).join("").length + column - 1;
    return diagnostics
        .filter(({ code }) => code === "I001")
        .flatMap(({ fix }) => fix?.edits ?? [])
        .reduceRight(
            (sorted, { content, location, end_location: end }) =>
                sorted.slice(0, offset(location)) + (content ?? "") + sorted.slice(offset(end)),
            text,
        );
}

/** Resolves to true if all types are right. */
function pyright() {
    const program = createRequire(import.meta.url).resolve("pyright");
    const child = spawn(process.execPath, [program, "--project", SETTINGS, ...files], {
        stdio: ["ignore", "pipe", "inherit"],
    });
    const chunks = [];
    child.stdout.on("data", (chunk) => chunks.push(chunk));
    return new Promise((resolve, reject) => {
        child.once("error", reject).once("close", (code) => {
            if (code !== 0) {
                process.stderr.write(Buffer.concat(chunks));
            }
            resolve(code === 0);
        });
    });
}
