import { isOwn } from "../components/parts/metadata";
import type { Fields, Reader, Values } from "./reader";

/** The labels without those that MiniCluster sets itself; undefined if none is left. */
export function readLabels(reader: Reader, path: string, labels: Fields): Values | undefined {
    const names = Object.keys(labels);
    names
        .filter(isOwn)
        .forEach((name) =>
            reader.warn(`${path}.${name}`, "is ignored: MiniCluster sets it itself. Give another label."),
        );
    const others = names.filter((name) => !isOwn(name));
    return others.length > 0 ? Object.fromEntries(others.map((name) => [name, labels[name]])) : undefined;
}
