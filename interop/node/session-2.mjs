// A session of the 2.x client, over the given transport: it says yes to every question. The mode is how the version is
// negotiated: `legacy` (the default of the SDK), `auto`, or a revision, which is a pin.
import { Client } from '@modelcontextprotocol/client';
import { ask } from './verdict.mjs';

export async function lookThrough(transport, word) {
    const mode = ['legacy', 'auto'].includes(word) ? word : { pin: word };
    const client = new Client(
        { name: 'interop-client-2', version: '0.0.0' },
        { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode } }
    );
    client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: { yes: true } }));
    await client.connect(transport);
    const [era, protocolVersion] = [client.getProtocolEra(), client.getNegotiatedProtocolVersion()];
    return { era, protocolVersion, ...(await ask(client)) };
}
