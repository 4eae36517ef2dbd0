import type { ServerResponse } from "node:http";

/** A container's log, which the fake API server serves as the kubelet does: the times of requests have whole seconds. */
export class FakeLog {
    /** The queries of all requests. */
    readonly requests: URLSearchParams[] = [];
    private readonly lines: { readonly time: string; text: string }[] = [];
    private readonly readers = new Set<{ readonly since: number; readonly response: ServerResponse }>();
    private isOver = false;

    /** Adds a line, or a part of it if the text has no line feed. */
    add(time: string, text: string): void {
        this.lines.push({ time, text });
        this.readers.forEach(({ response, since }) => this.write(response, since, this.lines.length - 1));
    }

    /** Removes the lines so far, as a kubelet that rotates the log. */
    rotate(): void {
        this.lines.length = 0;
    }

    /** Ends the container. */
    end(): void {
        this.isOver = true;
        this.readers.forEach(({ response }) => response.end());
    }

    /** Breaks all connections, after these bytes of a further line. */
    cut(part = ""): void {
        this.readers.forEach(({ response }) => response.write(part, () => response.destroy()));
        this.readers.clear();
    }

    readonly serve = ({ searchParams }: URL, response: ServerResponse): void => {
        this.requests.push(searchParams);
        response.writeHead(200, { "content-type": "text/plain" });
        response.flushHeaders();
        const since = Date.parse(searchParams.get("sinceTime") ?? "1970-01-01T00:00:00Z");
        const first = this.lines.length - Number(searchParams.get("tailLines") ?? this.lines.length);
        this.lines.forEach((_, index) => index < first || this.write(response, since, index));
        if (this.isOver || searchParams.get("follow") !== "true") {
            response.end();
            return;
        }
        const reader = { since, response };
        this.readers.add(reader);
        response.on("close", () => this.readers.delete(reader));
    };

    private write(response: ServerResponse, since: number, index: number): void {
        const { text, time } = this.lines[index];
        if (Date.parse(time) >= since) {
            const begins = index === 0 || this.lines[index - 1].text.endsWith("\n");
            response.write(begins ? `${time} ${text}` : text);
        }
    }
}
