"""A tiny MCP server over stdio, with one tool: JSON-RPC 2.0, a message a line, and nothing but Python."""

import json
import sys

HEIGHTS = {"Brest": 4.1, "Saint-Malo": 9.8}
TOOL = {
    "name": "get_tide",
    "description": "The height of the tide in a port, in metres.",
    "inputSchema": {"type": "object", "properties": {"port": {"type": "string"}}, "required": ["port"]},
}


def initialize(params: dict) -> dict:
    server = {"name": "tides", "version": "1.0.0"}
    return {"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": server}


def call_tool(params: dict) -> dict:
    port = params["arguments"]["port"]
    if port not in HEIGHTS:
        return {"content": [{"type": "text", "text": f"no tide is known for {port}"}], "isError": True}
    return {"content": [{"type": "text", "text": f"{HEIGHTS[port]} m"}]}


METHODS = {
    "initialize": initialize,
    "ping": lambda params: {},
    "tools/list": lambda params: {"tools": [TOOL]},
    "tools/call": call_tool,
}

for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message:
        continue  # a notification wants no answer
    method = METHODS.get(message["method"])
    if method is None:
        answer = {"error": {"code": -32601, "message": f"there is no method {message['method']}"}}
    else:
        answer = {"result": method(message.get("params", {}))}
    print(json.dumps({"jsonrpc": "2.0", "id": message["id"], **answer}), flush=True)
