"""A server on mcp 2.x (PyPI), which speaks both eras: `stdio`, or `http --port N`, with the SDK's defaults."""

import argparse
import socket
import sys
from typing import Annotated

import uvicorn
from mcp.server import MCPServer
from mcp.server.elicitation import AcceptedElicitation, ElicitationResult
from mcp.server.mcpserver import Elicit, Resolve
from pydantic import BaseModel

HOST = "127.0.0.1"


class Confirm(BaseModel):
    yes: bool


def confirmation() -> Elicit[Confirm]:
    return Elicit("Go on?", Confirm)


def new_server(name: str) -> MCPServer:
    server = MCPServer(name)

    @server.tool(description="Adds two integers")
    def add(a: int, b: int) -> int:
        return a + b

    @server.tool(description="Says the text again")
    def echo(text: str) -> str:
        return text

    @server.tool(description="Asks the user to confirm")
    def ask(answer: Annotated[ElicitationResult[Confirm], Resolve(confirmation)]) -> str:
        accepted = isinstance(answer, AcceptedElicitation)
        return f"yes = {answer.data.yes}" if accepted else f"not confirmed: {answer.action}"

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
    parser.add_argument("mode", choices=["stdio", "http"])
    parser.add_argument("--port", type=int, default=0)
    arguments = parser.parse_args()
    server = new_server(f"interop-mcp2-{arguments.mode}")
    if arguments.mode == "stdio":
        server.run()
    else:
        serve_http(server.streamable_http_app(), arguments.port)


main()
