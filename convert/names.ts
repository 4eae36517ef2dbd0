import type { Reader } from "./reader";

/** The name of a container. `flux` and `flux-...` belong to the cluster; a container with such a name is renamed. */
export function freeName(reader: Reader, path: string, name: string): string {
    if (name !== "flux" && !name.startsWith("flux-")) {
        return name;
    }
    reader.warn(`${path}.name`, `is "${name}", but such names belong to the cluster; it is now "other-${name}".`);
    return `other-${name}`;
}
