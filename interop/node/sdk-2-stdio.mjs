// @modelcontextprotocol/server 2.x over stdio, both eras: the first message decides.
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { newServer } from './offers-2.mjs';

serveStdio(() => newServer('interop-sdk-2-stdio'));
