import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A self-signed certificate for a name and 127.0.0.1, and its key. */
export function selfSigned(name: string): { certificate: string; key: string } {
    const folder = mkdtempSync(join(tmpdir(), "certificate-"));
    const [certificate, key] = [join(folder, "tls.crt"), join(folder, "tls.key")];
    try {
        const names = `subjectAltName=DNS:${name},IP:127.0.0.1`;
        const newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", key];
        const words = [
            "req",
            "-x509",
            ...newKey,
            "-out",
            certificate,
            "-subj",
            `/CN=${name}`,
            "-addext",
            names,
            "-days",
            "2",
        ];
        execFileSync("openssl", words, { stdio: "ignore" });
        return { certificate: readFileSync(certificate, "utf8"), key: readFileSync(key, "utf8") };
    } finally {
        rmSync(folder, { recursive: true });
    }
}
