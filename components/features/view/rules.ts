import { OWN_PATHS, plainPath } from "../../parts/paths";
import { requireImage } from "../../rules/names";
import type { Problem } from "../../rules/problem";
import type { MiniClusterSpec } from "../../spec";

/** Checks the view. */
export function validateView({ view }: MiniClusterSpec): Problem[] {
    if (view === undefined) {
        return [];
    }
    const folders = [view.prefix, ...view.folders];
    return [
        ...requireImage("view.image", view.image, "an image that has Flux"),
        ...folders.flatMap((folder, number) => validateFolder(folderArgument(number), folder)),
    ];
}

/** The argument that gives the directory with this number: the prefix is the first one. */
export function folderArgument(number: number): string {
    return number === 0 ? "view.prefix" : `view.folders[${number - 1}]`;
}

function validateFolder(property: string, folder: string): Problem[] {
    if (!/^(\/[^/]+)+$/.test(folder) || folder.split("/").includes("..")) {
        return [
            {
                property,
                reason: `is "${folder}"; it must be the absolute path of a directory, without a slash at its end.`,
            },
        ];
    }
    if (OWN_PATHS.includes(plainPath(folder))) {
        return [{ property, reason: `is ${folder}, which the cluster uses itself. Build the view for another path.` }];
    }
    return [];
}
