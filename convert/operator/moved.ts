import type { Json } from "../../provider/contract/object";
import type { Fields, Reader, Values } from "../reader";

/** Fields of containers before the operator's first release, which had another place afterwards. */
const OF_CONTAINERS: Readonly<Record<string, readonly [outer: string, inner: string]>> = {
    fluxLogLevel: ["flux", "logLevel"],
    fluxOptionFlags: ["flux", "optionFlags"],
};

/** `spec` with the fields of before the operator's first release at their later places, with a warning for each. */
export function moved(reader: Reader, spec: Json): Json {
    if (typeof spec !== "object" || !Array.isArray(spec.containers)) {
        return spec;
    }
    const { test, ...read } = spec as Values;
    if (test !== undefined) {
        warnOfMove(reader, "spec.test", "spec.logging.quiet");
        put(read, ["logging", "quiet"], test);
    }
    read.containers = spec.containers.map((container: Json, index: number) =>
        isObject(container) ? movedContainer(reader, `spec.containers[${index}]`, container, read) : container,
    );
    return read;
}

function movedContainer(reader: Reader, path: string, container: Fields, spec: Values): Fields {
    const { preCommand, ...read } = { ...container };
    if (preCommand !== undefined) {
        warnOfMove(reader, `${path}.preCommand`, "commands.pre");
        put(read, ["commands", "pre"], preCommand);
    }
    for (const [name, place] of Object.entries(OF_CONTAINERS).filter(([field]) => read[field] !== undefined)) {
        warnOfMove(reader, `${path}.${name}`, `spec.${place.join(".")}`);
        put(spec, place, read[name]);
        delete read[name];
    }
    return read;
}

function warnOfMove(reader: Reader, path: string, place: string): void {
    reader.warn(
        path,
        `is a field of the operator before 0.1.0, which it ignores now. It is read as ${place}; write that.`,
    );
}

/** Sets a field of an object in an object, unless it is given. */
function put(target: Values, [outer, inner]: readonly [outer: string, inner: string], value: Json): void {
    if (target[outer] === undefined || isObject(target[outer])) {
        target[outer] = { [inner]: value, ...target[outer] };
    }
}

function isObject(value: Json): value is Fields {
    return typeof value === "object" && value !== null && !Array.isArray(value);
}
