// @modelcontextprotocol/sdk 1.x over Streamable HTTP without sessions: express, a server and a transport a request.
import { createMcpExpressApp } from '@modelcontextprotocol/sdk/server/express.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { newServer } from './offers-1.mjs';
import { HOST, announce, port } from './port.mjs';

const app = createMcpExpressApp();
app.post('/mcp', async (request, response) => {
    const server = newServer('interop-sdk-1-stateless');
    const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined });
    response.on('close', () => server.close());
    await server.connect(transport);
    await transport.handleRequest(request, response, request.body);
});
app.all('/mcp', (_, response) => {
    const error = { code: -32000, message: 'Method not allowed.' };
    response.status(405).json({ jsonrpc: '2.0', error, id: null });
});
const listener = app.listen(port(), HOST, () => announce(listener));
