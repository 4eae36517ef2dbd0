import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";

/** The value of `pulumi stack init --secrets-provider`. */
export const SECRETS_PROVIDER = "hashivault://e2e";

/** Bytes of an AES-GCM nonce and of an AES-GCM tag. */
const NONCE = 12;
const TAG = 16;

const key = randomBytes(32);
let started: Promise<string> | undefined;

/**
 * Starts a key service for the stacks of this process. Returns the variables by which Pulumi finds it. The service
 * answers the two calls of HashiCorp Vault's transit engine that Pulumi makes. With a passphrase, Pulumi derives the
 * key by a million rounds of SHA-256, a second of CPU in every command. The service costs one request.
 */
export async function keyServiceEnvironment(): Promise<Record<string, string>> {
    started ??= start();
    return { VAULT_SERVER_URL: await started, VAULT_SERVER_TOKEN: "e2e" };
}

async function start(): Promise<string> {
    const server = createServer((request, response) => {
        const answer = async () => {
            const body = JSON.parse(String(await buffer(request))) as Record<string, string>;
            const data = request.url?.includes("/decrypt/")
                ? { plaintext: decrypt(body.ciphertext) }
                : { ciphertext: encrypt(body.plaintext) };
            response.end(JSON.stringify({ data }));
        };
        answer().catch((error: Error) => response.writeHead(400).end(JSON.stringify({ errors: [error.message] })));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    server.unref();
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Encrypts a text in base64, the encoding of Vault's texts. */
function encrypt(plaintext: string): string {
    const nonce = randomBytes(NONCE);
    const cipher = createCipheriv("aes-256-gcm", key, nonce);
    const encrypted = Buffer.concat([cipher.update(plaintext, "base64"), cipher.final()]);
    return `vault:v1:${Buffer.concat([nonce, encrypted, cipher.getAuthTag()]).toString("base64")}`;
}

function decrypt(ciphertext: string): string {
    const bytes = Buffer.from(ciphertext.replace("vault:v1:", ""), "base64");
    const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, NONCE));
    decipher.setAuthTag(bytes.subarray(-TAG));
    return Buffer.concat([decipher.update(bytes.subarray(NONCE, -TAG)), decipher.final()]).toString("base64");
}
