// @modelcontextprotocol/sdk 1.x over Streamable HTTP with sessions: express, one server and one transport a session.
// A request without a session that is not `initialize` is refused by this file, in the way of the SDK's examples.
import { randomUUID } from 'node:crypto';
import { createMcpExpressApp } from '@modelcontextprotocol/sdk/server/express.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { isInitializeRequest } from '@modelcontextprotocol/sdk/types.js';
import { newServer } from './offers-1.mjs';
import { HOST, announce, port } from './port.mjs';

const transports = new Map();

async function openSession() {
    const transport = new StreamableHTTPServerTransport({
        sessionIdGenerator: () => randomUUID(),
        onsessioninitialized: (id) => transports.set(id, transport)
    });
    transport.onclose = () => transports.delete(transport.sessionId);
    await newServer('interop-sdk-1-stateful').connect(transport);
    return transport;
}

const app = createMcpExpressApp();
app.all('/mcp', async (request, response) => {
    const known = transports.get(request.headers['mcp-session-id']);
    if (known) return known.handleRequest(request, response, request.body);
    if (!isInitializeRequest(request.body)) {
        const error = { code: -32000, message: 'Bad Request: No valid session ID provided' };
        return response.status(400).json({ jsonrpc: '2.0', error, id: null });
    }
    return (await openSession()).handleRequest(request, response, request.body);
});
const listener = app.listen(port(), HOST, () => announce(listener));
