/**
 * A message without the beginnings of Pulumi's colour codes, of which the CLI ends with a panic if it doesn't know them.
 * A message may have any text of a program.
 * @see https://pkg.go.dev/github.com/pulumi/pulumi/sdk/v3/go/common/diag/colors
 */
export function withoutMarkup(message: string): string {
    return message.replaceAll("<{%", "<{ %");
}
