import * as pulumi from "@pulumi/pulumi";

import { documentsIn, findIn, isObject } from "../documents";
import type { Fields } from "../reader";
import { type ConvertedResource, typed } from "../resource";
import { readDocument } from "./resource";

/** A resource of the Flux Operator, as arguments of a MiniCluster. */
export interface OperatorResource extends ConvertedResource {}

/**
 * Reads a MiniCluster of the Flux Operator (v1alpha2 or v1alpha1) as arguments of this package's MiniCluster. The YAML
 * is read as kubectl reads it. If it has several documents, the first MiniCluster is converted, and the others get
 * warnings. Throws an error with the line if the text is no YAML, and if there is no MiniCluster, if no container runs
 * Flux, or if a value has no meaning in the operator's schema, such as a map in place of a list.
 * @param yaml Text of the resource.
 * @see https://flux-framework.org/flux-operator/getting_started/custom-resource-definition.html
 */
export function fromOperator(yaml: string): OperatorResource {
    const { args, ...rest } = readResource(yaml);
    const { certificate } = args;
    return { args: certificate === undefined ? args : { ...args, certificate: pulumi.secret(certificate) }, ...rest };
}

/** The same for a program in another language, to which no Output can be returned. The certificate is plain text. */
export function readResource(yaml: string): OperatorResource {
    const found = findIn(documentsIn(yaml), isMiniCluster);
    if (found === undefined) {
        throw new Error(
            "This text has no MiniCluster with containers. Give the YAML of a MiniCluster of the Flux Operator.",
        );
    }
    return typed(readDocument(found));
}

function isMiniCluster({ kind, spec }: Fields): boolean {
    return kind === "MiniCluster" && isObject(spec) && !isEmptyList(spec.containers);
}

function isEmptyList(value: unknown): boolean {
    return value === undefined || value === null || (Array.isArray(value) && value.length === 0);
}
