/** A DNS label (RFC 1123), as Kubernetes wants it for containers and volumes. */
export const DNS_LABEL = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

/** The name of an environment variable that every shell can read. */
export const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/;
