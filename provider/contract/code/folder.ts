import { isUtf8 } from "node:buffer";
import { existsSync, lstatSync, readdirSync, readlinkSync, realpathSync, type Stats } from "node:fs";
import { isAbsolute, join, posix, relative, sep } from "node:path";

import { type NameRules, nameRules, type Reason } from "./names";

/** Which files of a folder are the code. */
export interface CodeSource {
    /** The folder. A relative path begins at the program's main folder, where the program and the verbs run. */
    readonly source: string;
    readonly exclude: readonly string[];
    readonly include: readonly string[];
}

/** A file, a link or an empty folder. */
export interface CodeFile {
    /** Its path in the source, with `/`; of an empty folder, also at its end. */
    readonly path: string;
    /** Its size when it was listed. */
    readonly size: number;
    /** The target of a link. */
    readonly link?: string;
}

/** What is in a folder. */
export interface CodeFolder {
    readonly root: string;
    /** Files, links and empty folders in the order of their paths. */
    readonly files: readonly CodeFile[];
    /** True if there are more files than can be sent. Only some of them are listed then. */
    readonly isCut: boolean;
    /** The patterns by which something was left out. */
    readonly leftOut: readonly string[];
    /** Paths that look like secrets. */
    readonly secrets: readonly string[];
    /** Paths that can't be sent, each with the reason. */
    readonly unfit: readonly string[];
}

/** Most files and links of a folder. */
export const MOST_FILES = 20_000;

/** True for an empty folder. */
export function isEmptyFolder({ path }: Pick<CodeFile, "path">): boolean {
    return path.endsWith("/");
}

/** Lists a folder. It opens no file. Throws if the folder can't be read. */
export function listFolder({ exclude, include, source }: CodeSource, most = MOST_FILES): CodeFolder {
    const walk = new Walk(realpathSync(source), nameRules(exclude, include), most);
    walk.visit("");
    return walk.result();
}

class Walk {
    private readonly files: CodeFile[] = [];
    private readonly folders = new Set([""]);
    private readonly leftOut = new Set<string>();
    private readonly secrets: string[] = [];
    private readonly unfit: string[] = [];

    constructor(
        private readonly root: string,
        private readonly rules: NameRules,
        private readonly most: number,
    ) {}

    /** `above` is the reason why only parts of the folder are taken, if any. */
    visit(folder: string, above?: Reason): void {
        const before = this.files.length;
        for (const name of readdirSync(join(this.root, folder), { encoding: "buffer" })) {
            if (this.files.length > this.most) {
                return;
            }
            const path = folder === "" ? name.toString() : `${folder}/${name.toString()}`;
            const reason = this.rules.reasonAgainst(path, above);
            if (reason !== undefined) {
                this.refuse(path, reason, above);
            } else if (isUtf8(name)) {
                this.take(path, lstatSync(join(this.root, path)));
            } else {
                this.unfit.push(`${path} (a name that is not UTF-8)`);
            }
        }
        if (folder !== "" && above === undefined && this.files.length === before) {
            this.files.push({ path: `${folder}/`, size: 0 });
        }
    }

    private refuse(path: string, reason: Reason, above: Reason | undefined): void {
        if (this.rules.leadsToIncluded(path, above) && lstatSync(join(this.root, path)).isDirectory()) {
            this.visit(path, reason);
        } else if (reason === "secret") {
            this.secrets.push(path);
        } else {
            this.leftOut.add(reason.leftOutBy);
        }
    }

    private take(path: string, stats: Stats): void {
        if (stats.isDirectory()) {
            this.visit(path);
        } else if (stats.isFile()) {
            this.files.push({ path, size: stats.size });
        } else if (stats.isSymbolicLink()) {
            const link = readlinkSync(join(this.root, path)).replaceAll(sep, "/");
            this.files.push({ path, size: 0, link });
        } else {
            this.unfit.push(`${path} (${kindOf(stats)})`);
        }
    }

    result(): CodeFolder {
        this.files.forEach(({ path }) => foldersOf(path).forEach((folder) => this.folders.add(folder)));
        const taken = new Set(this.files.map(({ path }) => path));
        const isTaken = (path: string) => taken.has(path) || this.folders.has(path);
        const links = this.files.flatMap(({ link, path }) => {
            const reason = link === undefined ? undefined : problemOfLink(this.root, path, link, isTaken);
            return reason === undefined ? [] : [`${path} (${reason})`];
        });
        return {
            root: this.root,
            isCut: this.files.length > this.most,
            files: this.files.sort((a, b) => (a.path < b.path ? -1 : 1)),
            leftOut: [...this.leftOut].sort(),
            secrets: this.secrets.sort(),
            unfit: [...this.unfit, ...links].sort(),
        };
    }
}

function foldersOf(path: string): string[] {
    const names = path.split("/").slice(0, -1);
    return names.map((_, index) => names.slice(0, index + 1).join("/"));
}

function kindOf(stats: Stats): string {
    return stats.isFIFO() ? "a FIFO" : stats.isSocket() ? "a socket" : "a device";
}

/** Why a link would be another one in the pods; undefined if it would not. */
function problemOfLink(
    root: string,
    path: string,
    link: string,
    isTaken: (path: string) => boolean,
): string | undefined {
    if (!existsSync(join(root, path))) {
        return `a link to nothing, ${link}`;
    }
    const target = relative(root, realpathSync(join(root, path))).replaceAll(sep, "/");
    if (isAbsolute(link) || leaves(path, link) || target === ".." || target.startsWith("../") || isAbsolute(target)) {
        return `a link out of the folder, to ${link}`;
    }
    return isTaken(target) ? undefined : `a link to a file or folder that is left out, ${link}`;
}

/** True if a relative link goes above the folder on its way, even if it comes back. */
function leaves(path: string, link: string): boolean {
    let depth = posix.dirname(path) === "." ? 0 : posix.dirname(path).split("/").length;
    return link.split("/").some((name) => {
        depth += name === ".." ? -1 : name === "." || name === "" ? 0 : 1;
        return depth < 0;
    });
}
