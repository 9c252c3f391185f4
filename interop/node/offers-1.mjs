// What every server on @modelcontextprotocol/sdk 1.x here offers: two tools, one that asks, a resource, a prompt.
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { z } from 'zod';

const CONFIRM = { type: 'object', properties: { yes: { type: 'boolean' } }, required: ['yes'] };
const text = (value) => ({ content: [{ type: 'text', text: String(value) }] });

export function newServer(name) {
    const server = new McpServer({ name, version: '0.0.0' });
    server.registerTool(
        'add',
        { description: 'Adds two integers', inputSchema: { a: z.int(), b: z.int() }, outputSchema: { sum: z.int() } },
        ({ a, b }) => ({ ...text(a + b), structuredContent: { sum: a + b } })
    );
    server.registerTool('echo', { description: 'Says the text again', inputSchema: { text: z.string() } }, (arguments_) =>
        text(arguments_.text)
    );
    server.registerTool('ask', { description: 'Asks the user to confirm' }, async (extra) => {
        const params = { mode: 'form', message: 'Go on?', requestedSchema: CONFIRM };
        const answer = await server.server.elicitInput(params, { relatedRequestId: extra.requestId });
        return text(answer.action === 'accept' ? `yes = ${answer.content?.yes}` : `not confirmed: ${answer.action}`);
    });
    server.registerResource('greeting', 'test://greeting', { mimeType: 'text/plain' }, (uri) => ({
        contents: [{ uri: uri.href, mimeType: 'text/plain', text: 'Hello.' }]
    }));
    server.registerPrompt('greet', { description: 'Greets somebody', argsSchema: { name: z.string() } }, ({ name }) => ({
        messages: [{ role: 'user', content: { type: 'text', text: `Say hello to ${name}.` } }]
    }));
    return server;
}
