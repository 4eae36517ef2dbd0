/** A block of commands in a page. */
export interface Block {
    /** Number of the fence's line in the page. */
    readonly line: number;
    readonly commands: string;
    /** Why the test doesn't run the block, from its fence. @default it runs */
    readonly untested?: string;
}

/** Fence of a block: its indent, the fence itself and the words after it. */
const FENCE = /^( *)(`{3,}|~{3,}) *(.*)$/;

const UNTESTED = /^sh not tested: (.*\S)/;

/** The words of a fence that stand for commands, or that say nothing. */
const COMMANDS = /^(?:$|(?:ba|z|fi|k|c)?sh\b|console\b|shell|terminal\b)/i;

/** The line by which a page names its image. */
const IMAGE = /^( *pulumi config set image )\S+/gm;

/**
 * The blocks of commands in a page. A fence of `sh` begins a block that the test runs, and `sh not tested: REASON` one
 * that it doesn't run. Any other fence of commands, or without a language, is an error.
 */
export function blocksIn(page: string, name: string): Block[] {
    return fencedIn(page).flatMap(({ line, text, words }) => {
        const [, untested] = UNTESTED.exec(words) ?? [];
        if (words === "sh" || untested !== undefined) {
            return [{ line, commands: text, ...(untested === undefined ? {} : { untested }) }];
        }
        if (COMMANDS.test(words)) {
            const cure = "Use `sh`, which the test runs, `sh not tested: REASON`, or `text` for what isn't a command.";
            throw new Error(`${name}:${line}: The fence has the words "${words}". ${cure}`);
        }
        return [];
    });
}

/** Replaces the image in the one line of the blocks that sets it. */
export function withImage(blocks: readonly Block[], image: string, name: string): Block[] {
    const lines = blocks.flatMap(({ commands }) => commands.match(IMAGE) ?? []);
    if (lines.length !== 1) {
        const cure = "A page sets its image in one line, in a block that is tested.";
        throw new Error(`${name}: ${lines.length} lines are \`pulumi config set image NAME\`. ${cure}`);
    }
    return blocks.map((block) => ({
        ...block,
        commands: block.commands.replace(IMAGE, (_line, command: string) => `${command}${image}`),
    }));
}

/** A fenced block of a page. */
export interface Fenced {
    /** Number of the fence's line in the page. */
    readonly line: number;
    /** The words after the fence. */
    readonly words: string;
    readonly text: string;
}

/** All fenced blocks of a page, without the indent of a list. */
export function fencedIn(page: string): Fenced[] {
    const found: Fenced[] = [];
    const lines = page.split("\n");
    for (let start = 0; start < lines.length; start++) {
        const [, indent = "", fence, words = ""] = FENCE.exec(lines[start] ?? "") ?? [];
        if (fence !== undefined) {
            const length = lines.slice(start + 1).findIndex((line) => line.trim() === fence);
            const end = length < 0 ? lines.length : start + 1 + length;
            const content = lines
                .slice(start + 1, end)
                .map((line) => line.replace(new RegExp(`^ {0,${indent.length}}`), ""));
            found.push({ line: start + 1, words: words.trim(), text: `${content.join("\n")}\n` });
            start = end;
        }
    }
    return found;
}
