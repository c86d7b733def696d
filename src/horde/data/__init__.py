"""From archives, generated data or a user's own tables to canonical tables."""
