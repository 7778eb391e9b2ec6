"""Probe jobs: which background commands of the session have ended, and how."""

from __future__ import annotations

import json

from agent.ports import CallContext


class _Jobs:
    name = "jobs"
    timeout_s = 5.0

    async def look(self, call: CallContext, args: str) -> str:
        """`args` is {jobs: ids}. The answer: {ended: [{id, outcome, exit_code, why}]} of those, the newest last. Raises
        ValueError, KeyError for other arguments."""
        wanted = set(json.loads(args)["jobs"])
        ended = [job for job in await call.host.jobs.of(call.session) if job.id in wanted and not job.running]
        told = [
            {"id": job.id, "outcome": job.ran.outcome.value, "exit_code": job.ran.exit_code, "why": job.why}
            for job in ended
        ]
        return json.dumps({"ended": told}, ensure_ascii=False)


probe = _Jobs()
