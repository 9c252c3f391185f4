"""A client on mcp 2.x (PyPI): `mcp2_client.py MODE TARGET`, the target a URL or `-- COMMAND [ARGUMENTS…]`.

The mode is the SDK's: `auto` (its default), `legacy`, or a modern revision, which is taken without asking the server.
"""

import sys
from typing import Any

from mcp import StdioServerParameters
from mcp.client import Client
from mcp_types import ElicitResult
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from verdict import GREETING, NAME, conclude, judge, target


async def agree(context: Any, params: Any) -> ElicitResult:
    return ElicitResult(action="accept", content={"yes": True})


async def look() -> dict[str, Any]:
    mode, where = sys.argv[1], target(sys.argv[2:])
    server = where if isinstance(where, str) else StdioServerParameters(command=where[0], args=where[1:])
    async with Client(server, mode=mode, elicitation_callback=agree) as client:
        version = client.protocol_version
        return judge(
            era="modern" if version in MODERN_PROTOCOL_VERSIONS else "legacy",
            protocol_version=version,
            tools=await client.list_tools(),
            add=await client.call_tool("add", {"a": 2, "b": 3}),
            read=await client.read_resource(GREETING),
            prompt=await client.get_prompt("greet", {"name": NAME}),
            confirm=await client.call_tool("confirm", {"question": "Go on?"}),
        )


conclude(look)
