import { promises } from "node:fs";

import type { Held } from "./renewal";

/**
 * Milliseconds until a token's file is read again: kubectl's minute for a token, less its ten seconds of leeway. The
 * kubelet replaces the file of a service account's token at 80 % of the token's lifetime, which is ten minutes or more.
 */
const LIFETIME = 50_000;

/** Reads the token of a file. If the file can't be read again, the last token is used, as kubectl does. */
export function tokenReader(path: string, given: string | undefined): () => Promise<Held<{ token?: string }>> {
    let last = given;
    return async () => {
        try {
            last = await readToken(path);
        } catch (error) {
            if (last === undefined) {
                throw error;
            }
        }
        return { value: { token: last }, until: Date.now() + LIFETIME };
    };
}

async function readToken(path: string): Promise<string> {
    const text = await promises.readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
        throw new Error(`the token's file ${path} can't be read: ${error.code}`);
    });
    const token = text.trim();
    if (token === "") {
        throw new Error(`the token's file ${path} is empty`);
    }
    return token;
}
