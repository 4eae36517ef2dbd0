import type { Call } from "./calls";
import type { DynamicType } from "../shimText";
import { verbs } from "../index";
import { encode } from "./protocol";
import { Refusal } from "./serve";

/** Answers a call about a resource of this package by its verbs. */
export async function answerBy(type: DynamicType, call: Call): Promise<Buffer> {
    try {
        return encode(await call.answer(verbs(type)));
    } catch (error) {
        throw new Refusal(call.failure(error));
    }
}
