"""The closed set of causes, each with its sentence in English. Pure.

A name stands in journals for ever and is never given another meaning. What stands in a sentence is told by its place;
{0:model} may be left out where it is known which model is meant, {0:n} is a number, {0:s} are seconds, {0:$} dollars.
"""

from __future__ import annotations

from enum import Enum, unique


class Sentence(Enum):
    """`value` is the name, `english` the sentence."""

    english: str

    def __new__(cls, name: str, english: str) -> Sentence:
        member = object.__new__(cls)
        member._value_ = name
        member.english = english
        return member


@unique
class Why(Sentence):
    # -- the model and its provider: what happened, then what to do ---------------------------------------------------
    KEY_REJECTED = "key rejected", "The key for the model {0:model} was rejected."
    NO_CREDIT = "no credit", "The account behind the model {0:model} has no credit or quota left."
    NO_TOOLS = "no tools", "The model {0:model} can't call tools at this endpoint."
    TOO_LONG = "too long", "The conversation no longer fits into the context of the model {0:model}."
    AGAINST_POLICY = (
        "against policy",
        "The provider of the model {0:model} refused the request under its content policy.",
    )
    NO_SUCH_MODEL = "no such model", "The model {0:model} is not known at this endpoint."
    NO_RIGHT = "no right", "The key was rejected for the model {0:model}: it has no right to it."
    NO_MORE_NOW = "no more now", "The model {0:model} takes no more requests for now."
    ELSEWHERE = (
        "elsewhere",
        "The endpoint of the model {0:model} does not take requests at this address (status {1}).",
    )
    REPORTED = "reported", "The model {0:model} reported an error instead of a reply."
    OVERLOADED = "overloaded", "The model {0:model} is overloaded (status {1})."
    FAILED_THERE = "failed there", "The model {0:model} failed on its provider's side (status {1})."
    INVALID = "invalid", "The provider of the model {0:model} found our request invalid (status {1})."
    INVALID_SAYS = (
        "invalid, says",
        "The provider of the model {0:model} found our request invalid (status {1}): {2}.",
    )
    TOOL_REFUSED = "tool refused", "The provider of the model {0:model} refused a tool of the request (status {1})."
    TOOL_REFUSED_SAYS = (
        "tool refused, says",
        "The provider of the model {0:model} refused a tool of the request (status {1}): {2}.",
    )
    NO_CONNECTION = "no connection", "The endpoint of the model {0:model} does not take connections: it timed out."
    UNREACHABLE = "unreachable", "The endpoint of the model {0:model} can't be reached."
    BROKE_OFF = "broke off", "The connection to the model {0:model} broke off before the end of the reply."
    KEY_UNSENDABLE = "key unsendable", "The key for the model {0:model} holds characters that can't be sent."
    UNTRUSTED = "untrusted", "The certificate of the model {0:model}'s endpoint is not trusted."
    BAD_ADDRESS = "bad address", "The address of the model {0:model}'s endpoint is not a usable one."
    REPLY_BROKE_OFF = "reply broke off", "The reply of the model {0:model} broke off before its end."
    GAVE_UP = "gave up", "The model {0:model} gave up in the middle of its reply."
    REPLY_STOPPED = (
        "reply stopped",
        "The provider of the model {0:model} stopped the reply under its content policy.",
    )
    SAID_NOTHING = "said nothing", "The model {0:model} answered with nothing."
    OUTPUT_USED_UP = (
        "output used up",
        "The model {0:model} answered with nothing: its output limit was used up before the answer began.",
    )
    NO_FIRST_WORD = "no first word", "The model {0:model} did not answer within {1:s}."
    FELL_SILENT = "fell silent", "The model {0:model} sent nothing for {1:s}."
    TOOK_TOO_LONG = "took too long", "The model {0:model} did not finish its reply within {1:s}."
    GARBLED = "garbled", "The endpoint of the model {0:model} sent {1} instead of a reply."
    BIG_CHUNK = "big chunk", "a chunk of more than {0} kB"
    WEB_PAGE = "web page", "a web page"
    CORRUPT_LINE = "corrupt line", "a corrupt line"
    CORRUPT_CHUNK = "corrupt chunk", "a corrupt chunk"
    NO_CHAT_REPLY = "no chat reply", "something that is no chat reply"
    UNREADABLY_MUCH = "unreadably much", "more than can be read"
    UNREADABLE_CALL = "unreadable call", "The model {0:model} wrote a tool call that can't be read."
    NO_CLIENT = "no client", "The HTTP client can't be loaded."
    OUR_FAULT = "our fault", "The request to the model {0:model} failed in our own code ({1})."

    SET_KEY = "set key", "Put a valid key into the settings."
    TOP_UP = "top up", "Top it up or set another key."
    TAKE_ONE_WITH_TOOLS = (
        "take one with tools",
        "Choose a model that can, or have it write its calls as text: set JARVIS_MODEL__TEXT_CALLS=on.",
    )
    SHORTEN = "shorten", "It has to be shortened."
    SAY_OTHERWISE = "say otherwise", "Ask in other words or choose another model."
    CHECK_NAME = (
        "check name",
        "Choose another one with /model, or check its name and the endpoint's address in the settings.",
    )
    CHECK_KEY = "check key", "Check the key or choose another model."
    CHECK_ADDRESS = "check address", "Check the endpoint's address."
    CHECK_SERVER = "check server", "Check that it runs and that its address is right."
    CORRECT_IT = "correct it", "Correct it."
    ASK_AGAIN = "ask again", "Asking again may help."
    ASK_LATER = "ask later", "Ask again later."
    ASKS_TO_WAIT = "asks to wait", "It asks to wait {0:s}."
    REPORT = "report", "Please report this."
    INSTALL_AFRESH = "install afresh", "Install the program afresh."
    ASKED_TIMES = "asked times", "I asked {0} times."
    DAYS = "days", "That is {0} days, so I don't wait for it."
    FOR_HOURS = "for hours", "I kept trying for hours and stop now."
    TOO_SMALL = (
        "too small",
        "Even the shortest request doesn't fit: the context of the model {0:model} is too small for my instructions "
        "and tools.",
    )
    HOLDS_TOO_LITTLE = (
        "holds too little",
        "Even the shortest request doesn't fit: the context of the model {0:model} holds {1:n} tokens and is too small "
        "for my instructions and tools.",
    )
    ENLARGE = (
        "enlarge",
        "Start its server with a larger context or choose another model, and set JARVIS_MODEL__CONTEXT_TOKENS to what "
        "it really holds.",
    )

    # -- how a run ended, or why it waits -----------------------------------------------------------------------------
    OPEN_ERROR = "open error", "Unresolved: an error is still open: {0}"
    LAST_TURN = "last turn", "Unresolved: this came on the last of {0} turns, unchecked."
    NOTHING_NEW = "nothing new", "All {0} turns are used and nothing new came of them. How shall I go on?"
    TURNS_USED = "turns used", "All {0} turns are used, for the {1:th} time. Shall I go on?"
    QUARANTINED = (
        "quarantined",
        "This run was interrupted by a crash more than three times without getting anywhere, so I don't start it "
        "again. Write to me to go on.",
    )
    BROKEN = "broken", "Something in Jarvis itself broke ({0}); the log has the details. Write to go on."
    NOBODY_DECIDED = (
        "nobody decided",
        "Nobody approved the call in time. Have it asked again, or write to me to go on without it.",
    )
    SAME_ERROR = "same error", "In {0} messages the same error, and nothing new in between."
    SAME_ERROR_AS = "same error as", "In {0} messages the same error, and nothing new in between: {1}."
    NO_PROGRESS = "no progress", "{0} tries over {1} messages brought nothing new."
    NO_PROGRESS_SINCE = (
        "no progress since",
        "{0} tries over {1} messages brought nothing new; the last error is: {2}.",
    )
    TRIED = "tried", "Tried so far: {0}."
    WHAT_CHANGED = "what changed", "What has changed, or what shall I try instead?"

    # -- what guards see, for the chat: the model reads other words ---------------------------------------------------
    SAME_AGAIN = (
        "same again",
        "The same error {0} times from {1} different commands: {2}. The diagnosis is probably wrong.",
    )
    SAME_YET_AGAIN = (
        "same yet again",
        "The same error {0} times from {1} different commands: {2}. It should look closer, or say what is missing.",
    )
    SAME_TOO_OFTEN = (
        "same too often",
        "The same error came back {0} times from {1} different commands: {2}. Tried: {3}. So I stopped. How shall I go "
        "on?",
    )
    FAILED_OF_LAST = "failed of last", "{0} of the last {1} calls failed. It should stop trying variants."
    MISUSED = "misused", "{0} calls of {1} in a row had wrong arguments."
    STUCK = "stuck", "It is stuck: {0}."
    STUCK_HELD = "stuck, held", "Not run: it is stuck, and this was read before with nothing changed since."
    STUCK_STOP = (
        "stuck, stopped",
        "I stopped: {0}, for the third time in this run, although I was told twice. How shall I go on?",
    )
    ONLY_LOOKED = "only looked", "{1} of the last {2} calls only looked, {0} of them at what was known (T1)"
    KNOWN_BEFORE = "known before", "{0} of the last {1} results were known before (T2)"
    NOTHING_CHANGED = (
        "nothing changed",
        "nothing was changed in the last {1} calls, and {0} results were known before (T3)",
    )
    CALL_AGAIN = "call again", "The same call has brought the same result {0} times: `{1}`."
    CYCLE = "cycle", "It goes in circles: the same {0} calls with the same results, {1} rounds: {2}."
    CIRCLE = "circle", "It goes in circles: {0} of the last {1} results were the same as earlier ones ({2})."
    CALL_HELD = "call held", "Not run again: the same call brought this before, and nothing has changed since."
    CALL_STOP = (
        "call, stopped",
        "I stopped: the same call keeps bringing the same result, also after a warning: `{0}`.",
    )
    CIRCLE_STOP = (
        "circle, stopped",
        "I stopped: I was going in circles, {0} of the last {1} results were known before.",
    )
    AFTER_WARNING = (
        "after warning",
        "I stopped: after a warning {0} more results were as before, the last one of `{1}`.",
    )
    HOW_TO_GO_ON = "how to go on", "Nothing new comes of it. How shall I go on?"
    STILL_OPEN = "still open", "Still open: `{0}` failed {1} times"
    STILL_OPEN_AS = "still open as", "Still open: `{0}` failed {1} times: {2}"
    TURNS_LEFT = "turns left", "{0} {0:turn is|turns are} left."
    BUDGET_NEAR = "budget near", "{0} % of the budget {1} is used: {2}. At 100 % the run is stopped."
    OF_RUN = "of run", "of this run"
    OF_USER = "of user", "of this user for today"
    OF_ALL = "of all", "of all chats for today"
    RUN_SPENT = (
        "run spent",
        "Stopped: this run's budget is used up, {0}. Continue gives it a fresh one; {1} sets it.",
    )
    USER_SPENT = "user spent", "Stopped: your budget for today is used up, {0}. It frees {1}; {2} sets it."
    ALL_SPENT = "all spent", "Stopped: the budget of all chats for today is used up, {0}. It frees {1}; {2} sets it."
    AT_TIME = "at time", "at {0}"
    TOMORROW = "tomorrow", "tomorrow"
    TOKENS = "tokens", "{0:n} of {1:n} tokens"
    MONEY = "money", "{0:$} of {1:$}"
    SECONDS = "seconds", "{0:n} of {1:n} s of work"
    REPLIES = "replies", "{0:n} of {1:n} replies of the model"

    # -- whether a claim holds: clauses, and what is said with them ---------------------------------------------------
    GREEN = "green", "`{0}` green after the last change"
    FAILS = "fails", "`{0}` fails ({1})"
    FAILS_WITH = "fails with", "`{0}` fails ({1}): {2}"
    FAILS_IN = "fails in", "`{0}` fails ({1}): {2} and {3} more"
    EXIT = "exit", "exit {0}"
    WAS_KILLED = "was killed", "it was killed"
    TIMED_OUT = "timed out", "timed out"
    NO_ANSWER = "no answer", "the check itself came to no answer"
    NOT_THERE = "not there", "{0} is not there"
    IS_THERE = "is there", "{0} is there"
    NO_TEST = "no test", "no test was found for what changed"
    NOT_RUN = "not run", "`{0}` was not run: {1}"
    NEEDS_OK = "needs OK", "it needs somebody's OK"
    NO_SANDBOX = "no sandbox", "there is no sandbox to run it in"
    NO_TIME = "no time", "the {0:s} for checks were over"
    NO_END = "no end", "`{0}` came to no end in its time"
    NOT_INSTALLED = "not installed", "`{0}` can't be run here: its program is not installed"
    FOUND_NO_TEST = "found no test", "`{0}` found no test"
    ERROR_OPEN = "error open", "an error is still open: {0}"
    NO_SUCH_FILE = "no such file", "{0} imports '{1}', and there is no such file"
    NO_EXPORT = "no export", "{0} takes '{1}' from '{2}', but {3} exports {4}"
    NO_DEFAULT = "no default", "{0} takes a default export from '{1}', but {2} exports {3}"
    NOTHING = "nothing", "nothing"
    AND_MORE = "and more", "{0} and {1} more"
    NOT_ACCEPTED = "not accepted", "Not accepted as done: {0}."
    CLAIMED_EARLY = (
        "claimed early",
        "Not accepted yet: task_complete must be the last call of a reply.",
    )
    CLAIMED_TWICE = (
        "claimed twice",
        "Not verified: {0}. It was claimed to be done twice, with nothing changed in between.",
    )
    REVIEW_REJECTS = "review rejects", "Not accepted yet: a review rejects this: {0}."
    REVIEW_ASKS = "review asks", "Not accepted yet: a review asks for changes: {0}."
    NOT_SENT = "not sent", "The answer was not sent, it says {0}."
    SAYS_BUT = "says, but", '"{0}", but {1}'
    UNTOUCHED = "untouched", "no call in this session has changed {0}"
    STILL_THERE = "still there", "{0} is still there"
    NOT_EXECUTABLE = "not executable", "{0} is not executable"
    NOT_LISTENING = "not listening", "nothing listens on port {0} of this machine"
    TESTS_BEGUN = "tests begun", "the tests were begun in the background and no end of them was seen"
    NO_TEST_RUN = "no test run", "no test was run in this session"
    TESTS_FAILED = "tests failed", "the last run of `{0}` failed ({1})"
    TESTS_FAILED_IN = "tests failed in", "the last run of `{0}` failed ({1}: {2})"
    CHANGED_AFTER_TESTS = "changed after tests", "files were changed after the last test run"
    COUNTS = "counts", "the last test run counts {0} passed"
    NEVER_RAN = "never ran", "{0} was not run in this session"
    LAST_RUN_FAILED = "last run failed", "the last run of {0} failed ({1})"
    LAST_RUN_BEGUN = "last run begun", "the last run of {0} was begun in the background and no end of it was seen"
    CHANGED_AFTER_RUN = "changed after run", "files were changed after the last run of {0}"
    NOT_INSTALLED_HERE = "not installed here", "no installation was run here with success"
    NO_COMMIT = "no commit", "no commit was made here with success"
    NO_PUSH = "no push", "no push was run here with success"
    NO_BUILD = "no build", "no build was run in this session"
    BUILD_FAILED = "build failed", "the last build failed ({0})"
    BUILD_BEGUN = "build begun", "the last build was begun in the background and no end of it was seen"
    CHANGED_AFTER_BUILD = "changed after build", "files were changed after the last build"
    NO_CHECK = "no check", "no check was run in this session"
    CHECK_FAILED = "check failed", "the last check failed ({0})"
    CHECK_BEGUN = "check begun", "the last check was begun in the background and no end of it was seen"
    CHANGED_AFTER_CHECK = "changed after check", "files were changed after the last check"
