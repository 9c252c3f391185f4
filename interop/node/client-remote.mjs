// mcp-remote between a stdio client and a server over HTTP: `client-remote.mjs MODE URL`. The client is the 1.x one, which
// knows the legacy era only, for the mode `legacy`; for `auto`, the 2.x one. What mcp-remote would keep in the user's home
// is kept in a folder that goes with the run.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as modern from '@modelcontextprotocol/client/stdio';
import * as legacy from '@modelcontextprotocol/sdk/client/stdio.js';
import { lookThrough as lookAsLegacy } from './session-1.mjs';
import { lookThrough as lookAsEither } from './session-2.mjs';
import { conclude, target } from './verdict.mjs';

const proxy = fileURLToPath(new URL('node_modules/mcp-remote/dist/proxy.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'diglot-mcp-remote-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

await conclude(() => {
    const mode = process.argv[2];
    const env = { ...legacy.getDefaultEnvironment(), MCP_REMOTE_CONFIG_DIR: folder };
    const server = { command: process.execPath, args: [proxy, target(1).url.href], env };
    if (mode === 'legacy') return lookAsLegacy(new legacy.StdioClientTransport(server));
    return lookAsEither(new modern.StdioClientTransport(server), mode);
});
