"""``python -m biomech_id``: the command line, where no script of its name is on the path."""

from biomech_id.cli import main

if __name__ == "__main__":
    main()
