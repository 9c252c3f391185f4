// @modelcontextprotocol/sdk 1.x over Streamable HTTP, the bare transport: one transport for the whole process, handed
// to node's own HTTP server, with no code of ours between. It serves one session; a second `initialize` is refused.
import { createServer } from 'node:http';
import { randomUUID } from 'node:crypto';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { newServer } from './offers-1.mjs';
import { HOST, announce, port } from './port.mjs';

const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: () => randomUUID() });
await newServer('interop-sdk-1-bare').connect(transport);

const listener = createServer((request, response) => transport.handleRequest(request, response));
listener.listen(port(), HOST, () => announce(listener));
