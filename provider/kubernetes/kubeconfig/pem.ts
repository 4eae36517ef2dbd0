import { readFileSync } from "node:fs";

/** Why a file, or data in base64, is no PEM with such a block. Its content isn't shown. */
export function pemProblems(
    property: string,
    file: string | undefined,
    data: string | undefined,
    label: string,
): string[] {
    if (!file && !data) {
        return [];
    }
    try {
        const text = file ? readFileSync(file, "latin1") : Buffer.from(data ?? "", "base64").toString("latin1");
        const isPem = new RegExp(`^-----BEGIN [A-Z ]*${label}-----\\s*$`, "m").test(text);
        const form = file ? "" : " in base64";
        return isPem ? [] : [`the ${property} has no "BEGIN ${label}"; it must be PEM${form}.`];
    } catch (error) {
        return [`the ${property}, ${file}, can't be read: ${(error as NodeJS.ErrnoException).code}.`];
    }
}
