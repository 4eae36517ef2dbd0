const FIELDS = /^( {2}"license": .*\n)(?: {2}"(?:bugs|homepage|repository)": .*\n)*/m;

/** The text of package.json with other addresses, each on a line below the licence. */
export function withAddresses(manifest: string, fields: Readonly<Record<string, string>>): string {
    const lines = Object.entries(fields).map(
        ([name, value]) => `  ${JSON.stringify(name)}: ${JSON.stringify(value)},\n`,
    );
    return manifest.replace(FIELDS, (_, license: string) => `${license}${lines.join("")}`);
}
