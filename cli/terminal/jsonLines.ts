import { StringDecoder } from "node:string_decoder";

import { foreignJson } from "../../provider/contract/foreignText";

/** Prints each line of a followed log as a document of JSON, with what tells where the line comes from. */
export class JsonLines {
    private readonly decoder = new StringDecoder("utf8");
    private rest = "";

    constructor(
        private readonly source: object,
        private readonly print: (text: string) => Promise<void>,
    ) {}

    async take(bytes: Buffer): Promise<void> {
        const lines = `${this.rest}${this.decoder.write(bytes)}`.split("\n");
        this.rest = lines.pop() ?? "";
        await this.show(lines);
    }

    /** Prints the last line, which may have no line feed. */
    async end(): Promise<void> {
        const last = `${this.rest}${this.decoder.end()}`;
        this.rest = "";
        await this.show(last === "" ? [] : [last]);
    }

    private async show(lines: readonly string[]): Promise<void> {
        const text = lines.map((line) => `${foreignJson({ ...this.source, line })}\n`).join("");
        await (text === "" ? undefined : this.print(text));
    }
}
