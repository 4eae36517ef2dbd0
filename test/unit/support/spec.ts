import type { PlainArgs } from "../../../components/args";
import { resolveSpec } from "../../../components/arguments/decide";
import type { Feature } from "../../../components/features/feature";
import { configFiles } from "../../../components/pod/configMap";
import type { MiniClusterSpec } from "../../../components/spec";

/** Arguments of a cluster called `lammps`, with a test's own arguments. */
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

/** The problems that a feature finds in a cluster, as one line each. */
export function problemsOf(feature: Pick<Feature<any, any>, "problems">, spec: MiniClusterSpec): string[] {
    return (feature.problems?.(spec) ?? []).map(({ property, reason }) => `${property}: ${reason}`);
}
