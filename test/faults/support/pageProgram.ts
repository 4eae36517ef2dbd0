import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { V1Role } from "@kubernetes/client-node";
import { parse } from "yaml";

import { root } from "../../../scripts/local/paths";
import { fencedIn } from "../../e2e/support/pageBlocks";

/** The only program in TypeScript of a page, and the Role that the page needs, as they stand there. */
export class PageProgram {
    readonly dir = mkdtempSync(join(tmpdir(), "flux-minicluster-e2e-"));
    readonly role: V1Role;

    /** Takes the path of a page: docs/scheduling.md. */
    constructor(page: string) {
        const blocks = fencedIn(readFileSync(join(root, page), "utf8"));
        const only = (language: string): string => {
            const [block, ...others] = blocks.filter(({ words }) => words === language);
            if (block === undefined || others.length > 0) {
                throw new Error(`${page} must have exactly one block of ${language}.`);
            }
            return block.text;
        };
        this.role = parse(only("yaml")) as V1Role;
        writeFileSync(join(this.dir, "index.ts"), only("ts"));
        writeFileSync(join(this.dir, "package.json"), "{}");
        writeFileSync(join(this.dir, "tsconfig.json"), JSON.stringify({ extends: join(root, "tsconfig.json") }));
        symlinkSync(join(root, "node_modules"), join(this.dir, "node_modules"));
    }

    remove(): void {
        rmSync(this.dir, { recursive: true });
    }
}
