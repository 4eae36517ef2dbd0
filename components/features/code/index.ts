import { CODE_LABEL } from "../../../provider/contract/labels";
import { PART_KEY, partNames, shortCode } from "../../../provider/contract/code/code";
import { CODE_PARTS_DIR } from "../../parts/paths";
import type { Mount } from "../../parts/mount";
import { scriptsIn } from "../../parts/scripts";
import { type Feature, when } from "../feature";
import type { CodeArguments } from "./args";
import { type CodeSpec, folderOf } from "./found";
import { noticeCode, validateCode } from "./rules";

export type { CodeArgs, CodeArguments, CodeFolderArgs } from "./args";
export { noticesOfFolder, problemsOfFolder } from "./folderRules";
export { type FolderSpec, folderOf } from "./found";

export interface Decided {
    readonly code?: CodeSpec;
}

export const code: Feature<CodeArguments, Decided> = {
    decide: ({ code: given }) => ({
        code: given && { ...folderOf(given), path: given.path ?? "/code" },
    }),

    problems: validateCode,
    notices: noticeCode,

    ...when(({ code: given }) => given?.found.code && { ...given, ...given.found.code }, {
        files: () => scriptsIn(__dirname, "start-0-code.sh"),
        parameters: ({ hash, path }) => ({ code: hash, codeParts: CODE_PARTS_DIR, codePath: path }),
        programs: () => ["code:gzip", "code:sha256sum", "code:tar"],
        mounts: ({ found: { folder }, path, ...parts }, { name }) => [
            partsMount(partNames(name, parts)),
            ownMount(path, folder?.files.map((file) => file.path) ?? []),
        ],
        jobLabels: ({ hash }) => ({ [CODE_LABEL]: shortCode(hash) }),
    }),

    jobInputs: { code: ({ code: given }) => given?.found.code },
};

/** The parts side by side, in the order of their names. */
function partsMount(names: readonly string[]): Mount {
    const items = (index: number) => [{ key: PART_KEY, path: String(index).padStart(3, "0") }];
    const sources = names.map((name, index) => ({ configMap: { name, items: items(index) } }));
    return {
        mountPath: CODE_PARTS_DIR,
        readOnly: true,
        volume: { name: "flux-code-parts", projected: { sources, defaultMode: 0o444 } },
    };
}

/** Where the files are unpacked. Any user of the pod may write there. */
function ownMount(mountPath: string, unpacked: readonly string[]): Mount {
    const volume = { name: "flux-code", emptyDir: {} };
    return { argument: "code.path", isPathGiven: true, mountPath, unpacked, volume };
}
