"""Client of the External API in one file, for Python 3.9 and later, on the standard library only.

    from external_api import Client

    client = Client("https://api.example.com", os.environ["TOKEN"])
    for session in client.sessions(state="active"):
        print(session["id"], session["activity"])

Records are dictionaries with the field names of the API, and filters have its parameter names. Every POST has an
Idempotency-Key, so that repeating it is safe. The service's own guide is at `/docs` of the host.
"""

from __future__ import annotations

import base64
import errno
import hashlib
import hmac
import http.client
import json
import os
import random
import re
import socket
import ssl
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from typing import Any, Dict, Iterable, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

__all__ = [
    "ApiError", "Client", "CommandResult", "ConnectionFailed", "DeviceError", "Event", "NotDelivered",
    "OutcomeUnknown", "UnexpectedResponse", "WaitTimeout", "WebhookVerificationError", "verify_webhook",
]

Record = Dict[str, Any]

# A path, or the name and the bytes of a file.
File = Union[str, "os.PathLike[str]", Tuple[str, bytes]]

# The service answers a relayed call within 30 s, and sends a comment on a stream every 15 s.
_RESPONSE_TIMEOUT = 40.0
_TURN_WAIT_MS = 25_000
_WAIT_MS = 28_000
_WAIT_MARGIN = 10.0
_OUTPUT_BYTES = 262_144
_REPORT_TIMEOUT = 30.0
_OPEN_STATES = ("queued", "starting", "running")
_FINAL_STATES = ("completed", "failed", "cancelled", "timed_out")
# The member that a success has, and its type.
_KINDS = {"record": ("data", dict), "list": ("data", list), "result": ("result", dict)}


class ApiError(Exception):
    """Response that is not a success.

    `code` is stable, and `problem` is the whole document (RFC 9457). `outcome` states what is known about a call:
    `not_delivered` (nothing ran), `unknown` (it may have run), `answered` (the device answered with an error) or None.
    """

    def __init__(self, status: int, problem: Record, retry_after: Optional[float] = None) -> None:
        self.status = status
        self.problem = problem
        self.code: str = problem.get("code") or "unexpected_response"
        self.outcome: Optional[str] = problem.get("outcome")
        self.request_id: Optional[str] = problem.get("requestId")
        self.retry_after = retry_after
        super().__init__(self._describe(problem.get("detail") or "The service gave no reason."))

    def _describe(self, detail: str) -> str:
        return f"{self.status or 'No response'} {self.code}: {detail} ({self.request_id or 'no request ID'})"


class NotDelivered(ApiError):
    """Relayed call that did not run: its outcome is `not_delivered`."""


class OutcomeUnknown(ApiError):
    """Call that may have run. Check its effect, or repeat it with the same `key`."""


class ConnectionFailed(OutcomeUnknown):
    """Call without a response. `status` is 0. `outcome` is `not_delivered` if no connection was established."""

    lasting = False


class UnexpectedResponse(OutcomeUnknown):
    """Answer of something between this client and the service, such as a portal, a proxy or a gateway.

    It says nothing about the call, whatever its `status`. `outcome` is `unknown` for a write and None for a read.
    """


class DeviceError(ApiError):
    """Error that the device answered with, such as `command_not_found` in `device_code`."""

    def __init__(self, status: int, problem: Record, retry_after: Optional[float] = None) -> None:
        super().__init__(status, problem, retry_after)
        error = problem.get("deviceError") or {}
        self.device_code: Optional[str] = error.get("code")
        self.device_message: Optional[str] = error.get("message")
        if self.device_code:
            self.args = (self._describe(f"{self.device_code}: {self.device_message}"),)


class WaitTimeout(Exception):
    """Turn or invocation that was still open when the time was up. It goes on; `record` is its last state."""

    def __init__(self, record: Record) -> None:
        super().__init__(f"{record['id']} is still {record['state']}. It goes on; wait for it again, or cancel it.")
        self.record = record


class WebhookVerificationError(Exception):
    """Webhook whose signature or time is not valid. Respond with 400 and don't process it."""


class CommandResult(NamedTuple):
    """Ended invocation with its output. `truncated` is true if the device no longer keeps the first bytes."""

    invocation: Record
    stdout: bytes
    stderr: bytes
    truncated: bool

    @property
    def exit_code(self) -> Optional[int]:
        return self.invocation["exitCode"]


class Event(NamedTuple):
    """Event of a stream. `cursor` resumes the stream after it. Live events (`delta`, `output`) have neither id."""

    type: str
    id: Optional[str]
    data: Record
    cursor: Optional[str]


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Makes a redirect an error, because urllib would send the token to its target."""

    def redirect_request(self, *_args: Any) -> None:
        return None


class Client:
    """Client for one token. Threads may share it.

    :param host: URL of the service without a path
    :param timeout: seconds after which a call without a response has failed. Waits for turns and commands take longer
    :param retry_for: seconds for which a call is repeated while that is safe and may help, 0 to never repeat
    """

    def __init__(self, host: str, token: str, *, timeout: float = _RESPONSE_TIMEOUT, retry_for: float = 60.0) -> None:
        if not re.fullmatch(r"https?://[^/?#@\s]+/?", host):
            raise ValueError("The host must be an http or https URL without a user name and a path.")
        if not re.fullmatch(r"[\x21-\x7e]+", token):
            raise ValueError("The token is empty or has characters that no token has.")
        self.host = host.rstrip("/")
        self.timeout = timeout
        self.retry_for = retry_for
        self._token = token
        self._opener = urllib.request.build_opener(_NoRedirect)
        self._has_answered = False

    def __repr__(self) -> str:
        return f"Client({self.host!r})"

    # Reading

    def me(self) -> Record:
        """Returns the account, the token with its scopes, limits, deprecations, and the state of the rate limit."""
        return self._record("/me")

    def sessions(self, **filters: Any) -> Iterator[Record]:
        return self.pages("/sessions", **filters)

    def session(self, session_id: str) -> Record:
        return self._record(_path("sessions", session_id))

    def session_content(self, session_id: str) -> Record:
        """Returns `title` and `cwd`, which need a key grant to the service. Either may be missing."""
        return json.loads(self._content(_path("sessions", session_id, "content")))

    def turns(self, session_id: str, **filters: Any) -> Iterator[Record]:
        """Yields turns, newest first: what the agent did for each message, or by itself (`origin`)."""
        return self.pages(_path("sessions", session_id, "turns"), **filters)

    def messages(self, session_id: str, **filters: Any) -> Iterator[Record]:
        return self.pages(_path("sessions", session_id, "messages"), **filters)

    def content(self, session_id: str, message_id: str) -> Union[str, bytes]:
        """Returns the decrypted content of a message, which needs a key grant to the service."""
        return self._content(_path("sessions", session_id, "messages", message_id, "content"))

    def machines(self, **filters: Any) -> Iterator[Record]:
        return self.pages("/machines", **filters)

    def artifacts(self, **filters: Any) -> Iterator[Record]:
        return self.pages("/artifacts", **filters)

    def artifact_content(self, artifact_id: str) -> Union[str, bytes]:
        return self._content(_path("artifacts", artifact_id, "content"))

    def usage(self, *, from_: Optional[int] = None, **filters: Any) -> Iterator[Record]:
        # `from` is a keyword of Python.
        return self.pages("/usage", **{"from": from_, **filters})

    # Agents

    def start(
        self, machine_id: str, text: Optional[str] = None, *, agent: Optional[str] = None, cwd: Optional[str] = None,
        mode: Optional[str] = None, options: Optional[Mapping[str, str]] = None, grant: Optional[bool] = None,
        resume: Optional[str] = None, fork: Optional[bool] = None, files: Sequence[File] = (), timeout: float = 1_800.0,
        key: Optional[str] = None,
    ) -> Record:
        """Starts an agent in a new session. With a text, sends it and waits for its turn, like `send`.

        Returns `{"sessionId": …, "turn": …}`, without a text also `agentState`: "ready", or "starting" if the agent
        goes on starting, which the first message waits for. `options` are values of the agent's options, such as
        `{"model": "opus"}`. With `grant`, this token can read the session, through the service, which
        can then decrypt it; the result has `grant`, or None and `grantError`. Requires `sessions:content`. `files` come with
        the text, as in `send`.

        `resume` is the `agentSessionId` of one of `agent_sessions`, which the new session continues; with `fork`, it
        continues a copy.
        """
        deadline = time.monotonic() + timeout
        wait_ms = _wait_ms(timeout, _TURN_WAIT_MS)
        body = {"agent": agent, "cwd": cwd, "mode": mode, "options": options, "grant": grant, "resume": resume, "fork": fork}
        message = {"content": text, "attachments": _attachments(files), "waitMs": wait_ms}
        result = self._relay(_path("machines", machine_id, "sessions"), _without_none({**body, **message}), key)
        return self._with_ended_turn(result["sessionId"], result, deadline)

    def agent_sessions(
        self, machine_id: str, *, agent: Optional[str] = None, cwd: Optional[str] = None
    ) -> Iterator[Record]:
        """Yields the sessions that the agents of the machine have themselves, also those of the terminal.

        Agents that can't be asked are left out, unless `agent` names one.
        """
        path = _path("machines", machine_id, "agent-sessions")
        cursor: Optional[str] = None
        while True:
            query = {"agent": agent, "cwd": cwd, "cursor": cursor}
            result = self.request("GET", path, query=query, kind="result")["result"]
            yield from result["sessions"]
            if result["nextCursor"] is None:
                return
            if result["nextCursor"] == cursor:
                raise ApiError(200, {"detail": "The list does not advance: the machine repeated a cursor."})
            cursor = result["nextCursor"]

    def send(
        self, session_id: str, text: str, *, files: Sequence[File] = (), if_busy: Optional[str] = None,
        timeout: float = 1_800.0, key: Optional[str] = None,
    ) -> Record:
        """Sends a message and waits until its turn has ended or requires a decision.

        `files` are paths, or names with the bytes of files: at most 8, with 716,800 bytes together.

        Returns `{"reply": …, "turn": …}`. `reply` is None if the turn took longer than 25 s: read its messages.
        While the agent works, `if_busy` decides: `queue` (the default), `steer`, after which the result has `steered`,
        `interrupt` or `reject`.

        :raises WaitTimeout: when `timeout` seconds have passed. The turn goes on.
        """
        deadline = time.monotonic() + timeout
        wait_ms = _wait_ms(timeout, _TURN_WAIT_MS)
        body = {"content": text, "attachments": _attachments(files), "ifBusy": if_busy, "waitMs": wait_ms}
        result = self._relay(_path("sessions", session_id, "messages"), _without_none(body), key)
        return self._with_ended_turn(session_id, result, deadline)

    def wait_for_turn(
        self, session_id: str, turn_id: str, *, timeout: float = 1_800.0, after_version: Optional[int] = None
    ) -> Record:
        """Returns the turn when it has ended or requires a decision.

        After a decision, pass the `version` that the turn had before it, to wait for what follows. The device may
        not have reported the turn of a message that was just sent; then this waits for it first.
        """
        path = _path("sessions", session_id, "turns", turn_id)
        now = time.monotonic()
        return self._wait(path, now + timeout, after_version, reported_until=now + _REPORT_TIMEOUT)

    def cancel_turn(self, session_id: str, turn_id: str) -> Record:
        return self._relay(_path("sessions", session_id, "turns", turn_id, "cancel"), None, None)

    def options(self, session_id: str) -> Record:
        """Returns what the agent offers: `options` with the values of the next turn, and `commands`."""
        result: Record = self.request("GET", _path("sessions", session_id, "options"), kind="result")["result"]
        return result

    def change_options(self, session_id: str, values: Mapping[str, str]) -> Record:
        """Chooses values of options for the next turn, such as `{"model": "opus"}`, all or none of them."""
        path = _path("sessions", session_id, "options")
        result: Record = self.request("PATCH", path, dict(values), kind="result")["result"]
        return result

    def end(self, session_id: str) -> Record:
        return self._relay(_path("sessions", session_id, "end"), None, None)

    def permission_requests(self, session_id: str, **filters: Any) -> Iterator[Record]:
        return self.pages(_path("sessions", session_id, "permission-requests"), **filters)

    def permission_content(self, session_id: str, permission_id: str) -> Tuple[Record, str]:
        """Returns what the agent asks (`title`, `tool`, `input`, …) and the hash that `decide` requires."""
        path = _path("sessions", session_id, "permission-requests", permission_id, "content")
        data = self._record(path, {"encoding": "plaintext"})
        return json.loads(data["content"]), data["contentHash"]

    def decide(
        self, session_id: str, permission_id: str, decision: str, content_hash: str, *,
        message: Optional[str] = None, key: Optional[str] = None,
    ) -> Record:
        """Decides with `allow` or `reject`, on the content that has this hash and no other.

        `message` is the next prompt of the session, and the result has its `turn`. With `reject`, the turn that has
        asked is cancelled first. The token also needs `sessions:write`.
        """
        path = _path("sessions", session_id, "permission-requests", permission_id, "decision")
        body = {"decision": decision, "contentHash": content_hash, "message": message}
        return self._relay(path, _without_none(body), key)

    def answer(
        self, session_id: str, permission_id: str, answers: Optional[Dict[str, Any]], content_hash: str, *,
        message: Optional[str] = None, key: Optional[str] = None,
    ) -> Record:
        """Answers a question of an agent, by the names of the fields of its `schema`. `None` declines it.

        A question is a permission request without `options`; `permission_content` returns its `title`, `message` and
        `schema`. Answers that don't fit raise a 400 `invalid_request`, and the question waits on. `message` is that of
        `decide`.
        """
        path = _path("sessions", session_id, "permission-requests", permission_id, "decision")
        decision = {"decision": "decline"} if answers is None else {"answers": answers}
        body = {**decision, "contentHash": content_hash, "message": message}
        return self._relay(path, _without_none(body), key)

    # Commands

    def invoke(
        self, machine_id: str, command: Sequence[str], *, cwd: Optional[str] = None, timeout: float = 20.0,
        key: Optional[str] = None,
    ) -> Record:
        """Runs a command of at most 28 s without a shell. Returns its `exitCode`, `stdout`, `stderr`, `timedOut`, …"""
        body = _command(command, cwd, timeout)
        return self._relay(_path("machines", machine_id, "invoke"), body, key)

    def run(
        self, machine_id: str, command: Sequence[str], *, cwd: Optional[str] = None, timeout: float = 600.0,
        key: Optional[str] = None,
    ) -> CommandResult:
        """Runs a command of up to an hour without a shell, and returns its end and output.

        The machine ends the command when `timeout` seconds have passed. An exception, KeyboardInterrupt included,
        cancels it, unless it comes before the service has answered the call that starts it.

        :raises NotDelivered: nothing ran
        :raises OutcomeUnknown: also if it has ended, and the machine went offline before its output was read
        """
        invocation = self.start_invocation(machine_id, command, cwd=cwd, timeout=timeout, key=key)
        try:
            invocation = self.wait_for_invocation(machine_id, invocation["id"], timeout=timeout + 60)
        except BaseException:
            try:
                self.cancel_invocation(machine_id, invocation["id"])
            except ApiError:
                pass  # Only the first exception is about the command.
            raise
        try:
            stdout, first_stdout = self.output(machine_id, invocation["id"], "stdout")
            stderr, first_stderr = self.output(machine_id, invocation["id"], "stderr")
        except NotDelivered as error:
            # What was not delivered is a read.
            raise _to_unknown(error) from error
        return CommandResult(invocation, stdout, stderr, first_stdout + first_stderr > 0)

    def start_invocation(
        self, machine_id: str, command: Sequence[str], *, cwd: Optional[str] = None, timeout: float = 600.0,
        key: Optional[str] = None,
    ) -> Record:
        path = _path("machines", machine_id, "invocations")
        return self.request("POST", path, _command(command, cwd, timeout), key=key, kind="record")["data"]

    def wait_for_invocation(self, machine_id: str, invocation_id: str, *, timeout: float = 3_600.0) -> Record:
        return self._wait(_path("machines", machine_id, "invocations", invocation_id), time.monotonic() + timeout)

    def cancel_invocation(self, machine_id: str, invocation_id: str) -> Record:
        return self._relay(_path("machines", machine_id, "invocations", invocation_id, "cancel"), None, None)

    def output(self, machine_id: str, invocation_id: str, stream: str, offset: int = 0) -> Tuple[bytes, int]:
        """Returns what `stdout` or `stderr` has so far from the offset, and the offset of its first byte.

        That is greater than the requested one if the device, which keeps 4 MiB, no longer has those bytes.
        """
        path = _path("machines", machine_id, "invocations", invocation_id, "output")
        chunks, first = [], None
        while True:
            query = {"stream": stream, "offset": offset, "limit": _OUTPUT_BYTES}
            result = self.request("GET", path, query=query, kind="result")["result"]
            first = result["offset"] if first is None else first
            chunks.append(base64.b64decode(result["data"]))
            # Positions of a defective machine must not keep the reader for ever.
            if result["nextOffset"] >= result["totalBytes"] or result["nextOffset"] <= offset:
                return b"".join(chunks), first
            offset = result["nextOffset"]

    # Webhooks and events

    def webhooks(self, **filters: Any) -> Iterator[Record]:
        return self.pages("/webhooks", **filters)

    def create_webhook(
        self, url: str, events: Sequence[str], description: Optional[str] = None, *,
        format: Optional[str] = None, headers: Optional[Mapping[str, str]] = None,
    ) -> Tuple[Record, str]:
        """Returns the webhook and its signing secret, which is shown only once.

        :param format: ``standard``, the default, ``slack`` or ``ntfy``
        :param headers: headers that the requests also have, such as a credential for the receiver
        """
        body = _without_none({
            "url": url, "events": list(events), "description": description, "format": format,
            "headers": None if headers is None else dict(headers),
        })
        created = self.request("POST", "/webhooks", body, kind="record")
        if created["signingSecret"] is None:
            # The first response was lost, and a replay contains no secret.
            self.delete_webhook(created["data"]["id"])
            created = self.request("POST", "/webhooks", body, kind="record")
        return created["data"], created["signingSecret"]

    def delete_webhook(self, webhook_id: str) -> None:
        self.request("DELETE", _path("webhooks", webhook_id))

    def events(
        self, types: Optional[Iterable[str]] = None, *, session_id: Optional[str] = None,
        content: Optional[str] = None, deltas: Optional[Iterable[str]] = None, last_event_id: Optional[str] = None,
    ) -> Iterator[Event]:
        """Yields the events of the account or of one session, and resumes after every end of the connection.

        The first event is `stream.opened`: list the records that you follow after it. The events of a session end with
        `session.deleted`. `last_event_id` is the `cursor` of an earlier event. With `content`, `deltas` lists the kinds
        of `delta` events: `message` (the default), `thought`, `tool` and `plan`; `data["kind"]` is absent for `message`.
        After ApiError with the code `stream_expired`, list the records and open a new stream.
        """
        path = _path("sessions", session_id, "events") if session_id else "/events"
        lists = {"types": types, "deltas": deltas}
        joined = {name: ",".join(values) for name, values in lists.items() if values is not None}
        query = {**joined, **_without_none({"content": content})}
        failures, cursor = 0, last_event_id
        while True:
            delay = 1.0
            headers = {"Accept": "text/event-stream", **({"Last-Event-ID": cursor} if cursor else {})}
            try:
                with self._open("GET", path, query, None, headers, _RESPONSE_TIMEOUT) as response:
                    if not _is_success(response, "text/event-stream"):
                        raise _to_error("GET", response, self._read(response))
                    for fields in _read_fields(response):
                        failures = 0
                        cursor = fields.get("id", cursor)
                        if "data" in fields:
                            event = _to_event(fields, cursor)
                            yield event
                            if event.type == "session.deleted" and session_id:
                                return  # There is nothing to connect to any more.
            except ApiError as error:
                if not _is_retryable(error, "GET"):
                    raise
                delay = max(error.retry_after or 0.0, _backoff(failures))
                failures += 1
            except (OSError, http.client.HTTPException):
                delay = _backoff(failures)
                failures += 1
            time.sleep(delay)

    # Requests

    def pages(self, path: str, **filters: Any) -> Iterator[Record]:
        """Yields the records of all pages of a list."""
        query = {"limit": 200, **filters}
        while True:
            page = self.request("GET", path, query=query, kind="list")
            yield from page["data"]
            if page["nextCursor"] is None:
                return
            if page["nextCursor"] == query.get("cursor"):
                raise ApiError(200, {"detail": "The list does not advance: the service repeated a cursor."})
            query = {"limit": query["limit"], "cursor": page["nextCursor"]}

    def request(
        self, method: str, path: str, body: Optional[Record] = None, *, query: Optional[Mapping[str, Any]] = None,
        key: Optional[str] = None, kind: Optional[str] = None,
    ) -> Any:
        """Sends a request below `/external/v1` and returns its JSON object, or None without a body.

        Repeats it while its error says that this is safe and may help. A POST gets a new Idempotency-Key unless `key`
        is given. Pass your own to repeat a call in another process. With the `kind` `record`, `list` or `result`, an
        answer without such a `data` or `result` is not one of the service. Parameters of `query` that are None are
        left out.
        """
        headers = {"Accept": "application/json"}
        if method == "POST":
            headers["Idempotency-Key"] = key or str(uuid.uuid4())
        deadline = time.monotonic() + self.retry_for
        attempt, may_have_run = 0, False
        while True:
            try:
                return self._exchange(method, path, _without_none(query or {}), body, headers, kind)
            except ApiError as error:
                if method == "DELETE" and attempt > 0 and error.code == "not_found":
                    return None  # An earlier attempt deleted it, and its response was lost.
                delay = max(error.retry_after or 0.0, _backoff(attempt))
                if not _is_retryable(error, method) or time.monotonic() + delay > deadline:
                    # That the last attempt was not delivered, or was refused, says nothing about an earlier one.
                    if may_have_run and error.outcome not in ("unknown", "answered"):
                        raise _to_unknown(error) from error
                    raise
                may_have_run = may_have_run or (method != "GET" and error.outcome == "unknown")
            time.sleep(delay)
            attempt += 1

    def _exchange(
        self, method: str, path: str, query: Mapping[str, Any], body: Optional[Record], headers: Mapping[str, str],
        kind: Optional[str],
    ) -> Any:
        # The service answers when the wait that the call asks for is over, however soon other calls must be answered.
        wait_ms = {**(body or {}), **query}.get("waitMs")
        timeout = None if wait_ms is None else max(self.timeout, float(wait_ms) / 1_000 + _WAIT_MARGIN)
        with self._open(method, path, query, body, headers, timeout) as response:
            return _read_answer(method, response, self._read(response), kind)

    def _open(
        self, method: str, path: str, query: Mapping[str, Any], body: Optional[Record], headers: Mapping[str, str],
        timeout: Optional[float] = None,
    ) -> Any:
        """Returns the response, whatever its status."""
        url = f"{self.host}/external/v1{path}"
        if query:
            url += "?" + urllib.parse.urlencode(query)
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(url, data=data, headers=dict(headers), method=method)
        request.add_header("User-Agent", "external-api-python")
        # Unlike other headers, urllib doesn't pass this one on to a proxy or another host.
        request.add_unredirected_header("Authorization", f"Bearer {self._token}")
        if data is not None:
            request.add_header("Content-Type", "application/json")
        try:
            response: Any = self._opener.open(request, timeout=timeout or self.timeout)
        except urllib.error.HTTPError as error:
            response = error
        except (OSError, http.client.HTTPException) as error:
            raise _connection_failed(error, self.host, self._has_answered) from None
        self._has_answered = True
        return response

    def _read(self, response: Any) -> bytes:
        try:
            content: bytes = response.read()
        except (OSError, http.client.HTTPException) as error:
            raise _connection_failed(error, self.host, True) from None
        return content

    def _record(self, path: str, query: Optional[Mapping[str, Any]] = None) -> Record:
        record: Record = self.request("GET", path, query=query, kind="record")["data"]
        return record

    def _relay(self, path: str, body: Optional[Record], key: Optional[str]) -> Record:
        result: Record = self.request("POST", path, body, key=key, kind="result")["result"]
        return result

    def _content(self, path: str) -> Union[str, bytes]:
        data = self._record(path, {"encoding": "plaintext"})
        content = data["content"]
        return content if data["contentEncoding"] == "utf8" else base64.b64decode(content)

    def _with_ended_turn(self, session_id: str, result: Record, deadline: float) -> Record:
        """Waits for the turn of a result. Sessions without an agent have none."""
        turn = result.get("turn")
        if turn and turn["state"] in _OPEN_STATES:
            path = _path("sessions", session_id, "turns", turn["id"])
            result = {**result, "turn": self._wait(path, deadline, reported_until=time.monotonic() + _REPORT_TIMEOUT)}
        return result

    def _wait(
        self, path: str, deadline: float, version: Optional[int] = None, reported_until: float = 0.0
    ) -> Record:
        """Reads the record, and waits for its next versions until it is no longer open.

        :param reported_until: time before which a device may not have reported the record, which is a 404
        """
        while True:
            wait_ms = _wait_ms(deadline - time.monotonic(), _WAIT_MS)
            query = {} if version is None else {"waitMs": wait_ms, "afterVersion": version}
            try:
                record = self._record(path, query)
            except ApiError as error:
                if error.code != "not_found" or time.monotonic() > min(deadline, reported_until):
                    raise
                time.sleep(0.5)
                continue
            state = record["state"]
            if state in _FINAL_STATES or (state not in _OPEN_STATES and record["version"] != version):
                return record
            if time.monotonic() >= deadline:
                raise WaitTimeout(record)
            version = record["version"]


def verify_webhook(
    raw_body: bytes, headers: Mapping[str, str], secret: str, *, tolerance: float = 300.0
) -> Record:
    """Returns the event `{id, type, timestamp, data}` of a webhook whose signature and time are valid.

    :param raw_body: the bytes of the request body, before any parsing
    :param secret: signing secret of the webhook, `whsec_…`
    :param tolerance: seconds by which its time may differ from the clock, against replays
    :raises WebhookVerificationError: don't process the event
    """
    names = {name.lower(): value for name, value in headers.items()}
    message_id, sent_at = names.get("webhook-id", ""), names.get("webhook-timestamp", "")
    if not message_id or not re.fullmatch(r"[0-9]{1,12}", sent_at):
        raise WebhookVerificationError("The headers of a webhook are missing.")
    if abs(time.time() - int(sent_at)) > tolerance:
        raise WebhookVerificationError("The webhook is too old, or the clocks differ.")
    try:
        # Files of secrets often end with a line break.
        signing_key = base64.b64decode(secret.strip().removeprefix("whsec_"), validate=True)
    except ValueError:
        signing_key = b""
    if not signing_key:
        raise WebhookVerificationError("The secret must be the whsec_… of the webhook.")
    signed = f"{message_id}.{sent_at}.".encode() + raw_body
    expected = b"v1," + base64.b64encode(hmac.new(signing_key, signed, hashlib.sha256).digest())
    signatures = names.get("webhook-signature", "").encode().split(b" ")
    if not any([hmac.compare_digest(expected, signature) for signature in signatures]):
        raise WebhookVerificationError("The signature of the webhook is not valid.")
    return {"id": message_id, **json.loads(raw_body)}


def _path(*segments: str) -> str:
    return "".join("/" + urllib.parse.quote(segment, safe="") for segment in segments)


def _without_none(values: Mapping[str, Any]) -> Record:
    return {name: value for name, value in values.items() if value is not None}


def _attachments(files: Sequence[File]) -> Optional[List[Record]]:
    attachments = []
    for file in files:
        if isinstance(file, tuple):
            name, data = file
        else:
            name = os.path.basename(os.fspath(file))
            with open(file, "rb") as opened:
                data = opened.read()
        attachments.append({"name": name, "data": base64.b64encode(data).decode()})
    return attachments or None


def _wait_ms(seconds: float, maximum: int) -> int:
    return max(0, min(maximum, int(seconds * 1_000)))


def _command(command: Sequence[str], cwd: Optional[str], timeout: float) -> Record:
    if isinstance(command, str) or not command:
        raise ValueError("The command must be a list of its program and arguments. No shell parses it.")
    program, *args = command
    return _without_none({"command": program, "args": args, "cwd": cwd, "timeoutMs": int(timeout * 1_000)})


def _is_retryable(error: ApiError, method: str) -> bool:
    """Whether a repetition may help. It is safe: a POST has a key, and other writes only repeat their effect."""
    if error.code == "idempotency_in_progress" or isinstance(error, UnexpectedResponse):
        return True
    if isinstance(error, ConnectionFailed):
        return not error.lasting
    if error.status == 500:
        return method == "GET"  # A write may have run, and this error frees its key.
    return error.status in (408, 429, 502, 503, 504) and error.outcome != "answered"


def _to_unknown(error: ApiError) -> OutcomeUnknown:
    """Returns the error of a call that may have run, whatever its last answer says."""
    kind = ConnectionFailed if isinstance(error, ConnectionFailed) else OutcomeUnknown
    return kind(error.status, {**error.problem, "outcome": "unknown"}, error.retry_after)


def _backoff(attempt: int) -> float:
    return min(0.5 * 2**attempt, 15.0) * random.uniform(0.8, 1.2)


def _connection_failed(error: Exception, host: str, has_answered: bool) -> ConnectionFailed:
    reason = getattr(error, "reason", error)
    # urllib has no type for a proxy that opens no tunnel, through which nothing was sent.
    no_tunnel = re.match(r"Tunnel connection failed: (\d{3})", str(reason)) if isinstance(reason, OSError) else None
    never_connected = no_tunnel is not None or _is_before_sending(error, reason)
    outcome = "not_delivered" if never_connected else "unknown"
    problem = "can't be reached" if never_connected else "did not respond"
    cause = f"the proxy answered with status {no_tunnel.group(1)}" if no_tunnel else type(reason).__name__
    detail = f"{host} {problem}{_name_proxy(host)} ({cause})."
    failure = ConnectionFailed(0, {"code": "connection_failed", "detail": detail, "outcome": outcome})
    # No name and no trust within the next seconds. EAI_AGAIN is a name server that doesn't answer now. The name of a
    # host that has answered is right: a computer without a network can't resolve it.
    is_unknown_name = isinstance(reason, socket.gaierror) and reason.errno != socket.EAI_AGAIN and not has_answered
    is_refused = no_tunnel is not None and no_tunnel.group(1) in ("403", "407")
    failure.lasting = is_unknown_name or is_refused or isinstance(reason, ssl.SSLCertVerificationError)
    return failure


def _is_before_sending(error: Exception, reason: Any) -> bool:
    """Whether there was no connection. urllib wraps what fails until the request is sent."""
    if not isinstance(error, urllib.error.URLError):
        return False
    if isinstance(reason, (ConnectionRefusedError, socket.gaierror, ssl.SSLError)):
        return True
    return getattr(reason, "errno", None) in (errno.EHOSTUNREACH, errno.ENETUNREACH, errno.EADDRNOTAVAIL)


def _name_proxy(host: str) -> str:
    """Returns the proxy of the environment without its password, for messages."""
    url = urllib.parse.urlsplit(host)
    proxy = urllib.request.getproxies().get(url.scheme)
    if not proxy or urllib.request.proxy_bypass(url.netloc):
        return ""
    return " through the proxy " + re.sub(r"^\w+://", "", proxy).rpartition("@")[2].rstrip("/")


def _read_answer(method: str, response: Any, content: bytes, kind: Optional[str]) -> Optional[Record]:
    """Decides whose word a response is, and returns the JSON object of a success, None without a body.

    Only what the service itself says is final: a success of this kind, or a problem document, each with the ID that
    every response of the service has. A portal, a proxy or a gateway may answer anything else.

    :raises ApiError: the service refuses the call
    :raises UnexpectedResponse: something else has answered
    """
    if response.status == 204 and kind is None and response.headers.get("X-Request-Id"):
        return None
    body = _parse_object(content)
    if body is not None and _is_success(response, "application/json"):
        member, member_type = _KINDS[kind] if kind else (None, dict)
        is_complete = kind != "list" or "nextCursor" in body
        if member is None or (isinstance(body.get(member), member_type) and is_complete):
            return body
    raise _to_error(method, response, content)


def _is_success(response: Any, media_type: str) -> bool:
    headers = response.headers
    is_of_service = bool(headers.get("X-Request-Id")) and headers.get_content_type() == media_type
    return is_of_service and 200 <= response.status < 300


def _to_error(method: str, response: Any, content: bytes) -> ApiError:
    """Returns the refusal of the service, also a replayed one, or an error that says that something else answered."""
    status, headers = response.status, response.headers
    problem = _parse_object(content) if headers.get_content_type() == "application/problem+json" else None
    request_id = headers.get("X-Request-Id")
    retry_after = headers.get("Retry-After", "")
    seconds = float(retry_after) if re.fullmatch(r"[0-9]{1,6}", retry_after) else None
    is_of_call = problem is not None and (
        problem.get("requestId") == request_id or headers.get("Idempotency-Replayed") == "true"
    )
    if problem is None or not isinstance(problem.get("code"), str) or not request_id or not is_of_call or status < 400:
        outcome = None if method == "GET" else "unknown"
        detail = "Something between this client and the service answered instead of the service."
        return UnexpectedResponse(status, {"detail": detail, "outcome": outcome}, seconds)
    kinds = {"not_delivered": NotDelivered, "unknown": OutcomeUnknown, "answered": DeviceError}
    return kinds.get(problem.get("outcome") or "", ApiError)(status, problem, seconds)


def _parse_object(content: bytes) -> Optional[Record]:
    try:
        value = json.loads(content)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _read_fields(response: Any) -> Iterator[Dict[str, str]]:
    """Parses server-sent events. An event whose blank line is missing is incomplete and dropped."""
    fields: Dict[str, str] = {}
    for line in response:
        text = line.decode("utf-8").rstrip("\r\n")
        if not text:
            if fields:
                yield fields
            fields = {}
            continue
        name, _, value = text.partition(":")
        value = value[1:] if value.startswith(" ") else value
        if name == "data" and name in fields:
            value = f"{fields[name]}\n{value}"
        if name:
            fields[name] = value


def _to_event(fields: Dict[str, str], cursor: Optional[str]) -> Event:
    """Live events are data without an envelope."""
    payload: Record = json.loads(fields["data"])
    data = payload["data"] if "id" in payload else payload
    return Event(fields.get("event", "message"), payload.get("id"), data, cursor if "id" in fields else None)
