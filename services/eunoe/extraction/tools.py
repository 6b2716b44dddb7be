"""Names of tools, in lower case, by what they do, in the fleets that are widely used; a fleet adds its own."""

from __future__ import annotations

SHELL = frozenset(
    {
        "bash",
        "shell",
        "sh",
        "zsh",
        "terminal",
        "run",
        "run_command",
        "run_shell_command",
        "run_terminal_cmd",
        "run_in_terminal",
        "execute",
        "execute_bash",
        "execute_command",
        "exec",
        "exec_command",
        "local_shell",
        "local_shell_call",
        "container.exec",
        "cmd_run",
        "powershell",
    }
)
READ = frozenset({"read", "read_file", "readfile", "open", "open_file", "view", "view_file", "cat", "goto", "get_file"})
WRITE = frozenset({"write", "write_file", "write_to_file", "create", "create_file", "writefile"})
EDIT = frozenset(
    {
        "edit",
        "edit_file",
        "multiedit",
        "str_replace",
        "replace_in_file",
        "insert",
        "insert_edit_into_file",
        "notebookedit",
        "search_replace",
        "replace",
    }
)
EDITOR = frozenset({"str_replace_editor", "str_replace_based_edit_tool", "file_editor"})
PATCH = frozenset({"apply_patch", "applypatch"})

_OWN = frozenset(
    {
        "memory",
        "add_memory",
        "read_memory",
        "delete_memory",
        "search_memory",
        "search_history",
        "retain",
        "recall",
        "reflect",
        "wiki_append",
        "wiki_read",
        "wiki_list",
        "set_fact_scope",
    }
)


def own(tool: str) -> bool:
    """Whether a tool is one of memory's own, whose results are never read as new."""
    whole = tool.casefold()
    name = whole.rsplit("__", 1)[-1].rsplit(".", 1)[-1]
    return name in _OWN or name.startswith("memory_") or "eunoe" in whole
