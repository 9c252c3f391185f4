// A session of the 1.x client, over the given transport: it says yes to every question.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { ask } from './verdict.mjs';

export async function lookThrough(transport) {
    const client = new Client({ name: 'interop-client-1', version: '0.0.0' }, { capabilities: { elicitation: { form: {} } } });
    client.setRequestHandler(ElicitRequestSchema, () => ({ action: 'accept', content: { yes: true } }));
    const protocolVersion = negotiated(transport);
    await client.connect(transport);
    return { era: 'legacy', protocolVersion: await protocolVersion, ...(await ask(client)) };
}

// The client tells the revision to its transport only, and to one over stdio only if it asks.
function negotiated(transport) {
    const own = transport.setProtocolVersion?.bind(transport);
    return new Promise((resolve) => {
        transport.setProtocolVersion = (version) => {
            own?.(version);
            resolve(version);
        };
    });
}
