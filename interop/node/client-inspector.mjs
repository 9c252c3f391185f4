// The MCP Inspector's command line, which lists and calls: `client-inspector.mjs ERA TARGET`, ERA `legacy` or `modern`.
// It never says which revision it found; it is held to the era, so it fails where that is not to be had. What it would
// keep in the user's home is kept in a folder that goes with the run.
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { conclude, target } from './verdict.mjs';

const script = 'inspector/node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js';
const inspector = fileURLToPath(new URL(script, import.meta.url));
const home = mkdtempSync(join(tmpdir(), 'diglot-inspector-'));
const era = process.argv[2];
process.on('exit', () => rmSync(home, { recursive: true, force: true }));

async function run(...words) {
    const { url, command, args } = target(1);
    const options = ['--cli', '--format', 'json', '--quiet', '--protocol-era', era, ...words];
    const where = url ? ['--server-url', url.href, '--transport', 'http'] : ['--', command, ...args];
    const env = { ...process.env, HOME: home };
    const { stdout } = await promisify(execFile)(process.execPath, [inspector, ...options, ...where], { env });
    return JSON.parse(stdout).result;
}

await conclude(async () => {
    const { tools } = await run('--method', 'tools/list');
    const add = await run('--method', 'tools/call', '--tool-name', 'add', '--tool-arg', 'a=2', 'b=3');
    return { era, tools, add };
}, []);
