import * as kubernetes from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";

import { podAccount } from "../features/security/podAccount";
import type { PodRight } from "../parts/podRight";
import type { MiniClusterSpec } from "../spec";
import { type Family, labelled, placed } from "./family";

interface Rights {
    /** Kubernetes name of the objects. */
    object(spec: MiniClusterSpec): string;
    rules(spec: MiniClusterSpec): PodRight[];
    /** Whether the pods' service account is made here. */
    readonly makesAccount: boolean;
}

/** Registers rights of the pods' service account. `name` is the resources' name. */
export function makeRights(name: string, family: Family, { makesAccount, object, rules }: Rights): pulumi.Resource[] {
    const { options, spec } = family;
    const { core, rbac } = kubernetes;
    const { metadata } = placed(object, labelled, family);
    const role = new rbac.v1.Role(name, { metadata, rules: spec.apply(rules) }, options);
    const makeAccount = () =>
        new core.v1.ServiceAccount(name, { metadata, automountServiceAccountToken: false }, options);
    const accounts = makesAccount ? [makeAccount()] : [];
    const account = {
        kind: "ServiceAccount",
        name: spec.apply((of) => podAccount(of) ?? "default"),
        namespace: role.metadata.namespace,
    };
    const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: role.metadata.name };
    const binding = new rbac.v1.RoleBinding(name, { metadata, roleRef, subjects: [account] }, options);
    return [role, ...accounts, binding];
}
