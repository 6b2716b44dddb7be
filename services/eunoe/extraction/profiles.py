"""The tools of widely used agents and servers, in lower case, by their shapes: what they are called, and no code.

A shape says how a call and its result are read: *shell* runs a command line, *read*, *write*, *create*, *edit*,
*editor* (views and edits by its ``command``), *patch*, *move* and *delete* work on files, *git* is a subcommand as a
tool of its own, *http* asks an address. *memory* tools show what a memory has, which is never new. What has the shape
*none* is known, and gives nothing.
"""

from __future__ import annotations

from collections.abc import Mapping

SHAPES: tuple[str, ...] = (
    *("shell", "read", "write", "create", "edit", "editor", "patch", "move", "delete", "git", "http"),
    *("memory", "none"),
)

PROFILES: Mapping[str, Mapping[str, str]] = {  # an agent or server, and the names of its tools for each shape
    "Claude Code": {
        "shell": "bash",
        "read": "read notebookread",
        "write": "write",
        "edit": "edit multiedit notebookedit",
        "http": "webfetch",
        "none": "glob grep ls task agent todowrite todoread websearch bashoutput killshell killbash exitplanmode skill",
    },
    "Claude's own tools": {
        "editor": "str_replace_editor str_replace_based_edit_tool",
        "none": "web_search code_execution computer",
    },
    "Codex": {
        "shell": "shell shell_command local_shell local_shell_call container.exec exec exec_command unified_exec",
        "read": "read_file",
        "patch": "apply_patch applypatch",
        "none": "update_plan write_stdin view_image list_dir grep_files web_search",
    },
    "OpenHands": {
        "shell": "execute_bash cmd_run terminal run",
        "editor": "str_replace_editor file_editor",
        "edit": "edit_file",
        "none": "execute_ipython_cell ipython run_ipython browser think finish delegate task_tracker",
    },
    "SWE-agent": {
        "shell": "bash",
        "read": "open goto scroll_up scroll_down",
        "create": "create",
        "edit": "edit insert",
        "editor": "str_replace_editor",
        "none": "submit find_file search_file search_dir exit exit_cost",
    },
    "Cline and Roo": {
        "shell": "execute_command",
        "read": "read_file",
        "write": "write_to_file",
        "edit": "replace_in_file apply_diff insert_content search_and_replace search_replace edit_file",
        "http": "web_fetch",
        "none": "list_files search_files list_code_definition_names browser_action access_mcp_resource"
        " ask_followup_question attempt_completion plan_mode_respond new_task switch_mode update_todo_list"
        " codebase_search",
    },
    "Gemini CLI": {
        "shell": "run_shell_command",
        "read": "read_file read_many_files",
        "write": "write_file",
        "edit": "replace",
        "http": "web_fetch",
        "memory": "save_memory",
        "none": "list_directory glob search_file_content grep_search google_web_search write_todos",
    },
    "Cursor": {
        "shell": "run_terminal_cmd",
        "read": "read_file",
        "edit": "edit_file search_replace reapply",
        "delete": "delete_file",
        "none": "list_dir grep_search file_search codebase_search web_search fetch_rules todo_write",
    },
    "Copilot": {
        "shell": "run_in_terminal",
        "read": "read_file",
        "create": "create_file",
        "edit": "insert_edit_into_file replace_string_in_file multi_replace_string_in_file",
        "patch": "apply_patch",
        "http": "fetch_webpage",
        "none": "semantic_search get_errors manage_todo_list get_terminal_output list_code_usages",
    },
    "OpenCode": {
        "shell": "bash",
        "read": "read",
        "write": "write",
        "edit": "edit",
        "patch": "patch",
        "http": "webfetch",
        "none": "list glob grep todowrite todoread task",
    },
    "MCP filesystem": {
        "read": "read_file read_text_file read_multiple_files",
        "write": "write_file",
        "edit": "edit_file",
        "move": "move_file",
        "none": "read_media_file create_directory list_directory list_directory_with_sizes directory_tree search_files"
        " get_file_info list_allowed_directories",
    },
    "MCP git": {
        "git": "git_status git_branch git_checkout git_commit git_switch",
        "none": "git_add git_reset git_log git_show git_diff git_diff_staged git_diff_unstaged git_init"
        " git_create_branch",
    },
    "MCP fetch": {"http": "fetch"},
    "MCP sqlite": {"none": "read_query write_query create_table list_tables describe_table append_insight"},
    "MCP time": {"none": "get_current_time convert_time"},
    "MCP memory": {
        "memory": "create_entities create_relations add_observations delete_entities delete_observations"
        " delete_relations read_graph search_nodes open_nodes",
    },
    "Eunoe": {
        "memory": "memory add_memory read_memory delete_memory search_memory search_history retain recall reflect"
        " wiki_append wiki_read wiki_list set_fact_scope",
    },
    "others": {
        "shell": "sh zsh powershell run_command execute execute_shell shell_exec run_bash execute_shell_command",
        "read": "readfile open_file view view_file cat get_file",
        "write": "writefile",
        "edit": "str_replace",
        "delete": "remove_file",
        "http": "http http_request http_get request api_request get_url fetch_url curl",
    },
}
