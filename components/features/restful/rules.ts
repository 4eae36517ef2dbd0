import { Network } from "../network";
import { validateAtLeast } from "../../rules/atLeast";
import { validateClients } from "../../rules/clients";
import { validateObjectName } from "../../rules/names";
import { validateServerPort } from "../../rules/port";
import { broken, type Problem } from "../../rules/problem";
import type { MiniClusterSpec } from "../../spec";

/** Version whose hashes are in restful-requirements.txt; also the oldest version that works. */
export const RESTFUL_VERSION = "1.1.0";

type RestfulSpec = NonNullable<MiniClusterSpec["restful"]>;

/** A user name that has the same meaning in a header, a form and a shell. */
const USER = /^[A-Za-z0-9][-A-Za-z0-9_.@]{0,63}$/;
const VERSION = /^\d+(?:\.\d+)*(?:(?:a|b|rc)\d+)?(?:\.post\d+)?$/;

/** Checks the arguments of the RESTful server. */
export function validateRestful({ broker, mode, network, networkPolicy, restful }: MiniClusterSpec): Problem[] {
    if (restful === undefined) {
        return [];
    }
    if (mode === "ephemeral") {
        const reason = "is given, but the lead runs the command instead of the server. Remove restful or command.";
        return [{ property: "restful", reason }];
    }
    return [
        ...validateServerPort("restful.port", restful.port, { "broker.port": broker.port }, network === Network.Hosts),
        ...validateUser(restful),
        ...validateObjectName("restful.tlsSecret", restful.tlsSecret),
        ...validateAtLeast([["restful.workers", restful.workers, 1]]),
        ...validateVersion(restful),
        ...validateIndex(restful),
        ...validateClients("restful.clients", restful.clients ?? [], networkPolicy),
    ];
}

function validateUser({ user }: RestfulSpec): Problem[] {
    const rule = "up to 64 letters, digits, '.', '_', '@' and '-', and starts with a letter or a digit";
    return broken([[!USER.test(user), "restful.user", `is "${user}"; a user name has ${rule}.`]]);
}

function validateVersion({ requirements, version }: RestfulSpec): Problem[] {
    const property = "restful.version";
    if (version === undefined) {
        return [];
    }
    if (!VERSION.test(version)) {
        return [{ property, reason: `is "${version}", which is not a version. Write it like "${RESTFUL_VERSION}".` }];
    }
    if (version !== RESTFUL_VERSION && requirements === undefined) {
        const reason = `is "${version}"; this package has the hashes of ${RESTFUL_VERSION} only. Give restful.requirements too.`;
        return [{ property, reason }];
    }
    return [];
}

function validateIndex({ indexUrl, requirements }: RestfulSpec): Problem[] {
    const problems: Problem[] = [];
    if (requirements !== undefined && !requirements.includes("--hash=")) {
        const reason =
            "has no hashes; without them pip would install any file of an index. Make it with pip-compile --generate-hashes.";
        problems.push({ property: "restful.requirements", reason });
    }
    if (indexUrl === undefined) {
        return problems;
    }
    const url = URL.parse(indexUrl);
    const property = "restful.indexUrl";
    if (url !== null && (url.username !== "" || url.password !== "")) {
        const reason =
            "has a user or a password, which would be readable in the Job. Give PIP_INDEX_URL as a secret in environment.";
        problems.push({ property, reason });
    } else if (url === null || !["file:", "http:", "https:"].includes(url.protocol)) {
        const reason = `is "${indexUrl}", which is not a URL of http, https or file. Write it like "https://pypi.example/simple".`;
        problems.push({ property, reason });
    }
    return problems;
}
