import { OWN_PATHS } from "../../parts/paths";
import { requireImage } from "../../rules/names";
import type { Problem } from "../../rules/problem";
import type { MiniClusterSpec } from "../../spec";

/** Checks the view. */
export function validateView({ view }: MiniClusterSpec): Problem[] {
    if (view === undefined) {
        return [];
    }
    const places: [string, string][] = [
        ["view.prefix", view.prefix],
        ...view.folders.map((folder, index): [string, string] => [`view.folders[${index}]`, folder]),
    ];
    const problems = places.flatMap(([property, folder], index) => {
        const taken = places.slice(0, index).some(([, other]) => other === folder);
        return validateFolder(property, folder, taken);
    });
    return [...requireImage("view.image", view.image, "an image that has Flux"), ...problems];
}

function validateFolder(property: string, folder: string, taken: boolean): Problem[] {
    if (!/^(\/[^/]+)+$/.test(folder) || folder.split("/").includes("..")) {
        return [
            {
                property,
                reason: `is "${folder}"; it must be the absolute path of a directory, without a slash at its end.`,
            },
        ];
    }
    if (OWN_PATHS.includes(folder)) {
        return [{ property, reason: `is ${folder}, which the cluster uses itself. Build the view for another path.` }];
    }
    return taken ? [{ property, reason: `is ${folder}, which is already given. Remove one of them.` }] : [];
}
