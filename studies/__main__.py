"""`python -m studies`."""

from sparseaug_command import main

if __name__ == "__main__":
    main("studies.commands")
