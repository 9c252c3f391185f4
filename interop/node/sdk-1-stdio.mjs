// @modelcontextprotocol/sdk 1.x over stdio.
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { newServer } from './offers-1.mjs';

await newServer('interop-sdk-1-stdio').connect(new StdioServerTransport());
