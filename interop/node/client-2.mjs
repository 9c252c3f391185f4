// A client on @modelcontextprotocol/client 2.x: `client-2.mjs MODE TARGET`, the target a URL or `-- COMMAND [ARGUMENTS…]`.
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { lookThrough } from './session-2.mjs';
import { conclude, target } from './verdict.mjs';

await conclude(() => {
    const { url, ...command } = target(1);
    const transport = url ? new StreamableHTTPClientTransport(url) : new StdioClientTransport(command);
    return lookThrough(transport, process.argv[2]);
});
