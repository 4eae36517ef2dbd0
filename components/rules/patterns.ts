/** A DNS label (RFC 1123). Kubernetes requires one as the name of a container or a volume. */
export const DNS_LABEL = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

/** The name of an environment variable that every shell can read. */
export const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/;

const DNS_NAME = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const NAME_PART = /^[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;

/** True for a DNS subdomain (RFC 1123), which most Kubernetes objects have as their name. */
export function isDnsName(text: string): boolean {
    return text.length <= 253 && DNS_NAME.test(text);
}

/** True for the key of a label, an annotation or a resource: a name, with an optional domain and '/' before it. */
export function isQualifiedName(text: string): boolean {
    const slash = text.indexOf("/");
    return (slash < 0 || isDnsName(text.slice(0, slash))) && NAME_PART.test(text.slice(slash + 1));
}

/** True for the value of a label. */
export function isLabelValue(text: string): boolean {
    return text === "" || NAME_PART.test(text);
}
