"""A client on mcp 1.x (PyPI): `mcp1_client.py URL`, or `mcp1_client.py -- COMMAND [ARGUMENTS…]`."""

import sys
from typing import Any

from mcp import ClientSession, StdioServerParameters, types
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client
from pydantic import AnyUrl

from verdict import GREETING, NAME, conclude, judge, target


async def agree(context: Any, params: types.ElicitRequestParams) -> types.ElicitResult:
    return types.ElicitResult(action="accept", content={"yes": True})


def connect(where: str | list[str]) -> Any:
    if isinstance(where, str):
        return streamable_http_client(where)
    return stdio_client(StdioServerParameters(command=where[0], args=where[1:]))


async def look() -> dict[str, Any]:
    async with connect(target(sys.argv[1:])) as (reading, writing, *_):
        async with ClientSession(reading, writing, elicitation_callback=agree) as client:
            opened = await client.initialize()
            return judge(
                era="legacy",
                protocol_version=str(opened.protocolVersion),
                tools=await client.list_tools(),
                add=await client.call_tool("add", {"a": 2, "b": 3}),
                read=await client.read_resource(AnyUrl(GREETING)),
                prompt=await client.get_prompt("greet", {"name": NAME}),
                confirm=await client.call_tool("confirm", {"question": "Go on?"}),
            )


conclude(look)
