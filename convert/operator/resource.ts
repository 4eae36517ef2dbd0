import { fit } from "../fit";
import { documentsIn, findIn, type Found, isObject } from "../documents";
import { readMetadata } from "../metadata";
import { warnOfRefusals } from "../preview";
import type { Fields, Reader } from "../reader";
import { type PlainResource, readerOf } from "../resource";
import { moved } from "./moved";
import { SPECS, type Version } from "./schema/fields";
import { readSpec } from "./spec";
import { unknownField } from "./unknown";

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
    const version = readVersion(reader, apiVersion);
    const { name, namespace } = readMetadata(reader, metadata ?? {}, NAMES);
    const args = readSpec(reader, fitSpec(reader, moved(reader, spec), version), name, version);
    const all = { ...(namespace === undefined ? {} : { namespace }), ...args };
    warnOfRefusals(reader, name, all);
    return { name, args: all, warnings: reader.warnings };
}

function fitSpec(reader: Reader, spec: Fields, version: Version): Fields {
    const other = version === "v1alpha1" ? "v1alpha2" : "v1alpha1";
    return fit(reader, "spec", spec, {
        type: SPECS[version],
        other: SPECS[other],
        unknown: (name, found) => unknownField(name, version, found),
    }) as Fields;
}

const GROUP = "flux-framework.org";

function readVersion(reader: Reader, apiVersion: unknown): Version {
    if (apiVersion === `${GROUP}/v1alpha1`) {
        return "v1alpha1";
    }
    if (apiVersion !== `${GROUP}/v1alpha2`) {
        const found = apiVersion === undefined ? "is missing" : `is "${String(apiVersion)}"`;
        reader.warn(
            "apiVersion",
            `${found}; the resource is read as ${GROUP}/v1alpha2. Give the version of the operator.`,
        );
    }
    return "v1alpha2";
}
