import { MINIMUM } from "../../provider/contract/versions";
import { oldKubernetes } from "../../provider/indexedJob/preflight";
import type { Kube } from "../../provider/kubernetes/client";
import { apiFailure, sentence } from "../../provider/kubernetes/failures/failure";
import { plainText } from "../../provider/observe/pods/plainText";
import { fail, type Finding, ok, warn } from "./finding";

/** Whether the API server answers, accepts the credential and is new enough. */
export async function checkServer(kube: Kube): Promise<Finding[]> {
    try {
        const version = await kube.version();
        const problem = oldKubernetes(version, kube.server);
        return [
            problem === undefined
                ? ok(`Kubernetes ${version.major}.${version.minor} answers`)
                : fail(problem, "upgrade the Kubernetes cluster"),
        ];
    } catch (error) {
        return [unanswered(kube.server, error)];
    }
}

function unanswered(server: string, error: unknown): Finding {
    const failure = apiFailure(error);
    switch (failure?.code) {
        case undefined:
            return fail(`the API server at ${server} can't be reached: ${reasonOf(error)}`, cureOf(codesOf(error)));
        case 401:
            return fail(
                `the API server at ${server} refuses the credential (401)`,
                "log in again, or make the kubeconfig again; a plugin may have another account selected",
            );
        case 403:
            return warn(
                `the version of Kubernetes can't be read: ${failure?.message}`,
                `none, unless Kubernetes is older than ${MINIMUM.kubernetes}`,
            );
        default:
            return fail(`the API server at ${server} fails: ${failure?.message}`, "wait, or ask its administrator");
    }
}

function reasonOf(error: unknown): string {
    return plainText(sentence(error)) || codesOf(error).join(", ");
}

/** The codes of an error and of its causes. An address with several IP addresses has one cause for each. */
function codesOf(error: unknown): string[] {
    if (!(error instanceof Error)) {
        return [];
    }
    const { cause, code, errors = [] } = error as { cause?: unknown; code?: unknown; errors?: unknown[] };
    return [typeof code === "string" ? code : error.name, ...codesOf(cause), ...errors.flatMap(codesOf)];
}

/** @see https://nodejs.org/api/tls.html#x509-certificate-error-codes */
const TLS = /CERT|SIGNATURE|ERR_TLS|ERR_SSL|EPROTO/;

function cureOf(codes: readonly string[]): string {
    if (codes.some((code) => TLS.test(code))) {
        return "compare certificate-authority and server of the kubeconfig with the cluster's, and check the clock and proxies";
    }
    if (codes.some((code) => /ENOTFOUND|EAI_AGAIN/.test(code))) {
        return "correct the server's name in the kubeconfig, or this machine's DNS; a VPN may be needed";
    }
    return "start the cluster, or correct the server in the kubeconfig; a VPN, a firewall or HTTPS_PROXY may be in the way";
}
