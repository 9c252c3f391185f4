"""What a client must have got from `diglot serve --demo`, and the one line that says so."""

import json
import sys
import traceback
from collections.abc import Awaitable, Callable
from typing import Any

import anyio
from pydantic import BaseModel

TOOLS = {"add", "echo", "confirm", "count", "fail"}
GREETING = "demo://greeting"
NAME = "Ada"


def target(words: list[str]) -> str | list[str]:
    """Reads `URL`, or `-- COMMAND [ARGUMENTS…]`."""
    match words:
        case ["--", _, *_]:
            return words[1:]
        case [url] if url.startswith("http"):
            return url
    raise SystemExit("the target is a URL or `-- COMMAND [ARGUMENTS…]`")


def judge(*, era: str, protocol_version: str, **results: BaseModel) -> dict[str, Any]:
    wire = {key: result.model_dump(mode="json", by_alias=True) for key, result in results.items()}
    tools = [tool["name"] for tool in wire["tools"]["tools"]]
    structured = wire["add"]["structuredContent"]
    line = {
        "era": era,
        "protocolVersion": protocol_version,
        "tools": tools,
        "sum": wire["add"]["content"][0]["text"],
        "structured": structured,
        "resource": wire["read"]["contents"][0]["text"],
        "prompt": wire["prompt"]["messages"][0]["content"]["text"],
        "confirm": wire["confirm"]["content"][0]["text"],
    }
    right = (
        TOOLS <= set(tools)
        and line["sum"] == "5"
        and structured is not None
        and structured["sum"] == 5
        and line["resource"] == "Hello from Diglot."
        and NAME in line["prompt"]
        and line["confirm"] == "confirmed"
    )
    return {"ok": right, **line}


def conclude(look: Callable[[], Awaitable[dict[str, Any]]]) -> None:
    """Prints the line, and ends with the status that goes with it."""
    try:
        line = anyio.run(look)
    except Exception:
        line = {"ok": False, "error": traceback.format_exc()}
    print(json.dumps(line, ensure_ascii=False))
    sys.exit(0 if line["ok"] else 1)
