import * as kubernetes from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";

import { namesOf } from "../../../provider/contract/names";
import { type Family, labelled, placed } from "../../children/family";
import { Keygen } from "../../parts/keygen";
import type { ElasticArguments } from ".";
import { elasticAccount, elasticRules } from "./rights";

interface Surroundings extends ElasticArguments {
    readonly keygen?: Keygen;
    readonly serviceAccountName?: pulumi.Input<string>;
}

/** Registers the right of the pods' service account to their Job, and the account unless there is one already. */
export function makeElasticRights(
    name: string,
    family: Family,
    { elastic, keygen, serviceAccountName }: Surroundings,
): pulumi.Resource[] {
    if (elastic === undefined) {
        return [];
    }
    const { options, spec } = family;
    const { core, rbac } = kubernetes;
    const { metadata } = placed((of) => namesOf(of.name).elastic, labelled, family);
    const role = new rbac.v1.Role(`${name}-elastic`, { metadata, rules: spec.apply(elasticRules) }, options);
    const makeAccount = () =>
        new core.v1.ServiceAccount(`${name}-elastic`, { metadata, automountServiceAccountToken: false }, options);
    const accounts = serviceAccountName === undefined && keygen !== Keygen.InitContainer ? [makeAccount()] : [];
    const account = { kind: "ServiceAccount", name: spec.apply(elasticAccount), namespace: role.metadata.namespace };
    const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: role.metadata.name };
    const binding = new rbac.v1.RoleBinding(`${name}-elastic`, { metadata, roleRef, subjects: [account] }, options);
    return [role, ...accounts, binding];
}
