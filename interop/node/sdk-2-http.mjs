// @modelcontextprotocol/server 2.x over Streamable HTTP. As it comes, the endpoint speaks both eras (the legacy one
// without sessions); `--modern-only` has it refuse the legacy one, `--sse` has it stream every modern answer.
import { createServer } from 'node:http';
import { localhostHostValidation, localhostOriginValidation, toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { newServer } from './offers-2.mjs';
import { HOST, announce, port } from './port.mjs';

const has = (flag) => process.argv.includes(flag);
const validHost = localhostHostValidation();
const validOrigin = localhostOriginValidation();
const handle = toNodeHandler(
    createMcpHandler(() => newServer('interop-sdk-2-http'), {
        legacy: has('--modern-only') ? 'reject' : 'stateless',
        responseMode: has('--sse') ? 'sse' : 'auto'
    })
);

const listener = createServer((request, response) => {
    if (!validHost(request, response) || !validOrigin(request, response)) return;
    handle(request, response);
});
listener.listen(port(), HOST, () => announce(listener));
