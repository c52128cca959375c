"""`python -m studies`."""

from studies.commands import main

if __name__ == "__main__":
    main()
