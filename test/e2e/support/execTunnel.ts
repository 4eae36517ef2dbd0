import type { ClientRequest, IncomingMessage } from "node:http";
import { type Duplex, Transform } from "node:stream";

/** The channel on which Kubernetes sends a command's status. Source: k8s.io/kubelet/pkg/cri/streaming/remotecommand. */
const STATUS_CHANNEL = 3;

/** Sends a request for a WebSocket, and passes the server's response to the client. Returns the server's socket. */
export function switched(request: ClientRequest, client: Duplex): Promise<Duplex> {
    return new Promise((resolve, reject) => {
        request.on("upgrade", (response, socket, head) => {
            client.write(headOf(response));
            socket.unshift(head);
            resolve(socket);
        });
        request.on("response", (response) => {
            client.write(headOf(response));
            response.pipe(client);
        });
        request.on("error", reject).end();
    });
}

function headOf({ rawHeaders, statusCode, statusMessage }: IncomingMessage): string {
    const headers = rawHeaders.flatMap((text, index) => (index % 2 === 0 ? [`${text}: ${rawHeaders[index + 1]}`] : []));
    return [`HTTP/1.1 ${statusCode} ${statusMessage}`, ...headers, "", ""].join("\r\n");
}

/** Passes on a command's output, and its status only after `passes` has resolved to true. */
export function heldUntilStatus(passes: () => Promise<boolean>): Transform {
    let rest = Buffer.alloc(0);
    return new Transform({
        transform(chunk: Buffer, _encoding, done) {
            rest = Buffer.concat([rest, chunk]);
            const { complete, status } = readFrames(rest);
            const ready = rest.subarray(0, complete);
            rest = rest.subarray(complete);
            if (!status) {
                return done(null, ready);
            }
            passes().then((goesOn) => done(null, goesOn ? ready : undefined), done);
        },
    });
}

/** The number of bytes in complete WebSocket frames from a server, and whether one of them has the status. */
function readFrames(bytes: Buffer): { complete: number; status: boolean } {
    let [at, status] = [0, false];
    while (at + 2 <= bytes.length) {
        const short = bytes[at + 1];
        const wide = short === 126 ? 2 : short === 127 ? 8 : 0;
        if (at + 2 + wide > bytes.length) {
            break;
        }
        // The last six of the eight bytes are enough for the length of every frame.
        const length = wide === 0 ? short : bytes.readUIntBE(at + 2 + Math.max(0, wide - 6), Math.min(wide, 6));
        const end = at + 2 + wide + length;
        if (end > bytes.length) {
            break;
        }
        const isData = [0, 1, 2].includes(bytes[at] & 0x0f);
        status ||= isData && length > 1 && bytes[at + 2 + wide] === STATUS_CHANNEL;
        at = end;
    }
    return { complete: at, status };
}
