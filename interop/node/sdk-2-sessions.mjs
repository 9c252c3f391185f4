// @modelcontextprotocol/server 2.x over Streamable HTTP by its session transport, which knows the legacy era only: what
// a 1.x deployment becomes when it moves to the new package and changes nothing else.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { NodeStreamableHTTPServerTransport } from '@modelcontextprotocol/node';
import { newServer } from './offers-2.mjs';
import { HOST, announce, port } from './port.mjs';

const transports = new Map();

async function openSession() {
    const transport = new NodeStreamableHTTPServerTransport({
        sessionIdGenerator: () => randomUUID(),
        onsessioninitialized: (id) => transports.set(id, transport)
    });
    await newServer('interop-sdk-2-sessions').connect(transport);
    return transport;
}

const listener = createServer(async (request, response) => {
    const transport = transports.get(request.headers['mcp-session-id']) ?? (await openSession());
    await transport.handleRequest(request, response);
});
listener.listen(port(), HOST, () => announce(listener));
