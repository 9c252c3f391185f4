// What every server on @modelcontextprotocol/server 2.x here offers: two tools, one that asks, a resource, a prompt.
import { McpServer, acceptedContent, inputRequired } from '@modelcontextprotocol/server';
import { z } from 'zod';

const CONFIRM = z.object({ yes: z.boolean() });
const text = (value) => ({ content: [{ type: 'text', text: String(value) }] });

export function newServer(name) {
    const server = new McpServer({ name, version: '0.0.0' });
    server.registerTool(
        'add',
        {
            description: 'Adds two integers',
            inputSchema: z.object({ a: z.int(), b: z.int() }),
            outputSchema: z.object({ sum: z.int() })
        },
        ({ a, b }) => ({ ...text(a + b), structuredContent: { sum: a + b } })
    );
    server.registerTool(
        'echo',
        { description: 'Says the text again', inputSchema: z.object({ text: z.string() }) },
        (arguments_) => text(arguments_.text)
    );
    server.registerTool('ask', { description: 'Asks the user to confirm', inputSchema: z.object({}) }, (_, context) => {
        const { inputResponses } = context.mcpReq;
        if (inputResponses?.confirm === undefined) {
            const confirm = inputRequired.elicit({ message: 'Go on?', requestedSchema: CONFIRM });
            return inputRequired({ inputRequests: { confirm } });
        }
        const answer = acceptedContent(inputResponses, 'confirm', CONFIRM);
        return text(answer ? `yes = ${answer.yes}` : 'not confirmed');
    });
    server.registerResource('greeting', 'test://greeting', { mimeType: 'text/plain' }, (uri) => ({
        contents: [{ uri: uri.href, mimeType: 'text/plain', text: 'Hello.' }]
    }));
    server.registerPrompt(
        'greet',
        { description: 'Greets somebody', argsSchema: z.object({ name: z.string() }) },
        ({ name }) => ({ messages: [{ role: 'user', content: { type: 'text', text: `Say hello to ${name}.` } }] })
    );
    return server;
}
