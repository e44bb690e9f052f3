"""`python -m grader.cli` is the command `anatomy`, also where scripts are not on the path."""

from grader.cli import main

if __name__ == "__main__":
    main(prog_name="anatomy")
