import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

import { root } from "../../../scripts/local/paths";

const main = join(root, "dist", "cli", "main.js");

export interface Check {
    readonly group: string;
    readonly level: "fail" | "ok" | "unchecked" | "warn";
    readonly text: string;
    readonly cure?: string;
}

export interface Health {
    readonly code: number;
    readonly checks: readonly Check[];
    /** `LEVEL GROUP: TEXT | CURE` of all checks that aren't ok. */
    readonly lines: string;
    readonly stderr: string;
}

/** Runs `minicluster doctor`. */
export async function doctor(kubeconfig: string, ...words: string[]): Promise<Health> {
    const env = { ...process.env, KUBECONFIG: kubeconfig };
    const child = spawn(process.execPath, [main, "doctor", "--json", ...words], {
        env,
        stdio: ["ignore", "pipe", "pipe"],
    });
    const [out, err, [code]] = await Promise.all([
        child.stdout.toArray(),
        child.stderr.toArray(),
        once(child, "close"),
    ]);
    const [stdout, stderr] = [out, err].map((chunks) => Buffer.concat(chunks).toString());
    const { checks } = (stdout === "" ? { checks: [] } : JSON.parse(stdout)) as { checks: Check[] };
    const others = checks.filter(({ level }) => level !== "ok");
    const lines = others.map(({ cure, group, level, text }) => `${level} ${group}: ${text} | ${cure ?? ""}`);
    return { code: code as number, checks, lines: lines.join("\n"), stderr };
}
