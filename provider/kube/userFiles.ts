import { isAbsolute, join, sep } from "node:path";

import type { User } from "./clientNode";

interface Users {
    readonly users?: readonly { readonly name?: string; readonly user?: { readonly tokenFile?: string } | null }[];
}

/** Adds `tokenFile`, which the client doesn't read, in the form in which it knows a service account's token. */
export function withTokenFiles(users: User[], text: string): User[] {
    if (!text.includes("tokenFile")) {
        return users;
    }
    const { parse: parseYaml } = require("yaml") as typeof import("yaml");
    const files = new Map((parseYaml(text) as Users).users?.map(({ name, user }) => [name, user?.tokenFile]));
    return users.map((user) => {
        const tokenFile = files.get(user.name);
        return tokenFile ? { ...user, authProvider: { name: "tokenFile", config: { tokenFile } } } : user;
    });
}

/** Resolves the paths of a user that the client leaves relative to the working directory. */
export function beside(folder: string, user: User): User {
    const { authProvider, exec } = user;
    const tokenFile = authProvider?.config?.tokenFile as string | undefined;
    const command = exec?.command as string | undefined;
    return {
        ...user,
        authProvider:
            tokenFile === undefined
                ? authProvider
                : { ...authProvider, config: { ...authProvider.config, tokenFile: within(folder, tokenFile) } },
        // A name without a slash is a program on the PATH.
        exec: command?.includes(sep) ? { ...exec, command: within(folder, command) } : exec,
    };
}

function within(folder: string, path: string): string {
    return isAbsolute(path) ? path : join(folder, path);
}
