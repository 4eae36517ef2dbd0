/**
 * What only the owner of the package knows. The schema (`npm run generate`) and the packages of a release take it from here;
 * besides it, only programs in Go name one, in their imports: `obstacles` has the list. A release is refused while one of them is empty.
 */
export const ADDRESSES = {
    /** The name that Pulumi's registry shows as the publisher. */
    publisher: "",
    /** The repository's page, `https://HOST/OWNER/NAME`. */
    repository: "",
    /** The documentation's site. */
    homepage: "",
    /** From where Pulumi downloads the plugin: a folder with the archives, or `github://api.github.com/OWNER/NAME`. */
    pluginDownload: "",
    /** A square PNG for Pulumi's registry. */
    logo: "",
};

export type Addresses = Readonly<Record<keyof typeof ADDRESSES, string>>;

/** The names of the addresses that aren't known. */
export function missing(addresses: Addresses): string[] {
    return Object.entries(addresses).flatMap(([name, value]) => (value === "" ? [name] : []));
}

/** The path of the module of the SDK for Go. Without a repository no host has it, and programs replace it with a folder. */
export function goModule({ repository }: Addresses): string {
    return `${repository === "" ? "flux-minicluster.local" : repository.replace(/^https:\/\//, "")}/sdk/go/fluxminicluster`;
}

/** The fields of the schema that have a value. */
export function schemaFields({ homepage, logo, pluginDownload, publisher, repository }: Addresses): Fields {
    return withoutEmpty({
        publisher,
        repository,
        homepage,
        pluginDownloadURL: pluginDownload,
        logoUrl: logo,
    });
}

/** The fields of package.json that have a value. */
export function npmFields({ homepage, repository }: Addresses): Fields {
    return withoutEmpty({
        homepage,
        repository: repository === "" ? "" : `git+${repository}.git`,
        bugs: repository === "" ? "" : `${repository}/issues`,
    });
}

type Fields = Readonly<Record<string, string>>;

function withoutEmpty(fields: Fields): Fields {
    return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ""));
}
