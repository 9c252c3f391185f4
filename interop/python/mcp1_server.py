"""A server on mcp 1.x (PyPI).

`stdio`, or one of four Streamable HTTP configurations with `--port N`: with or without sessions, answers as SSE or as
JSON: `stateful-sse`, `stateful-json`, `stateless-sse`, `stateless-json`.
"""

import argparse
import socket
import sys

import uvicorn
from mcp.server.fastmcp import Context, FastMCP
from pydantic import BaseModel

HOST = "127.0.0.1"


class Confirm(BaseModel):
    yes: bool


def new_server(name: str, **settings: bool) -> FastMCP:
    server = FastMCP(name, **settings)

    @server.tool(description="Adds two integers")
    def add(a: int, b: int) -> int:
        return a + b

    @server.tool(description="Says the text again")
    def echo(text: str) -> str:
        return text

    @server.tool(description="Asks the user to confirm")
    async def ask(context: Context) -> str:
        answer = await context.elicit("Go on?", Confirm)
        return f"yes = {answer.data.yes}" if answer.action == "accept" else f"not confirmed: {answer.action}"

    @server.resource("test://greeting")
    def greeting() -> str:
        return "Hello."

    @server.prompt(description="Greets somebody")
    def greet(name: str) -> str:
        return f"Say hello to {name}."

    return server


def serve_http(app, port: int) -> None:
    with socket.create_server((HOST, port)) as listener:
        print(f"listening on http://{HOST}:{listener.getsockname()[1]}/mcp", file=sys.stderr, flush=True)
        uvicorn.Server(uvicorn.Config(app, log_level="warning")).run(sockets=[listener])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    sessions, answers = ("stateful", "stateless"), ("sse", "json")
    modes = ["stdio", *(f"{s}-{a}" for s in sessions for a in answers)]
    parser.add_argument("mode", choices=modes)
    parser.add_argument("--port", type=int, default=0)
    arguments = parser.parse_args()
    mode: str = arguments.mode
    if mode == "stdio":
        new_server("interop-mcp1-stdio").run()
        return
    stateless, json = mode.startswith("stateless"), mode.endswith("json")
    server = new_server(f"interop-mcp1-{mode}", stateless_http=stateless, json_response=json)
    serve_http(server.streamable_http_app(), arguments.port)


main()
