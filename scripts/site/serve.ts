import { createReadStream, existsSync, statSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { extname, join, normalize } from "node:path";
import { once } from "node:events";

const TYPES: Readonly<Record<string, string>> = {
    ".css": "text/css",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript",
    ".json": "application/json",
    ".png": "image/png",
    ".svg": "image/svg+xml",
};

/** Serves a folder on this machine, as a web server without settings does. Port 0 is any free one. */
export async function serve(
    folder: string,
    port: number,
): Promise<{ readonly server: Server; readonly address: string }> {
    const server = createServer(({ url = "/" }, response) => {
        const path = normalize(decodeURIComponent(new URL(url, "http://localhost").pathname));
        const file = join(folder, path.endsWith("/") ? `${path}index.html` : path);
        if (!file.startsWith(folder) || !existsSync(file) || !statSync(file).isFile()) {
            response.writeHead(404).end("There is no such page.");
            return;
        }
        response.writeHead(200, { "Content-Type": TYPES[extname(file)] ?? "application/octet-stream" });
        createReadStream(file).pipe(response);
    });
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
    const address = server.address() as { port: number };
    return { server, address: `http://127.0.0.1:${address.port}` };
}
