// mcp-remote between a stdio client on @modelcontextprotocol/sdk 1.x and a server over HTTP: `client-remote.mjs URL`.
// What it would keep in the user's home is kept in a folder that goes with the run.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { StdioClientTransport, getDefaultEnvironment } from '@modelcontextprotocol/sdk/client/stdio.js';
import { lookThrough } from './session-1.mjs';
import { conclude, target } from './verdict.mjs';

const proxy = fileURLToPath(new URL('node_modules/mcp-remote/dist/proxy.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'diglot-mcp-remote-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

await conclude(() => {
    const env = { ...getDefaultEnvironment(), MCP_REMOTE_CONFIG_DIR: folder };
    return lookThrough(new StdioClientTransport({ command: process.execPath, args: [proxy, target().url.href], env }));
});
