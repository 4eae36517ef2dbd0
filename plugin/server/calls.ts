import type { Json } from "../../provider/contract/object";
import type { Verbs } from "../../provider/host/verbs";
import { type Failure, failureOf } from "./grpcFailure";
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
    UpdateRequest,
    UpdateResponse,
} from "./grpcNode";
import { type Received, read } from "./properties";
import type { Message, ResourceMethod } from "./protocol";

type AnyVerbs = Verbs<Json, Json>;

/** A call about one resource. */
export interface Call {
    readonly urn: string;
    answer(verbs: AnyVerbs): Promise<Message>;
    failure(error: unknown): Failure;
}

/** The calls about one resource. Requests and answers are those of Pulumi's own host of dynamic resources. */
export const CALLS: Readonly<Record<ResourceMethod, (bytes: Uint8Array) => Call>> = {
    Check: (bytes) => {
        const request = CheckRequest.deserializeBinary(bytes);
        const [olds, news] = [read(request.getOlds()), read(request.getNews())];
        return callAbout(request, news, (verbs) => check(verbs, olds, news));
    },
    Diff: (bytes) => {
        const request = DiffRequest.deserializeBinary(bytes);
        const [olds, news] = [read(request.getOlds()), read(request.getNews())];
        const answer = async (verbs: AnyVerbs) =>
            difference(await verbs.diff(request.getId(), olds.values, news.values));
        return callAbout(request, news, answer);
    },
    Create: (bytes) => {
        const request = CreateRequest.deserializeBinary(bytes);
        const inputs = read(request.getProperties());
        return callAbout(request, inputs, async (verbs) => {
            const { id, outs } = await verbs.create(inputs.values);
            return new CreateResponse().setId(id).setProperties(inputs.reply(outs));
        });
    },
    Read: (bytes) => {
        const request = ReadRequest.deserializeBinary(bytes);
        const properties = read(request.getProperties());
        return callAbout(request, properties, (verbs) => readAgain(verbs, request.getId(), properties));
    },
    Update: (bytes) => {
        const request = UpdateRequest.deserializeBinary(bytes);
        const [olds, news] = [read(request.getOlds()), read(request.getNews())];
        return callAbout(request, news, async (verbs) => {
            const { outs } = await verbs.update(request.getId(), olds.values, news.values);
            return new UpdateResponse().setProperties(news.reply(outs));
        });
    },
    Delete: (bytes) => {
        const request = DeleteRequest.deserializeBinary(bytes);
        const properties = read(request.getProperties());
        return callAbout(request, properties, (verbs) =>
            verbs.delete(request.getId(), properties.values).then(() => new Empty()),
        );
    },
};

function callAbout(request: { getUrn(): string }, { reply }: Received, answer: Call["answer"]): Call {
    return { urn: request.getUrn(), answer, failure: (error) => failureOf(error, reply) };
}

async function check(verbs: AnyVerbs, olds: Received, news: Received): Promise<Message> {
    const { failures = [], inputs } = await verbs.check(olds.values, news.values);
    const list = failures.map(({ property, reason }) => new CheckFailure().setProperty(property).setReason(reason));
    return new CheckResponse().setInputs(news.reply(inputs)).setFailuresList(list);
}

function difference({ changes, deleteBeforeReplace = false, replaces = [] }: Awaited<ReturnType<AnyVerbs["diff"]>>) {
    const { DIFF_NONE, DIFF_SOME } = DiffResponse.DiffChanges;
    return new DiffResponse()
        .setChanges(changes ? DIFF_SOME : DIFF_NONE)
        .setReplacesList(replaces)
        .setDeletebeforereplace(deleteBeforeReplace);
}

async function readAgain(verbs: AnyVerbs, id: string, { reply, values }: Received): Promise<Message> {
    const found = await verbs.read(id, values);
    const answer = new ReadResponse().setId(found.id ?? "").setProperties(reply(found.props ?? {}));
    return found.inputs === undefined ? answer : answer.setInputs(reply(found.inputs));
}
