"""A server of the Model Context Protocol (modelcontextprotocol.io), so that a language model can be a client of the robot.

Of the protocol's streamable HTTP transport it has what a server without sessions needs: each POST holds one JSON-RPC message, and the
answer is JSON. The official SDK would bring some twenty packages for these few methods (docs/console.md).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

import sayso
from sayso.errors import SaysoError
from sayso.web.app import Console
from sayso.web.bodies import body_of
from sayso.web.mcp_tools import MODES, Mode, RobotTools
from sayso.web.requests import Requests

VERSIONS = ("2025-11-25", "2025-06-18", "2025-03-26")  # newest first
ASSUMED = "2025-03-26"  # of a request without the header, says the protocol
INVALID, NO_METHOD, WRONG_PARAMETERS, NO_RESOURCE, NO_VERSION = -32600, -32601, -32602, -32002, -32022
INSTRUCTIONS = (
    "A robot that understands sentences with calibrated doubt. You are one of its speakers: `say` hands over a sentence, and the "
    "robot decides whether it acts, asks or refuses. Its questions are for the person you talk to: never answer them yourself. "
    "`stop` works always."
)
RESOURCES = {
    "sayso://home": ("home", "Names of rooms, places, things and people, and sentences that the robot understands."),
    "sayso://state": ("state", "What the robot does, its open question, and the last sentences."),
}


class RpcError(Exception):
    """A JSON-RPC error."""

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(message)
        self.code, self.data = code, data


def routes(shown: Console, mode: Mode, token: str) -> list[Route]:
    """The route /mcp; none if it is off.

    Args:
        shown: what the tools tell of and whom they command.
        mode: "" (off), "read" or "command".
        token: of the server, whose guard asks for it.

    Raises:
        SaysoError: the mode is unknown, or everybody on this computer would be let in.
    """
    if mode not in MODES:
        raise SaysoError(f"mcp: {mode!r} is none of {', '.join(map(repr, MODES))}")
    if not mode:
        return []
    if not token:
        raise SaysoError("a language model is let in by a token only: set SAYSO_CONSOLE_TOKEN, or add `--token new`")
    tools = RobotTools(shown.board, Requests(shown.robot, read_only=shown.read_only or mode == "read"), "read" if shown.read_only else mode)

    async def serve(request: Request) -> Response:
        body = await body_of(request)
        message: Any = None
        try:
            message = _parsed(body)
            version = request.headers.get("mcp-protocol-version", ASSUMED)
            if version not in VERSIONS and message.get("method") != "initialize":
                raise RpcError(NO_VERSION, "Unsupported protocol version", {"supported": list(VERSIONS), "requested": version[:40]})
            if "id" not in message:  # a notification, or an answer to a question that we never ask
                return Response(status_code=202)
            result = await _answered(message, tools)
        except RpcError as error:
            told = {"code": error.code, "message": str(error), **({"data": error.data} if error.data is not None else {})}
            status = 200 if error.code in (NO_METHOD, WRONG_PARAMETERS, NO_RESOURCE) else 400
            return JSONResponse({"jsonrpc": "2.0", "id": _id(message), "error": told}, status)
        return JSONResponse({"jsonrpc": "2.0", "id": _id(message), "result": result})

    return [Route("/mcp", serve, methods=["POST"])]


async def _answered(message: Mapping[str, Any], tools: RobotTools) -> dict[str, Any]:
    parameters = message.get("params") or {}
    if not isinstance(parameters, dict):
        raise RpcError(WRONG_PARAMETERS, "params is an object")
    match message["method"]:
        case "initialize":
            wanted = parameters.get("protocolVersion")
            return {
                "protocolVersion": wanted if wanted in VERSIONS else VERSIONS[0],
                "capabilities": {"tools": {}, "resources": {}},
                "serverInfo": {"name": "sayso", "version": sayso.__version__},
                "instructions": INSTRUCTIONS,
            }
        case "ping":
            return {}
        case "tools/list":
            return {"tools": [tool.listed() for tool in tools.tools.values()]}
        case "tools/call":
            return await _called(parameters, tools)
        case "resources/list":
            return {
                "resources": [
                    {"uri": uri, "name": name, "description": text, "mimeType": "application/json"}
                    for uri, (name, text) in RESOURCES.items()
                ]
            }
        case "resources/templates/list":
            return {"resourceTemplates": []}
        case "resources/read":
            return _resource(parameters.get("uri"), tools)
        case other:
            raise RpcError(NO_METHOD, f"Method not found: {other[:60]}")


async def _called(parameters: Mapping[str, Any], tools: RobotTools) -> dict[str, Any]:
    name, given = parameters.get("name"), parameters.get("arguments") or {}
    if not isinstance(name, str) or not isinstance(given, dict):
        raise RpcError(WRONG_PARAMETERS, "name is a text and arguments an object")
    try:
        return {"content": await tools.call(name, given), "isError": False}
    except SaysoError as error:  # for the model to read
        return {"content": [{"type": "text", "text": str(error)}], "isError": True}


def _resource(uri: Any, tools: RobotTools) -> dict[str, Any]:
    if not isinstance(uri, str) or uri not in RESOURCES:
        raise RpcError(NO_RESOURCE, "Resource not found", {"uri": str(uri)[:100]})
    value = tools.home() if uri == "sayso://home" else tools.happening()
    return {"contents": [{"uri": uri, "mimeType": "application/json", "text": json.dumps(value, ensure_ascii=False)}]}


def _parsed(body: bytes) -> dict[str, Any]:
    try:
        message = json.loads(body)
    except (ValueError, RecursionError):
        raise RpcError(-32700, "Parse error") from None
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
        raise RpcError(INVALID, "a request is one JSON-RPC 2.0 object")
    if not isinstance(message.get("method"), str) and not ("result" in message or "error" in message):
        raise RpcError(INVALID, "a request has a method")
    if "id" in message and not ("method" in message and isinstance(message["id"], str | int)):
        message.pop("id")
    return message


def _id(message: Any) -> str | int | None:
    found = message.get("id") if isinstance(message, dict) else None
    return found if isinstance(found, str | int) else None
