import { cureOf, fit } from "../schemaFit";
import { documentsIn, findIn, type Found, isObject, type PlainResource, readerOf, warnOfRefusals } from "../resource";
import { readMetadata } from "../metadata";
import type { Fields, Reader } from "../reader";
import { SPEC } from "./schema";
import { readSpec } from "./spec";

const NAMES = {
    default: "flux-sample",
    owner: "the operator's resource, which the operator gives to no other object",
    gone: "there is no resource of the operator any more",
};

/** Reads the first MiniCluster of a text, as `fromOperator` says. The certificate is plain text. */
export function readMiniCluster(yaml: string): PlainResource {
    const found = findIn(documentsIn(yaml), isMiniCluster);
    if (found === undefined) {
        throw new Error(
            "This text has no MiniCluster with containers. Give the YAML of a MiniCluster of the Flux Operator.",
        );
    }
    return readDocument(found);
}

function isMiniCluster({ kind, spec }: Fields): boolean {
    return kind === "MiniCluster" && isObject(spec) && !isEmptyList(spec.containers);
}

function isEmptyList(value: unknown): boolean {
    return value === undefined || value === null || (Array.isArray(value) && value.length === 0);
}

function readDocument(found: Found): PlainResource {
    const reader = readerOf(found, "a MiniCluster");
    const { apiVersion, metadata, spec } = found.document.value as Fields;
    checkVersion(reader, apiVersion);
    const { name, namespace } = readMetadata(reader, metadata ?? {}, NAMES);
    const args = readSpec(reader, fit(reader, "spec", spec, SCHEMA) as Fields, name);
    const all = { ...(namespace === undefined ? {} : { namespace }), ...args };
    warnOfRefusals(reader, name, all);
    return { name, args: all, warnings: reader.warnings };
}

const SCHEMA = {
    type: SPEC,
    unknown: (name: string, own: readonly string[]) =>
        `is no field of the operator's v1alpha2, so it is ignored; ${cureOf(name, own)}.`,
};

const VERSION = "flux-framework.org/v1alpha2";

function checkVersion(reader: Reader, apiVersion: unknown): void {
    if (apiVersion !== VERSION) {
        const found = apiVersion === undefined ? "is missing" : `is "${String(apiVersion)}"`;
        const cure = "Write it as v1alpha2, with flux.container.disable: true if the image has Flux.";
        reader.warn("apiVersion", `${found}; the resource is read as ${VERSION}. ${cure}`);
    }
}
