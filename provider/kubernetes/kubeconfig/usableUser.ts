import type { User } from "../clientNode";
import type { ExecConfig } from "./execPlugin";
import type { FullUser } from "./extraFields";
import { pemProblems } from "./pem";

/** Why a user of a kubeconfig can't be used. No value of a credential is shown. */
export function problemsOfUser(user: FullUser): string[] {
    return [
        ...certificateProblems(user),
        ...tokenProblems(user),
        ...providerProblems(user),
        ...pluginProblems(user),
        ...impersonationProblems(user),
    ];
}

function certificateProblems({ certData, certFile, keyData, keyFile, name }: User): string[] {
    const [hasCertificate, hasKey] = [Boolean(certData || certFile), Boolean(keyData || keyFile)];
    if (hasCertificate && !hasKey) {
        return [`user "${name}" has a client-certificate but no client-key; give both.`];
    }
    // kubectl ignores a key without a certificate.
    return !hasCertificate
        ? []
        : [
              ...pemProblems(`client-certificate of user "${name}"`, certFile, certData, "CERTIFICATE"),
              ...pemProblems(`client-key of user "${name}"`, keyFile, keyData, "PRIVATE KEY"),
          ];
}

/** The error of an invalid header would show the token. */
function tokenProblems({ name, token }: User): string[] {
    const isSendable = !token || /^[\x20-\x7e]*$/.test(String(token).trim());
    return isSendable
        ? []
        : [`the token of user "${name}" has a line break or another character that no header can have.`];
}

/** What replaces a provider that Kubernetes has removed. */
const REPLACEMENTS: Readonly<Record<string, string | undefined>> = {
    azure: "Make the kubeconfig again with an exec plugin: kubelogin convert-kubeconfig.",
    gcp: "Make the kubeconfig again with an exec plugin: gcloud container clusters get-credentials NAME.",
};

function providerProblems({ authProvider, name }: User): string[] {
    const provider = authProvider?.name as string | undefined;
    if (provider === undefined || authProvider.config?.tokenFile || authProvider.config?.exec) {
        return [];
    }
    if (provider === "oidc") {
        return oidcProblems(name, authProvider.config ?? {});
    }
    const cure = REPLACEMENTS[provider] ?? "Use a token, a client certificate or an exec plugin.";
    return [`Kubernetes has no auth-provider "${provider}", which user "${name}" has. ${cure}`];
}

function oidcProblems(name: string, config: Readonly<Record<string, string | undefined>>): string[] {
    const token = config["id-token"];
    const canRenew = ["client-id", "refresh-token", "idp-issuer-url"].every((field) => config[field]);
    if (token && (canRenew || (expiryOf(token) ?? 0) * 1000 > Date.now())) {
        return [];
    }
    const what = token ? "the id-token of the auth-provider oidc has ended" : "the auth-provider oidc has no id-token";
    return [
        `${what} for user "${name}". Log in with kubectl, which renews it, or use an exec plugin such as kubelogin.`,
    ];
}

/** Seconds since 1970 at which a JSON web token ends. */
function expiryOf(token: string): number | undefined {
    try {
        const payload = Buffer.from(token.split(".")[1] ?? "", "base64url").toString();
        return (JSON.parse(payload) as { exp?: number }).exp;
    } catch {
        return undefined;
    }
}

const VERSIONS = ["v1", "v1beta1"].map((version) => `client.authentication.k8s.io/${version}`);

function pluginProblems({ exec, name }: User): string[] {
    if (!exec) {
        return [];
    }
    const { apiVersion, command, interactiveMode } = exec as Partial<ExecConfig>;
    const isKnown = apiVersion === undefined || VERSIONS.includes(apiVersion);
    return [
        ...(command ? [] : [`the exec plugin of user "${name}" has no command.`]),
        ...(isKnown
            ? []
            : [
                  `exec.apiVersion of user "${name}" is "${apiVersion}", but Kubernetes knows ${VERSIONS.join(" and ")}. ` +
                      "Update the plugin, and make the kubeconfig again with it.",
              ]),
        ...(interactiveMode === "Always"
            ? [
                  `the exec plugin of user "${name}" needs a terminal (interactiveMode: Always), which Pulumi doesn't have. ` +
                      "Use a plugin that runs without one.",
              ]
            : []),
    ];
}

function impersonationProblems({ impersonateUser, impersonation, name }: FullUser): string[] {
    return impersonation !== undefined && !impersonateUser
        ? [`user "${name}" has as-groups, as-uid or as-user-extra without as. Give the name of the user as as.`]
        : [];
}
