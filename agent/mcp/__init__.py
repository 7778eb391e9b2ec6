"""MCP servers as tools, through the official SDK, each behind a process of its own."""
