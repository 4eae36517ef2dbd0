import { createHmac } from "node:crypto";
import { type IncomingMessage, request as http, type RequestOptions } from "node:http";
import { request as https } from "node:https";
import { limit } from "../../../scripts/tests/limits";

export interface Answer {
    readonly status: number;
    readonly ok: boolean;
    readonly body: any;
}

/** A client of the RESTful server that is written only from its documentation. */
export class RestfulClient {
    constructor(
        private readonly url: string,
        private readonly user: string,
        private readonly token: string,
        private readonly certificate?: string,
    ) {}

    logIn(): Promise<Answer> {
        const form = new URLSearchParams({ username: this.user, password: this.token });
        const headers = { "content-type": "application/x-www-form-urlencoded" };
        return this.ask("POST", "/v1/login/access-token", headers, form.toString());
    }

    get(path: string, authorization?: string): Promise<Answer> {
        return this.ask("GET", path, authorization === undefined ? {} : { authorization });
    }

    async submit(job: Record<string, string>, environment: Record<string, string> = {}): Promise<{ id: number }> {
        const headers = { authorization: await this.authorization(), "content-type": "application/json" };
        const path = `/v1/jobs/submit?${new URLSearchParams(job).toString()}`;
        const { body, ok } = await this.ask("POST", path, headers, JSON.stringify(environment));
        if (!ok) {
            throw new Error(JSON.stringify(body));
        }
        return body;
    }

    /** The output of a job, undefined as long as there is none. */
    async output(id: number): Promise<string[] | undefined> {
        const { body } = await this.get(`/v1/jobs/${id}/output`, await this.authorization());
        return body.Output;
    }

    /** Gets an access token as flux-restful's own client does: with name and password, signed with the shared key. */
    async shakeHands(secretKey: string): Promise<string> {
        const pack = (part: object) => Buffer.from(JSON.stringify(part)).toString("base64url");
        const text = `${pack({ alg: "HS256", typ: "JWT" })}.${pack({ user: this.user, pass: this.token, scope: "token" })}`;
        const signature = createHmac("sha256", secretKey).update(text).digest("base64url");
        const { body } = await this.ask("POST", "/v1/token", { authorization: `Bearer ${text}.${signature}` });
        return body.access_token;
    }

    private async authorization(): Promise<string> {
        return `Bearer ${(await this.logIn()).body.access_token}`;
    }

    private ask(method: string, path: string, headers: Record<string, string>, data = ""): Promise<Answer> {
        const length = { "content-length": String(Buffer.byteLength(data)), connection: "close" };
        const options: RequestOptions & { ca?: string } = {
            method,
            headers: { ...headers, ...length },
            ca: this.certificate,
            agent: false,
        };
        return new Promise((resolve, reject) => {
            const send = this.url.startsWith("https:") ? https : http;
            const request = send(
                `${this.url}${path}`,
                options,
                (response) => void read(response).then(resolve, reject),
            );
            request.setTimeout(limit(60) * 1000, () => request.destroy(new Error(`${method} ${path}: no answer`)));
            request.once("error", reject);
            request.end(data);
        });
    }
}

async function read(response: IncomingMessage): Promise<Answer> {
    const chunks: Buffer[] = [];
    for await (const chunk of response) {
        chunks.push(chunk as Buffer);
    }
    const text = Buffer.concat(chunks).toString();
    const status = response.statusCode ?? 0;
    return { status, ok: status < 400, body: text === "" ? undefined : JSON.parse(text) };
}
