import { BlockList, isIP } from "node:net";

/** The environment's proxy for a server; undefined if there is none. */
export function proxyFor(server: string, environment: NodeJS.ProcessEnv = process.env): string | undefined {
    const name = server.startsWith("https:") ? "HTTPS_PROXY" : "HTTP_PROXY";
    const proxy = variable(environment, name);
    const exceptions = variable(environment, "NO_PROXY") ?? "";
    if (proxy === undefined || !URL.canParse(server) || isExcepted(new URL(server), exceptions)) {
        return undefined;
    }
    return proxy.includes("://") ? proxy : `http://${proxy}`;
}

function variable(environment: NodeJS.ProcessEnv, name: string): string | undefined {
    return environment[name] || environment[name.toLowerCase()] || undefined;
}

/**
 * True if the connection is direct, because of NO_PROXY or of the address itself. Node and undici don't know address
 * ranges in NO_PROXY, which are common for clusters; these are the rules of kubectl.
 * @see https://pkg.go.dev/golang.org/x/net/http/httpproxy#Config
 */
function isExcepted({ hostname, port, protocol }: URL, exceptions: string): boolean {
    const host = hostname.replace(/^\[|\]$/g, "").toLowerCase();
    const address = { host, port: port || (protocol === "https:" ? "443" : "80") };
    return isLocal(host) || exceptions.split(",").some((rule) => matches(rule.trim().toLowerCase(), address));
}

function isLocal(host: string): boolean {
    return host === "localhost" || isWithin(host, "127.0.0.0", 8) || host === "::1";
}

interface Address {
    readonly host: string;
    readonly port: string;
}

function matches(rule: string, address: Address): boolean {
    const [network, prefix] = rule.split("/");
    if (prefix !== undefined) {
        return isWithin(address.host, network, Number(prefix));
    }
    // An IPv6 address has colons of its own; with a port it stands in brackets.
    const [, bracketed, plain, port] = /^(?:\[(.*)\]|([^:]*))(?::(\d+))?$/.exec(rule) ?? [];
    const isPort = port === undefined || port === address.port;
    return rule === "*" || (isPort && isNamed(bracketed ?? plain ?? rule, address.host));
}

function isNamed(name: string, host: string): boolean {
    if (isIP(host) !== 0) {
        return isWithin(host, name, isIP(name) === 4 ? 32 : 128);
    }
    const domain = name.replace(/^\*?\./, "");
    return name !== "" && (host.endsWith(`.${domain}`) || host === name);
}

function isWithin(host: string, network: string, prefix: number): boolean {
    const family = (address: string) => (isIP(address) === 4 ? "ipv4" : "ipv6");
    if (isIP(host) === 0 || isIP(network) === 0 || !(prefix >= 0 && prefix <= (isIP(network) === 4 ? 32 : 128))) {
        return false;
    }
    const list = new BlockList();
    list.addSubnet(network, prefix, family(network));
    return list.check(host, family(host));
}
