// A client on @modelcontextprotocol/sdk 1.x: `client-1.mjs URL`, or `client-1.mjs -- COMMAND [ARGUMENTS…]`.
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { lookThrough } from './session-1.mjs';
import { conclude, target } from './verdict.mjs';

await conclude(() => {
    const { url, ...command } = target();
    return lookThrough(url ? new StreamableHTTPClientTransport(url) : new StdioClientTransport(command));
});
