import type { Json } from "../contract/object";
import { UNKNOWN } from "../unknown";
import { defined, type Verbs } from "../verbs";
import {
    CheckFailure,
    CheckRequest,
    CheckResponse,
    CreateRequest,
    CreateResponse,
    DeleteRequest,
    DiffRequest,
    DiffResponse,
    Empty,
    ReadRequest,
    ReadResponse,
    Struct,
    UpdateRequest,
    UpdateResponse,
} from "./grpcNode";

/** The property of each dynamic resource that has the text of its provider. */
const PROVIDER = "__provider";

type Properties = Record<string, Json>;
type AnyVerbs = Verbs<Json, Json>;
type Message = { serializeBinary(): Uint8Array };

/** A call about one resource: the text of its provider, and what its verbs answer. */
interface Call {
    readonly provider: unknown;
    answer(verbs: AnyVerbs): Promise<Message>;
}

/** The calls about one resource, as Pulumi's own host of dynamic resources reads and answers them. */
export const CALLS = {
    Check: (bytes: Uint8Array): Call => {
        const request = CheckRequest.deserializeBinary(bytes);
        const [olds, news] = [read(request.getOlds()), read(request.getNews())];
        return { provider: knownProvider(olds, news), answer: (verbs) => check(verbs, olds, news) };
    },
    Diff: (bytes: Uint8Array): Call => {
        const request = DiffRequest.deserializeBinary(bytes);
        const [olds, news] = [read(request.getOlds()), read(request.getNews())];
        return {
            provider: knownProvider(olds, news),
            answer: async (verbs) => difference(await verbs.diff(request.getId(), olds, news)),
        };
    },
    Create: (bytes: Uint8Array): Call => {
        const properties = read(CreateRequest.deserializeBinary(bytes).getProperties());
        return {
            provider: properties[PROVIDER],
            answer: async (verbs) => {
                const { id, outs } = await verbs.create(properties);
                return new CreateResponse().setId(id).setProperties(write(outs, properties));
            },
        };
    },
    Read: (bytes: Uint8Array): Call => {
        const request = ReadRequest.deserializeBinary(bytes);
        const properties = read(request.getProperties());
        return {
            provider: properties[PROVIDER],
            answer: (verbs) => readAgain(verbs, request.getId(), properties),
        };
    },
    Update: (bytes: Uint8Array): Call => {
        const request = UpdateRequest.deserializeBinary(bytes);
        const [olds, news] = [read(request.getOlds()), read(request.getNews())];
        return {
            provider: news[PROVIDER],
            answer: async (verbs) => {
                const { outs } = await verbs.update(request.getId(), olds, news);
                return new UpdateResponse().setProperties(write(outs, news));
            },
        };
    },
    Delete: (bytes: Uint8Array): Call => {
        const request = DeleteRequest.deserializeBinary(bytes);
        const properties = read(request.getProperties());
        return {
            provider: properties[PROVIDER],
            answer: (verbs) => verbs.delete(request.getId(), properties).then(() => new Empty()),
        };
    },
} as const;

/** In a preview, the text is unknown if the program makes it from an output. */
function knownProvider(olds: Properties, news: Properties): unknown {
    return (news[PROVIDER] === UNKNOWN ? olds : news)[PROVIDER];
}

async function check(verbs: AnyVerbs, olds: Properties, news: Properties): Promise<Message> {
    const { failures = [], inputs } = await verbs.check(olds, news);
    const list = failures.map(({ property, reason }) => new CheckFailure().setProperty(property).setReason(reason));
    return new CheckResponse().setInputs(write(inputs, news)).setFailuresList(list);
}

function difference({ changes, deleteBeforeReplace = false, replaces = [] }: Awaited<ReturnType<AnyVerbs["diff"]>>) {
    const { DIFF_NONE, DIFF_SOME } = DiffResponse.DiffChanges;
    return new DiffResponse()
        .setChanges(changes ? DIFF_SOME : DIFF_NONE)
        .setReplacesList(replaces)
        .setDeletebeforereplace(deleteBeforeReplace);
}

async function readAgain(verbs: AnyVerbs, id: string, properties: Properties): Promise<Message> {
    const found = await verbs.read(id, properties);
    const answer = new ReadResponse().setId(found.id ?? "").setProperties(write(found.props, properties));
    return found.inputs === undefined ? answer : answer.setInputs(write(found.inputs, properties));
}

function read(struct: Struct | undefined): Properties {
    return struct?.toJavaScript() ?? {};
}

/** With the text of the provider, which refresh and destroy need, and without undefined fields, which can't be sent. */
function write(values: Json, from: Properties): Struct {
    return Struct.fromJavaScript(defined({ ...values, [PROVIDER]: from[PROVIDER] }));
}
