import { readFileSync } from "node:fs";
import { request as httpRequest } from "node:http";
import { request as httpsRequest, type RequestOptions } from "node:https";

import { certificate, key } from "./folders";
import { urlHost, type Addresses } from "./site";

interface Answer {
    readonly status: number;
    readonly body: string;
}

/** Sends a request to a server as the cluster's administrator; undefined if there is no answer within 5 s. */
export function ask(url: string, method = "GET", body?: unknown): Promise<Answer | undefined> {
    const secure = url.startsWith("https:");
    const options: RequestOptions = {
        method,
        timeout: 5000,
        headers:
            body === undefined
                ? {}
                : { "Content-Type": method === "PATCH" ? "application/merge-patch+json" : "application/json" },
        ...(secure ? identity() : {}),
    };
    return new Promise((resolve) => {
        const sent = (secure ? httpsRequest : httpRequest)(url, options, (response) => {
            const chunks: Buffer[] = [];
            response.on("data", (chunk: Buffer) => chunks.push(chunk));
            response.on("end", () =>
                resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString() }),
            );
            response.on("error", () => resolve(undefined));
        });
        sent.on("timeout", () => sent.destroy());
        sent.on("error", () => resolve(undefined));
        sent.end(body === undefined ? undefined : JSON.stringify(body));
    });
}

export async function answersOk(url: string): Promise<boolean> {
    return (await ask(url))?.status === 200;
}

/** The URL of a path in the cluster's API. */
export const apiUrl = ({ controlPlane }: Addresses, path: string): string =>
    `https://${urlHost(controlPlane)}:6443${path}`;

function identity(): RequestOptions {
    return {
        cert: readFileSync(certificate("admin")),
        key: readFileSync(key("admin")),
        // Scheduler and controller manager use certificates of their own for their health page.
        rejectUnauthorized: false,
        agent: false,
    };
}
