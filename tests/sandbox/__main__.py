"""Print the sandboxes that work here besides the default: `make test-sandboxes`."""

from skillforge import sandbox


def main() -> None:
    default, _ = sandbox.choose()
    for name in sandbox.names():
        works = not sandbox.backend(name).gaps()
        if works and (default is None or name != default.name):
            print(name)  # noqa: T201


if __name__ == "__main__":
    main()
