"""What a call would do, as a person is asked about it: a closed set, each with its words in English. Pure.

As with `agent.why`, a name stands in journals for ever. {0} is what does it or what it is done to.
"""

from __future__ import annotations

from enum import unique

from agent.why import Sentence


@unique
class Act(Sentence):
    READS = "reads", "reads"
    OWN_JOBS = "own jobs", "its own background jobs"
    OF_A_RUN = "of a run", "a run whose calls are judged themselves"

    # -- in the workspace ---------------------------------------------------------------------------------------------
    CHANGES_FILES = "changes files", "changes files"
    CHANGES_FILES_WITH = "changes files with", "changes files ({0})"
    WRITES_FILES = "writes files", "writes files ({0})"
    DELETES_FILES = "deletes files", "deletes files ({0})"
    CHANGES_REPOSITORY = "changes repository", "changes the repository ({0})"
    RUNS_PROGRAM = "runs program", "runs a program ({0})"
    RUNS_SCRIPT = "runs script", "runs a script ({0})"
    RUNS_TEXT = "runs text", "runs shell text ({0})"
    INLINE_CODE = "inline code", "inline code ({0})"
    CODE_ON_INPUT = "code on input", "code on standard input ({0})"
    BUILDS = "builds", "builds ({0})"
    ENDS_JOB = "ends job", "ends a background job of its own"
    ENDS_JOBS = "ends jobs", "ends its own jobs ({0})"

    # -- what leaves the box ------------------------------------------------------------------------------------------
    NETWORK = "network", "network ({0})"
    CONTAINERS = "containers", "containers ({0})"
    INSTALLS = "installs", "installs packages ({0})"
    SERVICES = "services", "services ({0})"
    SCHEDULES = "schedules", "schedules a job ({0})"
    PROCESSES = "processes", "processes ({0})"
    PROCESS = "process", "another process ({0})"
    RIGHTS = "rights", "users and rights ({0})"
    OTHER_RIGHTS = "other rights", "another user's rights ({0})"
    OTHER_VIEW = "other view", "another view of the system ({0})"
    SYSTEM = "system", "system settings ({0})"
    OUTER_SETTINGS = "outer settings", "settings outside of the workspace ({0})"
    BACKGROUND = "background", "leaves a process running in the background"
    BACKGROUND_BY = "background by", "leaves a process running in the background ({0})"
    STARTUP_FILES = "start-up files", "start-up files of {0}"
    SETS = "sets", "sets {0}"
    SETS_SOME = "sets some", "sets a variable that the shell names"
    RUNS_FROM = "runs from", "runs a command from {0}"
    RUNS_OTHER_FROM = "runs other from", "runs another program from {0}"
    PLANTS = "plants", "plants what runs or is trusted later: {0}"
    WRITES_OUTSIDE = "writes outside", "writes outside the workspace: {0}"
    ABSOLUTE_NAMES = "absolute names", "writes by absolute names ({0})"
    SENDS_FILE = "sends file", "sends a file to the chat"
    ADDS_TOOL = "adds tool", "installs a tool ({0})"
    REMOVES_TOOL = "removes tool", "removes a tool ({0})"
    UNKNOWN_TOOL = "unknown tool", "a tool of unknown reach ({0})"

    # -- what isn't understood ----------------------------------------------------------------------------------------
    UNPARSED = "unparsed", "not parsed: bash would read it in its own way"
    UNCLEAR = "unclear", "not understood: {0}"
    MANY_FILES = "many files", "not understood: too many files to check"
    RUNS_UNSEEN = "runs unseen", "not understood: runs {0}"
    COMMAND_IN = "command in", "not understood: a command in {0}"
    WITHIN = "within", "not understood: commands within commands"
    FILLED_COMMAND = "filled command", "not understood: a command that the shell fills in"
    FILLED_BY_SHELL = "filled by shell", "not understood: {0} with what the shell fills in"
    RUNS_COMMAND = "runs command", "not understood: {0} that runs a command"
    LOOP = "loop", "not understood: a loop that changes folders"
    IN_HERE_DOCUMENT = "in here-document", "not understood: a command in a here-document"
    TOUCHING_WORDS = "touching words", "not understood: words that touch"

    # -- what nobody can allow ----------------------------------------------------------------------------------------
    OWN_STATE = "own state", "touches Jarvis's own state"
    SECRETS = "secrets", "private keys or credentials"
    RAW_DEVICE = "raw device", "raw device: {0}"
    PROCESS_MEMORY = "process memory", "memory or environment of a process"
    MANY_PATHS = "many paths", "more paths than can be checked; send fewer at once"
    MANY_COMMANDS = "many commands", "more commands than can be checked; send fewer at once"
    UNREADABLE = "unreadable", "arguments that can't be read"

    # -- added to the others ------------------------------------------------------------------------------------------
    AFTER_OTHERS = "after others", "{0}, after words from elsewhere (forwarded or from the web)"
    UNCHECKED_PATHS = "unchecked paths", "{0}; where its paths lead could not be checked"
    UNBOXED = "unboxed", "{0} (there is no sandbox on this machine)"
    OUT_OF_REACH = "out of reach", "Not run: {0}. That is out of reach in every mode."
    MAY_ONLY_READ = "may only read", "Not run: {0}. A {1} takes part in this run, and then it may only read."
