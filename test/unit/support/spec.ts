import { configFiles } from "../../../components/manifests/configMap";
import { type MiniClusterSpec, type PlainArgs, resolveSpec } from "../../../components/spec";

/** Arguments of a cluster called `lammps`, with what a test is about on top. */
export function makeArgs(overrides: Partial<PlainArgs> = {}): PlainArgs {
    return { image: "registry.example/lammps:1", size: 4, command: ["hostname"], ...overrides };
}

export function makeSpec(overrides: Partial<PlainArgs> = {}, secretNames: readonly string[] = []): MiniClusterSpec {
    return resolveSpec("lammps", makeArgs(overrides), secretNames);
}

/** A spec and its ConfigMap. */
export function makeFiles(overrides: Partial<PlainArgs> = {}): [MiniClusterSpec, Record<string, string>] {
    const spec = makeSpec(overrides);
    return [spec, configFiles(spec)];
}
