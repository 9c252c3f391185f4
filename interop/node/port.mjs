// The port from `--port N` (0 lets the system choose), and the line that says where a server listens.
export const HOST = '127.0.0.1';

export function port() {
    const at = process.argv.indexOf('--port');
    return at < 0 ? 0 : Number(process.argv[at + 1]);
}

export function announce(server) {
    console.error(`listening on http://${HOST}:${server.address().port}/mcp`);
}
