import assert from "node:assert/strict";

import { MiniCluster } from "flux-minicluster";

import { useNamespace } from "./support/namespace";

describe("MiniCluster with services", () => {
    const namespace = useNamespace();

    it("starts the services before its ranks, and removes them when it is destroyed", async () => {
        const { image } = namespace;
        const serve = (port: number) => [
            "python3",
            "-c",
            [
                "import http.server, os, signal, sys",
                "class Handler(http.server.BaseHTTPRequestHandler):",
                "    def do_GET(self):",
                "        self.send_response(200); self.end_headers(); self.wfile.write(os.environ['WORD'].encode() + b'\\n')",
                "signal.signal(signal.SIGTERM, lambda *_: sys.exit())",
                `http.server.HTTPServer(('', ${port}), Handler).serve_forever()`,
            ].join("\n"),
        ];
        const service = (name: string, port: number) => ({
            name,
            image,
            ports: [port],
            command: serve(port),
            environment: { WORD: name },
        });
        const stack = namespace.stack("beside", async () => ({
            output: new MiniCluster("beside", {
                image,
                size: 2,
                command: ["sh", "-c", "curl --silent http://beside-services:8000 http://beside-services:8001"],
                services: [service("one", 8000), service("two", 8001)],
            }).output,
        }));
        const { outputs } = await stack.up();
        assert.deepEqual(outputs.output.trim().split("\n").sort(), ["one", "one", "two", "two"]);
        await stack.destroy();
        await namespace.assertNothingLeft();
    });
});
