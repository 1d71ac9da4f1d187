"""A typer program that does nothing: the floor of every start-up."""

import typer

app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)


@app.command()
def nothing() -> None:
    """Do nothing."""


if __name__ == "__main__":
    app()
