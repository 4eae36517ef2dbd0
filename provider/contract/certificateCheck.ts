import { createPrivateKey, createPublicKey } from "node:crypto";

import type { CurveKeyPair } from "./curveKey";
import { decodeZ85, encodeZ85 } from "./z85";

type Section = Map<string, string>;

/** Longest line that Flux reads, its line end included. */
const LONGEST_LINE = 255;
const ENTRY = /^([A-Za-z0-9.-]+)\s*=\s*"([A-Za-z0-9.\-:+=^!/*?&<>()[\]{}@%$# \t]*)"$/;
const KEY = /^[0-9a-zA-Z.\-:+=^!/*?&<>()[\]{}@%$#]{40}$/;

/**
 * Describes what is wrong with the text of a certificate by the rules of Flux; undefined if it is valid. The
 * description quotes nothing of the text, because it may be a key.
 * @see https://flux-framework.readthedocs.io/projects/flux-core/en/latest/man1/flux-keygen.html
 */
export function certificateProblem(text: string): string | undefined {
    const curve = curveSection(text);
    if (typeof curve === "string") {
        return curve;
    }
    const keys = { publicKey: curve.get("public-key") ?? "", secretKey: curve.get("secret-key") ?? "" };
    if (!KEY.test(keys.publicKey) || !KEY.test(keys.secretKey)) {
        return "has no public-key and secret-key of 40 Z85 characters each";
    }
    return isPair(keys) ? undefined : "has a public key that doesn't belong to its secret key";
}

function curveSection(text: string): Section | string {
    const sections: Readonly<Record<string, Section>> = { curve: new Map(), metadata: new Map() };
    let section: Section | undefined;
    for (const [index, line] of text.split("\n").entries()) {
        const stripped = line.trim();
        if (line.length > LONGEST_LINE) {
            return `has more than ${LONGEST_LINE} characters in line ${index + 1}`;
        }
        if (stripped === "" || stripped.startsWith("#")) {
            continue;
        }
        const indented = /^[ \t]/.test(line);
        if (!indented && Object.hasOwn(sections, stripped)) {
            section = sections[stripped];
        } else if (!indented || !addEntry(section, stripped)) {
            return `is not a CURVE certificate: see its line ${index + 1}`;
        }
    }
    return sections.curve;
}

function addEntry(section: Section | undefined, line: string): boolean {
    const entry = ENTRY.exec(line);
    if (section === undefined || entry === null || section.has(entry[1])) {
        return false;
    }
    section.set(entry[1], entry[2]);
    return true;
}

/** First bytes of every X25519 private key in PKCS #8; the 32 bytes of the key follow. */
const PKCS8 = Buffer.from("302e020100300506032b656e04220420", "hex");

function isPair({ publicKey, secretKey }: CurveKeyPair): boolean {
    const secret = decodeZ85(secretKey);
    if (secret === undefined) {
        return false;
    }
    const key = createPrivateKey({ key: Buffer.concat([PKCS8, secret]), format: "der", type: "pkcs8" });
    const { x = "" } = createPublicKey(key).export({ format: "jwk" });
    return encodeZ85(Buffer.from(x, "base64url")) === publicKey;
}
