"""The three results of the first page, each next to the strongest simple rivals: `make heroes`."""
