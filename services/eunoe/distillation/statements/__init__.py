"""What people plainly state, found in prose by patterns: no model, precise rather than complete."""
