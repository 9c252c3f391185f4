// What a client must have got from `diglot serve --demo`, and the one line that says so; also where it finds the server.
const TOOLS = ['add', 'echo', 'confirm', 'count', 'fail'];

export const GREETING = 'demo://greeting';
export const NAME = 'Ada';

// `URL`, or `-- COMMAND [ARGUMENTS…]`, from the words behind `skip` others.
export function target(skip = 0) {
    const [first, ...rest] = process.argv.slice(2 + skip);
    if (first === '--' && rest.length > 0) return { command: rest[0], args: rest.slice(1) };
    if (first?.startsWith('http') && rest.length === 0) return { url: new URL(first) };
    throw new Error('the target is a URL or `-- COMMAND [ARGUMENTS…]`');
}

// Runs the five requests of every client here on one that is connected, and closes it.
export async function ask(client) {
    const { tools } = await client.listTools();
    const add = await client.callTool({ name: 'add', arguments: { a: 2, b: 3 } });
    const read = await client.readResource({ uri: GREETING });
    const prompt = await client.getPrompt({ name: 'greet', arguments: { name: NAME } });
    const confirm = await client.callTool({ name: 'confirm', arguments: { question: 'Go on?' } });
    await client.close();
    return { tools, add, read, prompt, confirm };
}

// What `look` saw becomes the line and the status; `asked` says how far the client goes.
export async function conclude(look, asked = ['read', 'prompt', 'confirm']) {
    let line;
    try {
        line = judge(await look(), asked);
    } catch (error) {
        line = { ok: false, error: chain(error) };
    }
    // A client that failed may hold a child or a stream open: it ends all the same.
    process.stdout.write(`${JSON.stringify(line)}\n`, () => process.exit(line.ok ? 0 : 1));
}

function judge({ era, protocolVersion, tools, add, read, prompt, confirm }, asked) {
    const names = tools.map((tool) => tool.name);
    const structured = add.structuredContent;
    const line = { era, protocolVersion, tools: names, sum: add.content[0]?.text, structured };
    const right = [TOOLS.every((name) => names.includes(name)), line.sum === '5', structured?.sum === 5];
    if (asked.includes('read')) {
        line.resource = read.contents[0]?.text;
        right.push(line.resource === 'Hello from Diglot.');
    }
    if (asked.includes('prompt')) {
        line.prompt = prompt.messages[0]?.content.text;
        right.push(line.prompt?.includes(NAME));
    }
    if (asked.includes('confirm')) {
        line.confirm = confirm.content[0]?.text;
        right.push(line.confirm === 'confirmed');
    }
    return { ok: right.every(Boolean), ...line };
}

function chain(error) {
    const own = error?.stack ?? String(error);
    return error?.cause ? `${own}\ncaused by ${chain(error.cause)}` : own;
}
