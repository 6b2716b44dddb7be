"""Messages of model APIs as people read them."""

from __future__ import annotations

from eunoe.cli import messages_view


def test_openai_messages_say_who_and_what() -> None:
    """Roles, calls with their tools, results by their calls; escapes become what they stand for."""
    text = "\n".join(
        [
            '{"role":"user","content":"Run\\nthe tests."}',
            '{"role":"assistant","content":"Yes.","tool_calls":[{"id":"call_3","type":"function",'
            '"function":{"name":"bash","arguments":"{\\"command\\": \\"make\\"}"}}]}',
            '{"role":"tool","tool_call_id":"call_3","content":"ok"}',
        ]
    )

    assert list(messages_view.of_layer(text, "openai")) == [
        ("user", "Run\nthe tests."),
        ("assistant", "Yes."),
        ("assistant calls bash (call_3)", '{"command": "make"}'),
        ("result of call_3", "ok"),
    ]


def test_instructions_in_a_list_are_read_too() -> None:
    """The layer of the instructions is a list of messages on one line."""
    assert list(messages_view.of_layer('[{"role":"system","content":"Be brief."}]', "openai")) == [
        ("system", "Be brief.")
    ]


def test_anthropic_blocks_say_what_they_are() -> None:
    """Text, calls and results; the instructions stand apart, after an empty list of messages."""
    text = "\n".join(
        [
            '{"type":"text","text":"Yes."}',
            '{"type":"tool_use","id":"call_3","name":"bash","input":{"command":"make"}}',
            '{"type":"tool_result","tool_use_id":"call_3","content":"ok"}',
        ]
    )

    assert list(messages_view.of_layer(text, "anthropic")) == [
        ("", "Yes."),
        ("calls bash (call_3)", '{"command":"make"}'),
        ("result of call_3", "ok"),
    ]
    assert list(messages_view.of_layer("[]Be brief.", "anthropic")) == [("system", "Be brief.")]


def test_blocks_of_a_layer_name_who_says_them() -> None:
    """A block names no role by itself: it is the one that the message has which holds the block, in order."""
    messages = [
        {"role": "user", "content": [{"type": "text", "text": "Go."}]},
        {"role": "assistant", "content": [{"type": "text", "text": "Go."}]},
    ]
    said_by = messages_view.speakers(messages)
    block = '{"type":"text","text":"Go."}'

    assert list(messages_view.of_layer(block, "anthropic", said_by)) == [("user", "Go.")]
    assert list(messages_view.of_layer(block, "anthropic", said_by)) == [("assistant", "Go.")]


def test_an_anthropic_message_names_its_role_with_every_block() -> None:
    """Blocks within a message carry who says them."""
    message = {"role": "assistant", "content": [{"type": "text", "text": "Yes."}]}

    assert list(messages_view.of(message)) == [("assistant", "Yes.")]


def test_plain_text_is_read_back_from_its_quotes() -> None:
    """Pieces of the text format are insides of JSON strings; the instructions come with their quotes."""
    assert list(messages_view.of_layer("<a>\\nx\n<b>", "text")) == [("", "<a>\nx"), ("", "<b>")]
    assert list(messages_view.of_layer('"<a>\\nx"', "text")) == [("", "<a>\nx")]


def test_what_is_no_message_is_shown_as_it_is() -> None:
    """Lines that are no JSON, and values of no known shape, stay readable."""
    assert list(messages_view.of_layer("half {", "openai")) == [("", "half {")]
    assert list(messages_view.of({"odd": 1})) == [("", '{"odd":1}')]


def test_items_of_the_responses_api_are_read_as_messages_are() -> None:
    """A message, a call and its output, each an item on a line; the instructions come apart."""
    lines = (
        '{"type":"message","role":"user","content":"Go."}',
        '{"type":"function_call","call_id":"call_3","name":"ls","arguments":"{}"}',
        '{"type":"function_call_output","call_id":"call_3","output":"a.txt"}',
    )

    assert list(messages_view.of_layer("\n".join(lines), "responses")) == [
        ("user", "Go."),
        ("assistant calls ls (call_3)", "{}"),
        ("result of call_3", "a.txt"),
    ]
    assert list(messages_view.of_layer("[]Be brief.", "responses")) == [("system", "Be brief.")]


def test_markdown_is_read_back_from_its_quotes() -> None:
    """A part on each line, as in the text format."""
    assert list(messages_view.of_layer("## User\\n\\n> Hi\n## Assistant\\n\\n> Yes", "markdown")) == [
        ("", "## User\n\n> Hi"),
        ("", "## Assistant\n\n> Yes"),
    ]


def test_what_ends_a_line_elsewhere_breaks_no_piece() -> None:
    """JSON leaves a line separator as it is, so only a line feed parts two pieces."""
    assert list(messages_view.of_layer('{"role":"user","content":"a\u2028b"}', "openai")) == [("user", "a\u2028b")]
