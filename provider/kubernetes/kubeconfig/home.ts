import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { win32 } from "node:path";

/**
 * The folder that has `.kube`, by kubectl's rules: on Windows, the first of HOME, HOMEDRIVE with HOMEPATH and USERPROFILE
 * that has a kubeconfig, else the first of HOME, USERPROFILE and HOMEDRIVE with HOMEPATH that exists.
 */
export function homeFolder(
    env: NodeJS.ProcessEnv = process.env,
    platform = process.platform,
    exists: (path: string) => boolean = existsSync,
): string {
    if (platform !== "win32") {
        return homedir();
    }
    const { HOME, HOMEDRIVE, HOMEPATH, USERPROFILE } = env;
    const drive = HOMEDRIVE && HOMEPATH ? HOMEDRIVE + HOMEPATH : undefined;
    const withConfig = [HOME, drive, USERPROFILE].find(
        (folder) => folder && exists(win32.join(folder, ".kube", "config")),
    );
    const folders = [HOME, USERPROFILE, drive].flatMap((folder) => (folder ? [folder] : []));
    return withConfig ?? folders.find(exists) ?? folders[0] ?? homedir();
}
