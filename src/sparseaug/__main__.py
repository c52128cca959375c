"""`python -m sparseaug`: the command, where its script is not on the path."""

from sparseaug.cli import main

if __name__ == "__main__":
    main()
