"""All rules in one literal tuple.

Law: a list, in the order in which a reader would want to learn them: what one request must be, from its headers to its
last block, then what a correct loop does from request to request.
"""

from __future__ import annotations

from playhead.rules import (
    api_version,
    caching,
    content,
    context,
    effort,
    execution,
    field_ranges,
    field_types,
    headers,
    history,
    history_shape,
    known_keys,
    media,
    message_shape,
    pairing,
    pairing_shape,
    request_fields,
    server_blocks,
    server_tool_options,
    server_tools,
    strict_schemas,
    thinking_binding,
    thinking_blocks,
    thinking_config,
    thinking_replay,
    tool_choice,
    tool_definitions,
    tool_options,
)
from playhead.rules.rule import Rule

RULES: tuple[Rule, ...] = (
    *headers.RULES,
    *request_fields.RULES,
    *field_types.RULES,
    *field_ranges.RULES,
    *known_keys.RULES,
    *api_version.RULES,
    *message_shape.RULES,
    *content.RULES,
    *media.RULES,
    *caching.RULES,
    *pairing.RULES,
    *pairing_shape.RULES,
    *tool_choice.RULES,
    *tool_definitions.RULES,
    *tool_options.RULES,
    *strict_schemas.RULES,
    *server_tools.RULES,
    *server_blocks.RULES,
    *server_tool_options.RULES,
    *thinking_config.RULES,
    *effort.RULES,
    *thinking_blocks.RULES,
    *thinking_replay.RULES,
    *thinking_binding.RULES,
    *context.RULES,
    *history_shape.RULES,
    *history.RULES,
    *execution.RULES,
)

IDS: frozenset[str] = frozenset(rule.id for rule in RULES)
