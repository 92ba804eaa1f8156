"""`python -m skillforge` is the same command as `skillforge`."""

from skillforge.cli import main

if __name__ == "__main__":
    main()
