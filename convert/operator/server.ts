import type { Fields, Reader, Values } from "../reader";

/** Reads the RESTful server and its users, which only v1alpha1 has. Other clusters have no server. */
export function readServer(reader: Reader, { fluxRestful, users }: Fields, args: Values, hasServer: boolean): void {
    warnOfUsers(reader, users ?? []);
    if (args.command === undefined) {
        args.restful = hasServer ? readRestful(reader, fluxRestful ?? {}) : { enabled: false };
    }
}

function readRestful(reader: Reader, { branch, port, secretKey, token, username }: Fields): Values | undefined {
    if (branch && branch !== "main") {
        const reason = `is "${branch}"; here the server is a release of flux-restful.`;
        reader.warn("spec.fluxRestful.branch", `${reason} Give restful.version, and an image that has it.`);
    }
    for (const [name, value] of Object.entries({ secretKey, token })) {
        if (value) {
            const reason = "is ignored: it is generated; see the outputs restfulSecretKey and restfulToken.";
            reader.warn(`spec.fluxRestful.${name}`, reason);
        }
    }
    const read = { ...(port ? { port } : {}), ...(username ? { user: username } : {}) };
    return Object.keys(read).length > 0 ? read : undefined;
}

function warnOfUsers(reader: Reader, users: readonly Fields[]): void {
    users.forEach((user, index) => {
        const reason = `is "${user.name}", an account of the RESTful server; here a cluster has one user.`;
        reader.warn(`spec.users[${index}].name`, `${reason} Make a MiniCluster for each user, or give restful.user.`);
        if (user.password) {
            const ignored = "is ignored: the user's token is generated; see the output restfulToken.";
            reader.warn(`spec.users[${index}].password`, ignored);
        }
    });
}
