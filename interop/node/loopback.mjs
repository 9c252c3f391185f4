// A preload for servers that would listen on every interface: `node --import ./loopback.mjs SERVER`.
import { Server } from 'node:net';

const listen = Server.prototype.listen;

Server.prototype.listen = function (first, ...rest) {
    const names = (value) => typeof value === 'string';
    const port = /^\d+$/.test(String(first)) ? Number(first) : undefined;
    return port === undefined || names(rest[0]) ? listen.call(this, first, ...rest) : listen.call(this, port, '127.0.0.1', ...rest);
};
