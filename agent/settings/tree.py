"""The tree of settings: every name of the specification, typed, with its default. Frozen; secrets never show."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, SecretStr, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from agent.settings.guards import Guards
from agent.settings.kinds import (
    AbsolutePath,
    AnyCase,
    Chats,
    Count,
    CountOrNone,
    Fallbacks,
    JsonObject,
    Listen,
    OpsChat,
    People,
    Person,
    PriceTable,
    Seconds,
    SecondsOrNone,
    StoreUrl,
    Token,
    Url,
    WebhookSecret,
    Zone,
)
from agent.settings.model_rules import Tier, is_local, tier

OPENAI_URL = "https://api.openai.com/v1"
EMPTY = SecretStr("")


class Section(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Telegram(Section):
    token: Token = EMPTY
    api_url: Url = "https://api.telegram.org"
    mode: Annotated[Literal["polling", "webhook"], AnyCase] = "polling"
    webhook_url: Url = ""
    webhook_secret: WebhookSecret = EMPTY
    webhook_listen: Listen = "127.0.0.1:8443"


class Model(Section):
    """Times in seconds. A key without an address means OpenAI's own."""

    base_url: Url = ""
    api_key: SecretStr = EMPTY
    name: str = ""
    fallbacks: Fallbacks = ()
    context_tokens: Count = 32768
    tier: Annotated[Tier, AnyCase] = "mid"
    first_byte_timeout_s: Seconds = 60.0
    idle_timeout_s: Seconds = 60.0
    total_timeout_s: Seconds = 600.0
    parallel: Count = 4
    text_calls: bool = False
    vision: bool | None = None  # by the model's name
    prices: PriceTable = {}

    @model_validator(mode="before")
    @classmethod
    def _by_name_and_address(cls, data: Any) -> Any:
        """Defaults that depend on other settings."""
        if not isinstance(data, dict):
            return data
        data = dict(data)
        if data.get("api_key") and not data.get("base_url"):
            data["base_url"] = OPENAI_URL
        data.setdefault("tier", tier(str(data.get("name", ""))))
        if is_local(str(data.get("base_url", ""))):
            data.setdefault("first_byte_timeout_s", 300.0)
            data.setdefault("parallel", 1)
        return data


class Access(Section):
    owner: Person | None = None
    admins: People = ()
    operators: People = ()
    viewers: People = ()
    chats: Chats = ()
    ops_chat: OpsChat = ""


class Run(Section):
    """Times in seconds. No prompt file means the package's own."""

    workspace: AbsolutePath = Path("/")
    workspace_per_chat: bool = False
    prompt_file: AbsolutePath | None = None
    turns: Count = 20
    handoffs: CountOrNone = 5
    mode: Annotated[Literal["sandbox", "ask", "full"], AnyCase] = "sandbox"
    tool_timeout_s: Seconds = 300.0
    stale_after_s: SecondsOrNone = 900.0


class StoreSection(Section):
    url: StoreUrl = EMPTY  # SQLite in the home


class Retention(Section):
    """0 means for ever."""

    bulk_h: CountOrNone = 24
    conversation_d: CountOrNone = 90


class Log(Section):
    level: Annotated[Literal["debug", "info", "warning", "error"], AnyCase] = "info"
    format: Annotated[Literal["console", "json"], AnyCase] = "console"


class Tools(Section):
    overrides: JsonObject = {}
    mcp: Annotated[JsonObject, Field(repr=False)] = {}  # its `env` tables hold keys
    search: Annotated[Literal["none", "searxng", "brave", "ddgs"], AnyCase] = "none"
    search_url: Url = ""
    search_key: SecretStr = SecretStr("")
    transcribe_url: Url = ""


class Settings(BaseSettings):
    """All of it. Made by `agent.settings.load` and nobody else."""

    model_config = SettingsConfigDict(frozen=True, extra="forbid")

    home: AbsolutePath
    timezone: Zone = ""  # the host's
    failpoint: str = ""  # tests of recovery: where to die
    telegram: Telegram = Telegram()
    model: Model = Model()
    access: Access = Access()
    run: Run = Run()
    store: StoreSection = StoreSection()
    retention: Retention = Retention()
    log: Log = Log()
    tools: Tools = Tools()
    guards: Guards = Guards()
