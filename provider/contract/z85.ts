/** ZeroMQ's base-85 text for binary keys. @see https://rfc.zeromq.org/spec/32/ */
const ALPHABET = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#";

/** Encodes bytes, four at a time. */
export function encodeZ85(bytes: Uint8Array): string {
    if (bytes.length % 4 !== 0) {
        throw new Error(`Z85 encodes multiples of 4 bytes, not ${bytes.length}.`);
    }
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    let text = "";
    for (let offset = 0; offset < bytes.length; offset += 4) {
        text += encodeWord(view.getUint32(offset));
    }
    return text;
}

function encodeWord(word: number): string {
    let text = "";
    for (let rest = word, digit = 0; digit < 5; digit++) {
        text = ALPHABET[rest % 85] + text;
        rest = Math.floor(rest / 85);
    }
    return text;
}

/** Decodes a Z85 text; undefined if the text is not Z85. */
export function decodeZ85(text: string): Buffer | undefined {
    const digits = [...text].map((character) => ALPHABET.indexOf(character));
    if (digits.length % 5 !== 0 || digits.includes(-1)) {
        return undefined;
    }
    const bytes = Buffer.alloc((digits.length / 5) * 4);
    for (let word = 0; word * 5 < digits.length; word++) {
        const value = digits.slice(word * 5, word * 5 + 5).reduce((sum, digit) => sum * 85 + digit, 0);
        if (value > 0xffffffff) {
            return undefined;
        }
        bytes.writeUInt32BE(value, word * 4);
    }
    return bytes;
}
