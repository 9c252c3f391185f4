// A client on @modelcontextprotocol/client 2.x: `client-2.mjs MODE TARGET`, the target a URL or `-- COMMAND [ARGUMENTS…]`.
// The mode is how the version is negotiated: `legacy` (the default of the SDK), `auto`, or a revision, which is a pin.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { ask, conclude, target } from './verdict.mjs';

await conclude(async () => {
    const word = process.argv[2];
    const mode = ['legacy', 'auto'].includes(word) ? word : { pin: word };
    const client = new Client(
        { name: 'interop-client-2', version: '0.0.0' },
        { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode } }
    );
    client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: { yes: true } }));
    const { url, ...command } = target(1);
    await client.connect(url ? new StreamableHTTPClientTransport(url) : new StdioClientTransport(command));
    const [era, protocolVersion] = [client.getProtocolEra(), client.getNegotiatedProtocolVersion()];
    return { era, protocolVersion, ...(await ask(client)) };
});
