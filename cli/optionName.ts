/** The option of an argument: `fluxQueue` is `flux-queue`, and each of `shellOptions` is a `shell-option`. */
export function optionOf(argument: string): string {
    const name = argument === "shellOptions" ? "shellOption" : argument;
    return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
