/** A folder whose files are there when a command starts. */
export interface CodeFolderArgs {
    /**
     * The folder. A relative path begins at the program's main folder, in all languages. A change of a file's content, of
     * its permission to be executed or of a link runs the command again; a change of times doesn't.
     */
    source: string;
    /**
     * Further patterns of files and folders that are left out. A pattern without `/` is of a name in any folder; another
     * one is of a path in `source`. `*` and `?` stand for characters of one name, `**` for any folders.
     * @default none, besides the files of version control, caches, editors and Pulumi that docs/data.md lists
     */
    exclude?: string[];
    /**
     * Patterns of files and folders that are taken although another pattern leaves them out, or although they look like
     * secrets (`.env*`, `*.key`, `*.pem`, `.aws`, `.netrc`, `id_rsa`, `kubeconfig` and similar names). Only a pattern whose
     * last name isn't `*` or `**` takes what looks like a secret.
     * @default none
     */
    include?: string[];
}

/** A folder whose files are on all ranks when the command starts. */
export interface CodeArgs extends CodeFolderArgs {
    /** Absolute path of the files in the pods. The ranks may write there, each in its own copy. @default `/code` */
    path?: string;
}

export interface CodeArguments {
    /**
     * A folder of this machine whose files are on all ranks when the command starts, without an image of its own. The
     * command starts in this folder. At most 16 MiB packed. Only with a command.
     * @default none
     */
    code?: CodeArgs;
}
