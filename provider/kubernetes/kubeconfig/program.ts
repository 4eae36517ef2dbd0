import { existsSync } from "node:fs";
import { win32 } from "node:path";

/** How a program is started. */
export interface Start {
    readonly file: string;
    readonly args: readonly string[];
    readonly options: {
        /** The program leads a process group of its own. Windows has none, and would open a window. */
        readonly detached: boolean;
        readonly windowsHide: boolean;
        readonly windowsVerbatimArguments?: boolean;
    };
}

interface System {
    readonly platform: NodeJS.Platform;
    readonly exists: (path: string) => boolean;
}

/**
 * Finds a program as kubectl does. On Windows, a name without an ending may be that of a batch file (az.cmd, aws.cmd), which
 * Node doesn't find, and starts only through cmd.exe.
 */
export function startOf(
    command: string,
    args: readonly string[],
    env: NodeJS.ProcessEnv,
    { exists, platform }: System = { platform: process.platform, exists: existsSync },
): Start {
    if (platform !== "win32") {
        return { file: command, args, options: { detached: true, windowsHide: true } };
    }
    const file = candidates(command, env).find(exists) ?? command;
    const options = { detached: false, windowsHide: true };
    if (!/\.(bat|cmd)$/i.test(file)) {
        return { file, args, options };
    }
    const words = [file, ...args].map(quoted).join(" ");
    return {
        file: variable(env, "ComSpec") ?? "cmd.exe",
        args: ["/d", "/s", "/c", `"${words}"`],
        options: { ...options, windowsVerbatimArguments: true },
    };
}

/** The paths at which Windows looks for a program, in their order. */
function candidates(command: string, env: NodeJS.ProcessEnv): string[] {
    const endings = (variable(env, "PATHEXT") ?? ".COM;.EXE;.BAT;.CMD").split(";").filter(Boolean);
    const names = win32.extname(command) === "" ? [] : [command];
    const all = [...names, ...endings.map((ending) => command + ending)];
    if (/[\\/]/.test(command)) {
        return all;
    }
    const folders = (variable(env, "PATH") ?? "").split(";").filter(Boolean);
    return folders.flatMap((folder) => all.map((name) => win32.join(folder, name)));
}

/** Names of variables have no case on Windows. A copy of the environment has lost that. */
function variable(env: NodeJS.ProcessEnv, name: string): string | undefined {
    return Object.entries(env).find(([key]) => key.toLowerCase() === name.toLowerCase())?.[1];
}

/** A word for cmd.exe. It would interpret some characters even in quotes. */
function quoted(word: string): string {
    if (/["%!\r\n]/.test(word)) {
        throw new Error(
            'it is a batch file, and cmd.exe would interpret a character (one of " % !) of its arguments. Name a program ' +
                "that is no batch file",
        );
    }
    return `"${word.replace(/\\+$/, "$&$&")}"`;
}
