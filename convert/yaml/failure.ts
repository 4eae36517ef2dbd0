/** A placeholder of Helm or Jinja, which isn't in a comment. */
const TEMPLATE = /^[^#\n]*(\{\{|\{%)/m;

/** An error in a YAML text, with its place and its cure. */
export function yamlError(text: string, line: number, reason: string, column?: number): Error {
    const place = column === undefined ? `line ${line}` : `line ${line}, column ${column}`;
    const cure = TEMPLATE.test(text)
        ? "The text is a template: render it first, for example with helm template."
        : "Correct the text there.";
    return new Error(`The YAML has an error at ${place}: ${reason.replace(/[.:]?$/, ".")} ${cure}`);
}
