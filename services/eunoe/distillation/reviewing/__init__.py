"""Reviews: at the end of turns, what an agent's memory records should keep of them, and which are outdated."""
