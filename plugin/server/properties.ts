import type { Json } from "../../provider/contract/object";
import { defined } from "../../provider/host/verbs";
import { Struct } from "./grpcNode";

type Properties = Record<string, Json>;

/** The properties of a resource in a request. */
export interface Received {
    readonly values: Properties;
    /** The properties of an answer to this request. */
    reply(values: Json): Struct;
}

/**
 * The mark of a secret in a struct.
 * @see https://github.com/pulumi/pulumi/blob/master/sdk/go/common/resource/sig/sig.go
 */
const SIGNATURE = "4dabf18193072939515e22adb298388d";
const SECRET = "1b47061264138c4ac30d75fd1eb44270";

/** Reads the properties of a request. A property that has a secret anywhere is a secret in the answer. */
export function read(struct: Struct | undefined): Received {
    const sent: Properties = struct?.toJavaScript() ?? {};
    const secrets = Object.keys(sent).filter((name) => hasSecret(sent[name]));
    const marked = ([name, value]: [string, Json]) => [
        name,
        secrets.includes(name) && value !== undefined ? { [SIGNATURE]: SECRET, value } : value,
    ];
    return {
        values: plain(sent),
        reply: (answer: Properties) => write(Object.fromEntries(Object.entries(answer).map(marked))),
    };
}

function hasSecret(value: Json): boolean {
    return isObject(value) && (value[SIGNATURE] === SECRET || Object.values(value).some(hasSecret));
}

function plain(value: Json): Json {
    if (Array.isArray(value)) {
        return value.map(plain);
    }
    if (!isObject(value)) {
        return value;
    }
    return value[SIGNATURE] === SECRET
        ? plain(value.value)
        : Object.fromEntries(Object.entries(value).map(([name, item]) => [name, plain(item)]));
}

function isObject(value: Json): boolean {
    return typeof value === "object" && value !== null;
}

/** Without undefined fields, which can't be sent. */
function write(values: Json): Struct {
    return Struct.fromJavaScript(defined(values));
}
