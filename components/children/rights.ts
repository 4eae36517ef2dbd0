import * as kubernetes from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";

import type { MiniClusterArgs } from "../args";
import { podAccount, rightsOf } from "../features/podAccount";
import { type Family, labelled, placed } from "./family";

/** Registers the Role with the rights that features need, its binding, and the pods' account unless the user gives one. */
export function makeRights(name: string, family: Family, args: MiniClusterArgs): pulumi.Resource[] {
    const rights = rightsOf(args);
    if (rights === undefined) {
        return [];
    }
    const { options, spec } = family;
    const { core, rbac } = kubernetes;
    const resource = rights.nameOf(name);
    const { metadata } = placed((of) => rights.nameOf(of.name), labelled, family);
    const role = new rbac.v1.Role(resource, { metadata, rules: spec.apply(rights.rules) }, options);
    const makeAccount = () =>
        new core.v1.ServiceAccount(resource, { metadata, automountServiceAccountToken: false }, options);
    // A name in podTemplate may be an Output: then this account is made too, and the binding gives it no rights.
    const accounts = args.serviceAccountName === undefined ? [makeAccount()] : [];
    const account = {
        kind: "ServiceAccount",
        name: spec.apply((of) => podAccount(of) ?? "default"),
        namespace: role.metadata.namespace,
    };
    const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: role.metadata.name };
    const binding = new rbac.v1.RoleBinding(resource, { metadata, roleRef, subjects: [account] }, options);
    return [role, ...accounts, binding];
}
