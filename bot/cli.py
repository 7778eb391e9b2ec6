"""The command line. Nothing heavy is imported before a command needs it, so that --help is instant."""

from __future__ import annotations

import gc
import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from agent.settings import Loaded

LAST_S = 1.0  # for threads to end, once all is closed

HOW_TO_SET = """\
Nothing is configured yet. To start the bot, set these in the environment or in ~/.jarvis/config.toml:
  JARVIS_TELEGRAM__TOKEN (from @BotFather) and JARVIS_ACCESS__OWNER (your numeric id; unset = paired by a code),
  JARVIS_MODEL__BASE_URL and JARVIS_MODEL__NAME of an OpenAI-compatible server, JARVIS_MODEL__API_KEY if it has one."""


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def cli() -> None:
    """Jarvis: an agent that lives on this server and is reached by chat."""


@cli.command()
@click.option("--no-demo", is_flag=True, help="With nothing configured: say what is missing and exit with 2.")
def run(no_demo: bool) -> None:
    """Start the bot."""
    gc.disable()  # half a second of imports makes no garbage, and would be walked over and over; `warm` turns it on
    loaded, environ = _load()
    from agent.settings import missing, nothing_set

    if nothing_set(loaded.settings) and not no_demo:
        gc.enable()
        click.echo(HOW_TO_SET, err=True)
        click.echo("Here is what I do, without an account, a key or a network:\n", err=True)
        _demo()
        return
    if unset := missing(loaded.settings):
        _fail(2, f"Not configured yet. Set {', '.join(unset)}, in the environment or in config.toml.")
    if loaded.settings.telegram.mode == "webhook":
        _fail(2, "JARVIS_TELEGRAM__MODE=webhook isn't there yet. Use polling, which needs no public address.")
    with _held(loaded):
        from bot.__main__ import run_bot

        _until_the_end(run_bot(loaded.settings, environ, loaded.warnings))


@cli.command()
def chat() -> None:
    """Talk to the same agent in this terminal."""
    loaded, environ = _load()
    if not loaded.settings.model.base_url or not loaded.settings.model.name:
        _fail(2, "No model is configured. Set JARVIS_MODEL__BASE_URL and JARVIS_MODEL__NAME.")
    with _held(loaded):
        from bot.__main__ import run_chat

        _until_the_end(run_chat(loaded.settings, environ, loaded.warnings))


@cli.command()
def demo() -> None:
    """See it work: a built-in scripted model, the real tools, a temporary workspace. No account, no network."""
    _demo()


@cli.command()
def doctor() -> None:
    """Check each part and say how to mend it. Works while the bot runs; exits with 1 if something must be mended."""
    import asyncio

    from bot.doctor import exam, failed, render

    loaded, _ = _load()
    findings = asyncio.run(exam(loaded.settings, loaded.warnings))
    click.echo(render(findings))
    sys.exit(1 if failed(findings) else 0)


@cli.command("list")
@click.option("--prompt", is_flag=True, help="The prompt and the tools as a model is sent them, with their sizes.")
@click.option("--tier", type=click.Choice(["small", "mid", "large"]), help="With --prompt: of this tier.")
def list_(prompt: bool, tier: str | None) -> None:
    """What is built in: tools, guards, probes, channels."""
    loaded, _ = _load(scrub=False)
    if prompt or tier:
        from bot.first import shown

        click.echo(shown(loaded.settings, tier or ""))
        return
    from bot.listing import listing

    click.echo(listing(loaded.settings))


@cli.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--panel", default="ours,seed,baseline", show_default=True, help="ours, seed, none, baseline.")
@click.option("--json", "as_json", is_flag=True, help="{panel: {source: {rule: figures}}}, rates in percent.")
def backtest(files: tuple[Path, ...], panel: str, as_json: bool) -> None:
    """How often the guards speak on recorded runs (JSON lines, gzip or plain) that failed and that succeeded."""
    from agent import backtest as bench

    panels = {name: bench.seated(name) for name in bench.chosen(panel)}
    rows = bench.measure(files, panels, lambda told: click.echo(told, err=True))
    click.echo(bench.as_json(rows) if as_json else bench.table(rows))


@cli.command()
def settings() -> None:
    """All settings, where each came from; secrets stay hidden."""
    loaded, _ = _load(scrub=False)
    from agent.settings import render

    for warning in loaded.warnings:
        click.echo(f"warning: {warning}", err=True)
    click.echo(render(loaded), nl=False)


@cli.command()
def version() -> None:
    """The version."""
    from importlib.metadata import version as installed

    click.echo(f"jarvis {installed('jarvis-host-agent')}")


def _load(scrub: bool = True) -> tuple[Loaded, dict[str, str]]:
    """The settings, and the environment that commands may inherit from; our secrets are gone from both."""
    from agent.settings import base_environment, load, scrub_environment, secrets

    loaded = load()
    if scrub:
        scrub_environment(secrets(loaded.settings))
    return loaded, base_environment()


def _held(loaded: Loaded):  # type: ignore[no-untyped-def]
    """Prepare home and logging, and hold the home's lock."""
    import atexit
    import logging
    from typing import IO, cast

    from agent.behind import Behind
    from agent.lock import HomeLock
    from agent.log import last_lines, setup
    from agent.redact import LogFilter, Redactor
    from agent.settings import prepare_home, secrets

    values = loaded.settings
    prepare_home(values.home)
    setup(values.log.level, values.log.format, LogFilter(Redactor(secrets(values))), cast(IO[str], Behind(2)))
    atexit.register(last_lines, LAST_S)
    for warning in loaded.warnings:
        logging.getLogger("jarvis").warning("%s", warning)
    return HomeLock(values.home)


def _until_the_end(work) -> None:  # type: ignore[no-untyped-def]
    """Everything is closed when `work` has ended: a thread that hangs all the same (a file on a dead network drive)
    isn't waited for longer than a moment, as the interpreter would."""
    import asyncio
    import threading

    async def whole() -> None:
        failure: BaseException | None = None
        try:
            await work
        except BaseException as error:
            failure = error
            raise
        finally:
            last = threading.Timer(LAST_S, _cut_off, [failure])
            last.daemon = True
            last.start()

    asyncio.run(whole())


def _cut_off(failure: BaseException | None) -> None:
    """Leave now, having said why: what would have is still waiting for the threads."""
    from agent.errors import JarvisError
    from agent.log import last_lines

    match failure:
        case None:
            code = 0
        case JarvisError(exit_code=code):
            click.echo(str(failure), err=True)
        case _:
            code = 1
            sys.excepthook(type(failure), failure, failure.__traceback__)
    last_lines(LAST_S)
    _let_go()
    os._exit(code)


def _demo() -> None:
    import asyncio

    from bot.demo import play

    asyncio.run(play())


def _fail(code: int, text: str) -> None:
    click.echo(text, err=True)
    sys.exit(code)


def main() -> None:
    """The console script. Foreseen errors end in a sentence and their exit code."""
    try:
        cli()
    except Exception as error:
        from agent.errors import JarvisError

        if not isinstance(error, JarvisError):
            raise
        _fail(error.exit_code, str(error))
    finally:
        _let_go()


def _let_go() -> None:
    """What can't be printed any more (a full disk, a closed pipe) is no failure: Python itself would end with 120.
    Source: https://docs.python.org/3/library/signal.html#note-on-sigpipe"""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            with suppress(OSError, ValueError):
                os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


if __name__ == "__main__":
    main()
