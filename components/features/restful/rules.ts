import { Network } from "../network";
import { validateAtLeast } from "../../rules/atLeast";
import { validateObjectName } from "../../rules/names";
import { validatePort } from "../../rules/port";
import type { Problem } from "../../rules/problem";
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
        ...validateServerPort(restful.port, broker.port, network === Network.Hosts),
        ...validateUser(restful),
        ...validateObjectName("restful.tlsSecret", restful.tlsSecret),
        ...validateAtLeast([["restful.workers", restful.workers, 1]]),
        ...validateVersion(restful),
        ...validateIndex(restful),
        ...validateClients(restful.clients ?? [], networkPolicy),
    ];
}

function validateServerPort(port: number, broker: number, hasHosts: boolean): Problem[] {
    const property = "restful.port";
    const problems = validatePort(property, port);
    if (problems.length > 0) {
        return problems;
    }
    if (hasHosts && port === broker + 1) {
        return [
            {
                property,
                reason: `is ${port}, but network "hosts" needs the port after broker.port. Change one of them.`,
            },
        ];
    }
    return port === broker ? [{ property, reason: `is ${port}, which is the broker's port. Change one of them.` }] : [];
}

function validateUser({ user }: RestfulSpec): Problem[] {
    const problems: Problem[] = [];
    if (!USER.test(user)) {
        const rule = "up to 64 letters, digits, '.', '_', '@' and '-', and starts with a letter or a digit";
        problems.push({ property: "restful.user", reason: `is "${user}"; a user name has ${rule}.` });
    }
    return problems;
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

const PEERS = ["ipBlock", "namespaceSelector", "podSelector"];

/** Refuses peers that Kubernetes would refuse in a NetworkPolicy, and peers without `networkPolicy`. */
function validateClients(clients: readonly Readonly<Record<string, unknown>>[], hasPolicy: boolean): Problem[] {
    const problems = clients.flatMap((client, index) => {
        const kinds = Object.keys(client);
        const isPeer =
            kinds.length > 0 &&
            kinds.every((kind) => PEERS.includes(kind)) &&
            !(kinds.length > 1 && kinds.includes("ipBlock"));
        const reason = `has ${kinds.join(" and ") || "nothing"}; give podSelector, namespaceSelector or both, or ipBlock alone.`;
        return isPeer ? [] : [{ property: `restful.clients[${index}]`, reason }];
    });
    if (clients.length > 0 && !hasPolicy) {
        const reason =
            "are given, but without networkPolicy every client reaches the port. Set networkPolicy: true, or remove them.";
        problems.push({ property: "restful.clients", reason });
    }
    return problems;
}
