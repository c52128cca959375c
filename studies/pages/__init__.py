"""Pictures and tables of the documentation, made from its tables and from finished studies."""
