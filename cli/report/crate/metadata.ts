import type { RecordedDigest, RunRecord } from "../../../provider/contract/record/runRecord";
import { word } from "../../../provider/contract/paths";

/** A file of a crate, by its path in it. */
export interface CrateFile {
    readonly path: string;
    readonly bytes: number;
    readonly sha256: string;
    /** Media type. */
    readonly type?: string;
}

/** What a record doesn't know. */
export interface Given {
    /** URL of the license of the crate. */
    readonly license: string;
    /** Name of a person, or `NAME <URL>`. */
    readonly author?: string;
    /** The author's organization, in the same form. */
    readonly organization?: string;
}

type Entity = Readonly<Record<string, unknown>>;

const CONTEXT = ["https://w3id.org/ro/crate/1.1/context", "https://w3id.org/ro/terms/workflow-run/context"];
const CRATE = "https://w3id.org/ro/crate/1.1";
const PROFILE = "https://w3id.org/ro/wfrun/process/0.5";
const DOCKER = "https://w3id.org/ro/terms/workflow-run#DockerImage";

/**
 * The metadata of a Process Run Crate.
 * @see https://www.researchobject.org/workflow-run-crate/profiles/process_run_crate/
 */
export function metadataOf(record: RunRecord, files: readonly CrateFile[], given: Given): object {
    const { license } = given;
    const organization = named("Organization", given.organization);
    const author = named("Person", given.author);
    const person = author && { ...author, ...(organization && { affiliation: refs([organization]) }) };
    const images = containerImages(record);
    const variables = record.environment.map((name) => ({
        "@id": `#environment-${name}`,
        "@type": "PropertyValue",
        name,
        description: "An environment variable of the command. Its value is not recorded.",
    }));
    const code = record.code === undefined ? [] : [codeOf(record.code)];
    const run = actionOf(record, { files, images, variables, code, person });
    const tool = toolOf(record);
    const root = {
        "@id": "./",
        "@type": "Dataset",
        name: `Run of ${record.name}`,
        description: `A run of ${record.name} in Kubernetes: ${commandOf(record)}`,
        datePublished: timeOf(record.endedAt ?? record.createdAt),
        license: { "@id": license },
        conformsTo: { "@id": PROFILE },
        ...(person && { author: refs([person]) }),
        ...(organization && { publisher: refs([organization]) }),
        hasPart: refs(files.map(({ path }) => ({ "@id": idOf(path) }))),
        mentions: refs([run]),
    };
    const about = { "@type": "CreativeWork", conformsTo: { "@id": CRATE }, about: { "@id": "./" } };
    const profile = { "@id": PROFILE, "@type": "CreativeWork", name: "Process Run Crate", version: "0.5" };
    const terms = { "@id": license, "@type": "CreativeWork", name: license, description: "The license of this crate." };
    const described = [tool, ...images, ...variables, ...code, ...files.map(fileOf)];
    const parties = [person, organization].filter((party) => party !== undefined);
    const descriptor = { "@id": "ro-crate-metadata.json", ...about };
    return { "@context": CONTEXT, "@graph": [descriptor, root, profile, terms, run, ...parties, ...described] };
}

interface Parts {
    readonly files: readonly CrateFile[];
    readonly images: readonly Entity[];
    readonly variables: readonly Entity[];
    readonly code: readonly Entity[];
    readonly person: Entity | undefined;
}

function actionOf(record: RunRecord, { code, files, images, person, variables }: Parts): Entity {
    const { createdAt, endedAt, failures, name, phase, startedAt, uid } = record;
    const hasFailed = phase === "failed";
    return {
        "@id": `urn:uuid:${uid}`,
        "@type": "CreateAction",
        name: `Run of ${name}`,
        description: commandOf(record),
        instrument: refs([toolOf(record)]),
        containerImage: refs(images),
        startTime: timeOf(startedAt ?? createdAt),
        ...(endedAt === undefined ? {} : { endTime: timeOf(endedAt) }),
        // The profile's shape takes the text, and refuses a reference.
        actionStatus: `http://schema.org/${hasFailed ? "Failed" : "Completed"}ActionStatus`,
        ...(hasFailed ? { error: failures.map(({ message }) => message).join(" ") || "The command has failed." } : {}),
        ...(code.length === 0 ? {} : { object: refs(code) }),
        result: refs(files.map(({ path }) => ({ "@id": idOf(path) }))),
        ...(variables.length === 0 ? {} : { environment: refs(variables) }),
        ...(person && { agent: refs([person]) }),
    };
}

/** The program that ran is known as the image that has it. */
function toolOf({ digests, image = "" }: RunRecord): Entity {
    return {
        "@id": `https://${imageParts(image).path}`,
        "@type": "SoftwareApplication",
        name: image,
        url: `https://${imageParts(image).path}`,
        softwareVersion: digestIn(digests.at(0)) ?? imageParts(image).tag ?? "unknown",
    };
}

function containerImages({ digests, image = "" }: RunRecord): Entity[] {
    const { name, registry, tag } = imageParts(image);
    const sums = digests.length === 0 ? [undefined] : digests.map(digestIn);
    return sums.map((sha256, index) => ({
        "@id": `#container-image-${index + 1}`,
        "@type": "ContainerImage",
        additionalType: { "@id": DOCKER },
        registry,
        name,
        ...(tag === undefined ? {} : { tag }),
        ...(sha256 === undefined ? {} : { sha256 }),
    }));
}

/** Parts of the reference of an image. Without a registry it is Docker's. */
function imageParts(image: string): { registry: string; name: string; tag?: string; path: string } {
    const [, whole = image, tag] = /^(.*?)(?::([^:/@]+))?(?:@[^@]+)?$/.exec(image) ?? [];
    const [first = "", ...others] = whole.split("/");
    const hasRegistry = others.length > 0 && /[.:]|^localhost$/.test(first);
    const [registry, name] = hasRegistry ? [first, others.join("/")] : ["docker.io", whole];
    return { registry, name, tag, path: `${registry}/${name}${tag === undefined ? "" : `:${tag}`}` };
}

function digestIn(digest: RecordedDigest | undefined): string | undefined {
    return /sha256:([0-9a-f]{64})$/.exec(digest?.image ?? "")?.[1];
}

function codeOf(sha256: string): Entity {
    const text = "SHA-256 of the files of the argument code, with their names and modes.";
    return { "@id": "#code", "@type": "PropertyValue", name: "code", value: sha256, description: text };
}

/** A person or an organization, as `NAME` or `NAME <URL>`. */
function named(type: "Organization" | "Person", text: string | undefined): Entity | undefined {
    const [, name = text, url] = /^(.*?)\s*<(https?:[^>]+)>$/.exec(text ?? "") ?? [];
    const id = url ?? `#${type.toLowerCase()}`;
    return text === undefined ? undefined : { "@id": id, "@type": type, name, ...(url === undefined ? {} : { url }) };
}

function fileOf({ bytes, path, sha256, type }: CrateFile): Entity {
    const format = type === undefined ? {} : { encodingFormat: type };
    return { "@id": idOf(path), "@type": "File", name: path, contentSize: String(bytes), sha256, ...format };
}

/** Identifiers are URIs. */
function idOf(path: string): string {
    return path.split("/").map(encodeURIComponent).join("/");
}

/** Validators take a list of one for a fault. */
function refs(entities: readonly Entity[]): unknown {
    const all = entities.map((entity) => ({ "@id": entity["@id"] }));
    return all.length === 1 ? all[0] : all;
}

function commandOf({ command }: RunRecord): string {
    return command.length === 0 ? "its command is not recorded" : command.map(word).join(" ");
}

/** The profile wants an offset, and refuses `Z`. */
function timeOf(iso: string): string {
    return iso.replace(/Z$/, "+00:00");
}
