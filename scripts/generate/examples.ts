import { readFileSync } from "node:fs";
import { join } from "node:path";

const PAGE = join(__dirname, "../../docs/languages.md");

/** The languages of the page, with the names that the generators of SDKs know. */
const LANGUAGES = ["python", "go", "yaml"] as const;

/** The smallest program in each language, from docs/languages.md. */
export function programs(): Readonly<Record<string, string>> {
    const page = readFileSync(PAGE, "utf8");
    return Object.fromEntries(
        LANGUAGES.map((language) => {
            const blocks = [...page.matchAll(new RegExp(`^\`\`\`${language}\n([^]*?)^\`\`\`$`, "gm"))].map(
                ([, text]) => text,
            );
            const whole = blocks.find((text) => text.includes("hostname"));
            if (whole === undefined) {
                throw new Error(`docs/languages.md has no program in ${language} that runs hostname.`);
            }
            return [language, whole];
        }),
    );
}

/**
 * An example of TSDoc, and the same in other languages, in the form from which each SDK takes its own language:
 * https://www.pulumi.com/docs/iac/guides/building-extending/packages/schema/
 */
export function exampleSection(example: string, others: Readonly<Record<string, string>> = {}): string {
    const [, title, code] = /^(.*?):?\n```ts\n([^]*?)```$/.exec(example) ?? [];
    if (title === undefined || code === undefined) {
        throw new Error(`An @example is a title in one line and a fence of ts, not ${JSON.stringify(example)}.`);
    }
    const blocks = Object.entries({ typescript: code, ...others }).map(
        ([language, text]) => `\`\`\`${language}\n${text}\`\`\``,
    );
    const section = [`### ${title}`, ...blocks].join("\n\n");
    return `\n\n{{% examples %}}\n## Example Usage\n{{% example %}}\n${section}\n{{% /example %}}\n{{% /examples %}}`;
}
