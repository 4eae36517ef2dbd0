import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";

import type { PlainArgs } from "../../../components/args";
import { RESULTS_FETCHED, RESULTS_OFFER } from "../../../provider/contract/paths";
import type { FakeApi } from "./fakeApi";
import { endOf, printed } from "./fakeExec";
import { makeInputs } from "./jobs";
import { putCluster } from "./persistentCluster";

const sumOf = (text: string) => createHash("sha256").update(text, "latin1").digest("hex");

/** 2025-11-30T00:00:00Z. */
const UNTIL = 1_764_460_800;

/** What a lead says of results, and its list of them. */
export function offerOf(
    files: Readonly<Record<string, string>>,
    { exitCode = 0, reasons = [] as readonly string[], state = "waits" } = {},
) {
    const rows = Object.entries(files).map(([path, text]) => `${sumOf(text)} ${text.length} 0 ${path}\n`);
    const list = rows.join("");
    const bytes = Object.values(files).join("").length;
    const packed = gzipSync(reasons.map((reason) => `! ${reason}\n`).join("") + list).toString("base64");
    const until = state === "waits" ? UNTIL : 0;
    const words = [state, exitCode, rows.length, bytes, until, sumOf(list), packed];
    return { list, line: `minicluster: results ${words.join(" ")}\n` };
}

const running = () => ({ started: true, state: { running: { startedAt: new Date().toISOString() } } });

/** Puts a cluster there whose command has ended, and whose lead has this log. Returns the Job's id. */
export function putWaiting(api: FakeApi, log: string, args: Partial<PlainArgs> = {}, flux: object = running()): string {
    const inputs = makeInputs({ results: { paths: ["out"] }, ...args }, { kubeconfig: api.kubeconfig });
    api.logs.set("lammps-0-x", log);
    return putCluster(api, inputs, flux);
}

/** Makes what the lead offers in a folder, in which the commands of its container then run. */
export function serveOffer(api: FakeApi, folder: string, files: Readonly<Record<string, string>>): { isTold: boolean } {
    const lead = { isTold: false };
    const offer = join(folder, "offer");
    for (const [path, text] of Object.entries({ list: offerOf(files).list, ...prefixed(files) })) {
        mkdirSync(dirname(join(offer, path)), { recursive: true });
        writeFileSync(join(offer, path), text);
    }
    api.serveCommands((socket, command) => {
        if (command.join() === RESULTS_FETCHED.join()) {
            lead.isTold = true;
            socket.send(endOf(0));
            return;
        }
        const [program, ...words] = command;
        const child = spawn(program, words, { cwd: folder });
        socket.on("message", (message: Buffer) => {
            if (message[0] === 0) {
                child.stdin.write(message.subarray(1).toString().replaceAll(RESULTS_OFFER, offer));
            }
        });
        child.stdin.on("error", () => undefined);
        child.stdout.on("data", (chunk: Buffer) => socket.send(Buffer.concat([Buffer.from([1]), chunk])));
        child.stderr.on("data", (chunk: Buffer) => socket.send(printed(2, chunk.toString())));
        child.on("close", (code) => socket.send(endOf(code ?? 1)));
    });
    return lead;
}

function prefixed(files: Readonly<Record<string, string>>): Record<string, string> {
    return Object.fromEntries(Object.entries(files).map(([path, text]) => [`files/${path}`, text]));
}
