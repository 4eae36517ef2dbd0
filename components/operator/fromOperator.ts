import * as pulumi from "@pulumi/pulumi";

import type { MiniClusterArgs } from "../args";
import type { Fields } from "./reader";
import { type PlainResource, readDocument } from "./resource";
import { readDocuments } from "./yaml/documents";
import { type ReadDocument, within } from "./yaml/values";

/** A resource of the Flux Operator, as arguments of a MiniCluster. */
export interface OperatorResource {
    /** Name of the resource. Pass it to the MiniCluster. */
    readonly name: string;
    /** Arguments of the MiniCluster. */
    readonly args: MiniClusterArgs;
    /**
     * Fields without an equal argument, and arguments that preview refuses: `path (line N): what differs, and what to
     * do`.
     */
    readonly warnings: readonly string[];
}

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
    const documents = readDocuments(yaml).flatMap(itemsOf);
    const found = documents.find(isMiniCluster);
    if (found === undefined) {
        throw new Error(
            "This text has no MiniCluster with containers. Give the YAML of a MiniCluster of the Flux Operator.",
        );
    }
    const others = documents.filter((document) => document !== found && isObject(document.value));
    return typed(readDocument(found, others));
}

/** The arguments have been checked against the form of a MiniCluster's arguments; a wrong one has a warning. */
function typed({ args, ...rest }: PlainResource): OperatorResource {
    return { args: args as unknown as MiniClusterArgs, ...rest };
}

function isMiniCluster({ value }: ReadDocument): boolean {
    return (
        isObject(value) && value.kind === "MiniCluster" && isObject(value.spec) && !isEmptyList(value.spec.containers)
    );
}

function isEmptyList(value: unknown): boolean {
    return value === undefined || value === null || (Array.isArray(value) && value.length === 0);
}

/** The objects of a list, as `kubectl get -o yaml` prints it. */
function itemsOf(document: ReadDocument): ReadDocument[] {
    const { value } = document;
    const isList = isObject(value) && /^(MiniCluster)?List$/.test(String(value.kind)) && Array.isArray(value.items);
    return isList
        ? value.items.map((_: unknown, index: number) => within(document, `items[${index}]`, index))
        : [document];
}

function isObject(value: unknown): value is Fields {
    return typeof value === "object" && value !== null && !Array.isArray(value);
}
