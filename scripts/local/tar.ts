/** A file of a tar archive. */
export interface TarEntry {
    readonly path: string;
    readonly content: Buffer;
    readonly mode: number;
}

const blockSize = 512;

/** A minimal tar for an image: plain files, names below 100 bytes, no time stamps. */
export function tar(entries: readonly TarEntry[]): Buffer {
    const blocks = entries.flatMap((entry) => [header(entry), entry.content, padding(entry.content.length)]);
    return Buffer.concat([...blocks, Buffer.alloc(2 * blockSize)]);
}

function header({ path, content, mode }: TarEntry): Buffer {
    const block = Buffer.alloc(blockSize);
    block.write(path, 0);
    block.write(octal(mode, 7), 100);
    block.write(octal(0, 7), 108);
    block.write(octal(0, 7), 116);
    block.write(octal(content.length, 11), 124);
    block.write(octal(0, 11), 136);
    // The checksum counts its own field as spaces.
    block.write("        ", 148);
    block.write("0", 156);
    block.write("ustar\u000000", 257);
    const checksum = block.reduce((sum, byte) => sum + byte, 0);
    block.write(`${octal(checksum, 6)}\u0000 `, 148);
    return block;
}

const octal = (value: number, digits: number): string => value.toString(8).padStart(digits, "0");

function padding(length: number): Buffer {
    return Buffer.alloc((blockSize - (length % blockSize)) % blockSize);
}
