const ALPHABET = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#";

/** The reference decoder of ZeroMQ RFC 32. Only tests need it, because the package never decodes a key. */
export function decodeZ85(text: string): Buffer {
    const bytes = Buffer.alloc((text.length / 5) * 4);
    for (let index = 0; index < text.length; index += 5) {
        const value = [...text.slice(index, index + 5)].reduce((sum, char) => sum * 85 + ALPHABET.indexOf(char), 0);
        bytes.writeUInt32BE(value, (index / 5) * 4);
    }
    return bytes;
}
