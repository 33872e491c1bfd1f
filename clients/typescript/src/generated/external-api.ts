/** Generated from openapi.json by npm run generate; not edited by hand. */
export interface paths {
    "/artifacts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List artifacts
         * @description Lists the account's artifacts, newest first.
         */
        get: operations["listArtifacts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/artifacts/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an artifact
         * @description One artifact's metadata.
         */
        get: operations["getArtifact"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/artifacts/{id}/content": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an artifact's content
         * @description Returns the content of the artifact if a device has granted it or its session to this caller: in plaintext with a grant to the service, or sealed with a grant to the caller's own key. `Accept: application/octet-stream` returns the plaintext as raw bytes.
         */
        get: operations["getArtifactContent"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Stream the account's events
         * @description Sends the events of the account as server-sent events, in order per session. The first event is `stream.opened`. A client that reconnects with `Last-Event-ID` misses nothing and gets nothing twice. Events whose scope the caller lacks are left out; a type in `types` without its scope is 403.
         */
        get: operations["streamEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/machines": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List machines
         * @description Lists the account's machines with their state, newest first.
         */
        get: operations["listMachines"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/machines/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a machine
         * @description Returns one machine of the account.
         */
        get: operations["getMachine"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/machines/{id}/agent-sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the sessions of a machine’s agents
         * @description Asks the agents of the machine for their own sessions, also those that a person has begun at the terminal: `resume` of `startSession` continues one. `sessionId` names a session that continues it already. Sessions in folders that the machine does not allow are left out. Titles only pass through the service, which stores none. Continue with `nextCursor` until it is null; a page may be empty before. If no `agent` is named, `problems` says which agents could not be asked, and why. Requires a personal access token.
         */
        get: operations["listAgentSessions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/machines/{id}/invocations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the invocations of a machine
         * @description Lists the commands that were started as invocations in the last 30 days, newest first. The list never contains a command or its output. Requires a personal access token.
         */
        get: operations["listInvocations"];
        put?: never;
        /**
         * Start a command that may run for an hour
         * @description Relays the command to the device that registered the machine, and returns once the device has started it. The command runs at most once: `outcome` in each error says whether it may run. The device runs the command with its arguments, never through a shell. The service stores neither the command nor its output. Requires a personal access token.
         */
        post: operations["startInvocation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/machines/{id}/invocations/{invocationId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an invocation, or wait for it
         * @description Returns one invocation. With `waitMs`, a call for an invocation that has not ended waits until it changes, at most for that time, and then returns the invocation in any case. With `afterVersion` it waits until `version` is greater. Without it, a lost invocation answers at once. Requires a personal access token.
         */
        get: operations["getInvocation"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/machines/{id}/invocations/{invocationId}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel an invocation
         * @description Asks the device to end the command with all processes of its group, and returns the state of the invocation afterwards. If the invocation has already ended, the response has its state, and no device is asked. Requires a personal access token.
         */
        post: operations["cancelInvocation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/machines/{id}/invocations/{invocationId}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Stream the output of an invocation
         * @description Sends what the command writes as server-sent events of the type `output`, from now on, and `invocation.ended` as the last event. The first event is `stream.opened` with the invocation. Nothing is stored: events have no id, a stream does not resume, and what is dropped shows as a jump of `offset`. Read it with `readInvocationOutput`. Requires a personal access token.
         */
        get: operations["streamInvocationEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/machines/{id}/invocations/{invocationId}/output": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the output of an invocation
         * @description Reads bytes of a stream from the device, which keeps the last 4 MiB of each for 24 hours. `offset` counts everything that the command has written: bytes that the device no longer keeps are left out, so that the result may begin at a greater `offset`. Continue with `nextOffset` until `eof`. Requires a personal access token.
         */
        get: operations["readInvocationOutput"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/machines/{id}/invoke": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Run a command on a machine
         * @description Relays the command to the device that registered the machine. The request blocks for up to 30 seconds. The command runs at most once: `outcome` in each error says whether it may have run. The device runs the command with its arguments, never through a shell. The response is also 200 if the exit code is not 0. Requires a personal access token.
         */
        post: operations["invokeMachine"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/machines/{id}/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Start a session on a machine
         * @description Asks the device of the machine to start an agent in a new session. With `content`, the session begins with this message, and the request waits for its turn as for a message. Without it, the request waits until the agent is ready: after `waitMs`, the response has the `agentState` `starting`, the agent goes on starting, and the first message waits for it. A machine that runs as many agents as it may is 429 `device_busy`; a first message is `queued` instead. The session is started at most once: `outcome` in each error says whether it may have been started. With `grant`, the calling token can read the session, which also requires the scope `sessions:content`. Requires a personal access token.
         */
        post: operations["startSession"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the current token
         * @description Validates a token. Returns its account, its scopes, the plan's limits, the state of both rate limits and deprecated routes. It needs no scope. The ETag covers everything except `meta` and `lastUsedAt`, which change with every call. The headers of a 304 contain the remaining quota.
         */
        get: operations["getMe"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/oauth/authorize": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Request authorization
         * @description An app redirects a person's browser here (RFC 6749 §4.1.1). The browser returns to the app's redirect URI with `code` or `error`, and with `state` and `iss` (RFC 9207). Unknown parameters are ignored.
         */
        get: operations["authorize"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/oauth/introspect": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Introspect a token
         * @description Describes a client's own token (RFC 7662). Tokens of other clients are reported as not active.
         */
        post: operations["introspectToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/oauth/revoke": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Revoke a token
         * @description Revokes a token (RFC 7009). A refresh token, even a used one, revokes all tokens of its sign-in; an access token only itself. The response is the same for tokens that are unknown, expired or another client's.
         */
        post: operations["revokeToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/oauth/token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Issue tokens
         * @description Exchanges a code, or the newest refresh token, for two new tokens (RFC 6749 §4.1.3, §6). Using a code twice revokes all tokens issued for it; so does using a refresh token again more than 10 seconds after its first use. A refresh token is valid for 30 days, a sign-in for 90.
         */
        post: operations["issueToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get this document
         * @description The OpenAPI 3.1 description of this API, without authentication.
         */
        get: operations["getOpenApi"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List sessions
         * @description Lists the account's sessions, newest first.
         */
        get: operations["listSessions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a session
         * @description Returns one session of the account.
         */
        get: operations["getSession"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{id}/content": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a session's title and folder
         * @description Returns what the device of the session has encrypted about it, if a device has granted the key of the session to this caller: in plaintext with a grant to the service, or sealed with a grant to the caller’s own key. It is JSON with the members `title` and `cwd`, the folder of the agent. Either may be missing, and there may be others. 404 if the device has stored nothing.
         */
        get: operations["getSessionContent"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{id}/end": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * End a session
         * @description Asks the device of the session to stop its agent and to end it. Open turns become `cancelled`. If the session has ended already, no device is asked. Requires a personal access token.
         */
        post: operations["endSession"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{id}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Stream a session's events
         * @description Sends the events of the session, of its messages, turns, permission requests and queued messages as server-sent events, in order. `session.deleted` ends the stream. With `content`, events of messages and permission requests contain what a device has granted to this caller, and `delta` events show what the agent is writing and, with `deltas`, what else it is doing.
         */
        get: operations["streamSessionEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{id}/messages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the messages of a session
         * @description Lists the metadata of messages by `seq`, newest first. The list never contains content.
         */
        get: operations["listMessages"];
        put?: never;
        /**
         * Send a message into a session
         * @description Relays the message to the session's host device, else to the device of its machine, else to the account device that connected last and serves messages. A message begins a turn: everything that the agent does until it stops. The request blocks until the turn ends or requires a decision, for `waitMs` at most, or 30 seconds if the device does not answer. The turn goes on after that. The message is delivered at most once: `outcome` in each error says whether it may have been delivered. With `delivery`, the service stores the message and delivers it when the host device of the session is online: the response is 202. A caller with the data key of the session can send `sealedContent` and `localId` instead of `content`, which the service cannot read. `attachments` are files for the agent; a device that can not pass one on answers 502 `device_error` with `deviceError.code` `attachment_unsupported`.
         */
        post: operations["sendMessage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{id}/messages/{msgId}/content": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a message's content
         * @description Returns the content of the message if a device has granted it to this caller: in plaintext with a grant to the service, or sealed with a grant to the caller's own key.
         */
        get: operations["getMessageContent"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{id}/options": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the options of a session
         * @description Asks the session's host device, else the device of its machine, for what the agent has announced last: its options with the values of the next turn, such as model, effort and mode, and the commands that it understands at the beginning of a message. Requires a personal access token.
         */
        get: operations["readSessionOptions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change options of a session
         * @description Chooses values of options for the next turn, and returns what the agent offers then. All of them are chosen, or none. A mode, or a value of an unknown kind of option, with which the agent decides by itself also requires the scope `machines:invoke`, and the owner of the machine may forbid it. The call can be repeated: it has the same effect. Requires a personal access token.
         */
        patch: operations["changeSessionOptions"];
        trace?: never;
    };
    "/sessions/{id}/permission-requests": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the permission requests of a session
         * @description Lists what the session's agents asked before they used a tool, newest first. The list never contains content.
         */
        get: operations["listPermissionRequests"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{id}/permission-requests/{permissionId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a permission request
         * @description Returns one permission request of a session, without its content.
         */
        get: operations["getPermissionRequest"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{id}/permission-requests/{permissionId}/content": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a permission request's content
         * @description Returns what the agent asks, if a device has granted the key of the session to this caller: in plaintext with a grant to the service, or sealed with a grant to the caller's own key. A decision repeats `contentHash`.
         */
        get: operations["getPermissionRequestContent"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{id}/permission-requests/{permissionId}/decision": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Decide on a permission request
         * @description Sends a decision to the device of the turn, which executes the first one. `contentHash` comes with the content of the request, so the key of the session must have been granted to the caller. What is allowed runs as the user of the machine. With `message`, it begins a turn, which the result names. Requires a personal access token.
         */
        post: operations["decidePermissionRequest"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{id}/queued-messages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the queued messages of a session
         * @description Lists the messages that wait for delivery, and those that ended in the last 30 days, newest first. The list never contains content.
         */
        get: operations["listQueuedMessages"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{id}/queued-messages/{queuedMessageId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Cancel a queued message
         * @description Cancels a message that waits for delivery, and deletes its text. A message that is being sent, or that has ended in another way, is 409 `conflict`.
         */
        delete: operations["cancelQueuedMessage"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{id}/turns": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the turns of a session
         * @description Lists the turns of the agent in a session, newest first.
         */
        get: operations["listTurns"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{id}/turns/{turnId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a turn, or wait for it
         * @description Returns one turn. With `waitMs`, a call for a turn that has not ended waits until it changes, at most for that time, and then returns the turn in any case. With `afterVersion` it waits until `version` is greater. Without it, a turn that requires action or is lost answers at once. A turn that a response has named is found at once, on every instance.
         */
        get: operations["getTurn"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{id}/turns/{turnId}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel a turn
         * @description Asks the device of the turn to stop it, and returns the state of the turn afterwards. A queued turn never starts. An agent that does not stop within ten seconds is killed. If the turn has already ended, the response has its state, and no device is asked.
         */
        post: operations["cancelTurn"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get usage counts
         * @description Counts each authenticated call once, in UTC periods. Defaults to the last 30 days by day, ungrouped. Counts are retained for 400 days by default. A crash of the service loses at most the last second.
         */
        get: operations["getUsage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/account/external-tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a personal access token
         * @description Creates a token for scripts that act as the account. Its scopes cannot be extended. `token` is the secret. It is returned only once; the service stores only its hash.
         */
        post: operations["createExternalToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/developer/apps": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Register an app
         * @description Registers an app that acts for other people by OAuth 2.0, and creates its first secret. A redirect URI must be https, or http on `127.0.0.1`, `[::1]` or `localhost`, without fragment, user information or wildcard. `clientSecret` is returned only once.
         */
        post: operations["createDeveloperApp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{id}/key-grants": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Grant the key of a session's content
         * @description Lets callers read the session's messages through the service or with their own key, which the service never has. For the service, `sealedKey` contains `{"key": <oct JWK>, "aud": <host URL>, "accountId", "sessionId", "artifactId": null, "tokenId", "appId", "expiresAt"}`, each as in the grant, sealed to the key that `GET /v1/key-grants/recipient` names. For a caller's own key it contains only the `oct` JWK. A machine can grant sessions that it hosts.
         */
        post: operations["createSessionKeyGrant"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List webhooks
         * @description The account's webhooks, newest first, and all event types. An app sees only its own webhooks.
         */
        get: operations["listWebhooks"];
        put?: never;
        /**
         * Create a webhook
         * @description Deliveries are signed with `signingSecret` (Standard Webhooks 1.0.0), which is shown only once. An event type requires the read scope of its data. Events of tokens, key grants, relayed calls and webhooks are not available to apps. `["*"]` means all events that the caller may see, now and later. A webhook outlives the personal access token that created it. An app's webhooks are deleted when the person revokes its authorization.
         */
        post: operations["createWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a webhook
         * @description One webhook of the account.
         */
        get: operations["getWebhook"];
        put?: never;
        post?: never;
        /**
         * Delete a webhook
         * @description Deletes the webhook and drops its pending deliveries.
         */
        delete: operations["deleteWebhook"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface webhooks {
    "artifact.created": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Receive artifact.created
         * @description Sent when an artifact is created. Requires the scope `artifacts:read`.
         */
        post: operations["onArtifactCreated"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "artifact.deleted": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Receive artifact.deleted
         * @description Sent when an artifact is deleted. `data` is its last state. Requires the scope `artifacts:read`.
         */
        post: operations["onArtifactDeleted"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "artifact.updated": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Receive artifact.updated
         * @description Sent when an artifact's content is replaced. Requires the scope `artifacts:read`.
         */
        post: operations["onArtifactUpdated"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "invocation.ended": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Receive invocation.ended
         * @description Sent when an invocation enters a final state or becomes `lost`. Requires the scope `machines:invoke`.
         */
        post: operations["onInvocationEnded"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "key_grant.created": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Receive key_grant.created
         * @description Sent when a device grants the key of a session or an artifact. Not available to apps.
         */
        post: operations["onKeyGrantCreated"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "key_grant.revoked": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Receive key_grant.revoked
         * @description Sent when a key grant is revoked. `data` is its last state. Not available to apps.
         */
        post: operations["onKeyGrantRevoked"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "machine.offline": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Receive machine.offline
         * @description Sent when a machine has been offline for 5 seconds. Requires the scope `machines:read`.
         */
        post: operations["onMachineOffline"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "machine.online": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Receive machine.online
         * @description Sent when a machine has been online for 5 seconds. Requires the scope `machines:read`.
         */
        post: operations["onMachineOnline"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "machine.registered": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Receive machine.registered
         * @description Sent when a machine is registered. Requires the scope `machines:read`.
         */
        post: operations["onMachineRegistered"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "message.created": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Receive message.created
         * @description Sent when a message is stored in a session, once for each message. Imported messages cause none. Requires the scope `sessions:read`.
         */
        post: operations["onMessageCreated"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "permission.decided": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Receive permission.decided
         * @description Sent when the state of a permission request is final. Requires the scope `sessions:read`.
         */
        post: operations["onPermissionDecided"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "permission.requested": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Receive permission.requested
         * @description Sent when a pending permission request is stored. Requires the scope `sessions:read`.
         */
        post: operations["onPermissionRequested"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "queued_message.ended": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Receive queued_message.ended
         * @description Sent when a queued message is delivered, or will never be. Requires the scope `sessions:read`.
         */
        post: operations["onQueuedMessageEnded"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "relay.completed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Receive relay.completed
         * @description Sent when a call of a token or an app that was relayed to a device succeeds. Not available to apps.
         */
        post: operations["onRelayCompleted"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "relay.failed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Receive relay.failed
         * @description Sent when a call of a token or an app that was relayed to a device fails. Not available to apps.
         */
        post: operations["onRelayFailed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "session.created": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Receive session.created
         * @description Sent when a session is created. Requires the scope `sessions:read`.
         */
        post: operations["onSessionCreated"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "session.deleted": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Receive session.deleted
         * @description Sent when a session is deleted. `data` is its last state. Requires the scope `sessions:read`.
         */
        post: operations["onSessionDeleted"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "session.ended": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Receive session.ended
         * @description Sent when a session ends. Requires the scope `sessions:read`.
         */
        post: operations["onSessionEnded"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "session.updated": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Receive session.updated
         * @description Sent when a session's metadata or agent changes, or an ended session becomes active. Requires the scope `sessions:read`.
         */
        post: operations["onSessionUpdated"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "token.created": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Receive token.created
         * @description Sent when a personal access token is created. Not available to apps.
         */
        post: operations["onTokenCreated"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "token.expiring": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Receive token.expiring
         * @description Sent when an active token expires in 7 days, and again in 1 day. Not available to apps.
         */
        post: operations["onTokenExpiring"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "token.revoked": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Receive token.revoked
         * @description Sent when a personal access token is revoked. `data` is its last state. Not available to apps.
         */
        post: operations["onTokenRevoked"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "turn.ended": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Receive turn.ended
         * @description Sent when a turn becomes `completed`, `failed`, `cancelled` or `lost`. Requires the scope `sessions:read`.
         */
        post: operations["onTurnEnded"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "turn.requires_action": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Receive turn.requires_action
         * @description Sent when a turn waits for a decision on a permission request. Requires the scope `sessions:read`.
         */
        post: operations["onTurnRequiresAction"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "turn.started": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Receive turn.started
         * @description Sent when a turn first runs, and when it runs again after it was lost. Requires the scope `sessions:read`.
         */
        post: operations["onTurnStarted"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "webhook.disabled": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Receive webhook.disabled
         * @description Sent when the service disables a webhook. It is not sent to that webhook. Not available to apps.
         */
        post: operations["onWebhookDisabled"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "webhook.test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Receive webhook.test
         * @description Sent when a test of the webhook is requested, whatever it subscribes to.
         */
        post: operations["onWebhookTest"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface components {
    schemas: {
        AccountIdentity: {
            /**
             * Format: int64
             * @description When the account was created; null without the scope `profile:read`.
             * @example 1788255000000
             */
            createdAt: number | null;
            /** @example acc_01m7xsah51f6ctt8c84t8wbh7e */
            id: string;
            /** @example ada */
            username: string;
        };
        AgentOption: {
            /**
             * @description `mode`, `model`, `thought_level` or another one of the agent; null if it names none.
             * @example model
             */
            category: string | null;
            /** @example model */
            id: string;
        };
        /** @description Answer not kept: the response of the first call with this Idempotency-Key was not stored; the call is not run again. */
        AnswerNotKeptProblem: components["schemas"]["Problem"] & {
            /** @constant */
            code: "answer_not_kept";
            firstRequestId: string;
            firstStatus: number;
            outcome?: components["schemas"]["Outcome"];
            /** @constant */
            status: 409;
        };
        AppSecret: {
            /**
             * Format: int64
             * @example 1788255000000
             */
            createdAt: number;
            /**
             * Format: int64
             * @description When the secret expires; null if it does not expire.
             * @example null
             */
            expiresAt: number | null;
            /** @example sec_01m7xsah51f6ctt8c84t8wbh7e */
            id: string;
            /**
             * @description Last characters of the secret.
             * @example 1b2c
             */
            last4: string;
            /**
             * Format: int64
             * @example null
             */
            lastUsedAt: number | null;
        };
        AppWithSecret: {
            /**
             * @description The secret. It is returned only once.
             * @example svc_ocs_0123456789ABCDEFGHIJKLMNOPQRST0a1b2c
             */
            clientSecret: string;
            data: components["schemas"]["DeveloperApp"];
        };
        Artifact: {
            /**
             * @description Whether a key grant currently allows this caller to read the content.
             * @example false
             */
            contentGranted: boolean;
            /**
             * Format: int64
             * @example 1788255000000
             */
            createdAt: number;
            /** @example art_01m7xsah51f6ctt8c84t8wbh7e */
            id: string;
            /**
             * @description Id of the data key that encrypts the content.
             * @example k1
             */
            keyId: string;
            /**
             * @description Media type of the plaintext, as declared by its device.
             * @example text/html
             */
            mediaType: string;
            /**
             * @example artifact
             * @enum {string}
             */
            object: "artifact";
            /**
             * @description Session that produced the artifact, if any.
             * @example ses_01m7xsah51f6ctt8c84t8wbh7e
             */
            sessionId: string | null;
            /**
             * @description Size of the ciphertext in bytes.
             * @example 48213
             */
            sizeBytes: number;
            /**
             * @description Name given by its device, unique within the account.
             * @example coverage-report
             */
            tag: string;
            /**
             * Format: int64
             * @example 1788255000000
             */
            updatedAt: number;
            /**
             * @description Version of the content, from 1.
             * @example 3
             */
            version: number;
        };
        /** @description Sent when an artifact is created. Requires the scope `artifacts:read`. */
        ArtifactCreatedEvent: {
            data: components["schemas"]["Artifact"];
            /**
             * Format: int64
             * @description When the event happened, in Unix milliseconds.
             * @example 1788255000000
             */
            timestamp: number;
            /**
             * @example artifact.created
             * @enum {string}
             */
            type: "artifact.created";
        };
        /** @description Sent when an artifact is deleted. `data` is its last state. Requires the scope `artifacts:read`. */
        ArtifactDeletedEvent: {
            data: components["schemas"]["Artifact"];
            /**
             * Format: int64
             * @description When the event happened, in Unix milliseconds.
             * @example 1788255000000
             */
            timestamp: number;
            /**
             * @example artifact.deleted
             * @enum {string}
             */
            type: "artifact.deleted";
        };
        /** @description Sent when an artifact's content is replaced. Requires the scope `artifacts:read`. */
        ArtifactUpdatedEvent: {
            data: components["schemas"]["Artifact"];
            /**
             * Format: int64
             * @description When the event happened, in Unix milliseconds.
             * @example 1788255000000
             */
            timestamp: number;
            /**
             * @example artifact.updated
             * @enum {string}
             */
            type: "artifact.updated";
        };
        Attachment: {
            /**
             * @description An artifact that you can read, of a session on the same device, or one that the device has stored.
             * @example art_01jb0000000000000000000000
             */
            artifactId?: string | null;
            /**
             * @description The file in base64, with `name`. All files of a message together may have 716,800 bytes.
             * @example iVBORw0KGgo=
             */
            data?: string | null;
            /**
             * @description What you take the file in `data` for. The device goes by the content.
             * @example image/png
             */
            mediaType?: string | null;
            /**
             * @description Name of the file in `data`. The device uses the last part of a path.
             * @example screenshot.png
             */
            name?: string | null;
            /**
             * @description With `sealedContent` of the message: name and file, which you have encrypted with the data key of the session.
             * @example eyJhbGciOiJkaXIi….….…
             */
            sealedContent?: string | null;
        };
        ChangeOptions: {
            [key: string]: string;
        };
        /** @description Conflict: the resource is not in the state that the request requires. */
        ConflictProblem: components["schemas"]["Problem"] & {
            /** @constant */
            code: "conflict";
            /** @description The current version, if another one was expected. */
            current?: number;
            outcome?: components["schemas"]["Outcome"];
            /** @constant */
            status: 409;
        };
        CreateDeveloperApp: {
            /** @description Description of the app. An empty string clears it. */
            description?: string;
            /** @description http or https URL. An empty string clears it. */
            homepageUrl?: string;
            name: string;
            redirectUris: string[];
        };
        CreateExternalToken: {
            /** @description Days until the token expires. If absent, it does not expire. */
            expiresInDays?: number;
            /**
             * @description Machines of the account that the token is limited to. It can't act on others, not even on those that are added later. If absent, it may act on all.
             * @example null
             */
            machineIds?: string[] | null;
            /** @description Name of the token, chosen by its owner. */
            name: string;
            /**
             * @example [
             *       "sessions:read"
             *     ]
             */
            scopes: ("sessions:read" | "sessions:write" | "sessions:content" | "sessions:approve" | "machines:read" | "machines:invoke" | "machines:invoke:verified" | "artifacts:read" | "artifacts:content" | "artifacts:write" | "webhooks:manage" | "usage:read" | "profile:read")[];
        };
        CreateKeyGrant: {
            /** @description Client id of the app that the grant is limited to. Must not be combined with `tokenId`. */
            appId?: string;
            /** @description Future time in Unix milliseconds. If absent, the grant lasts until it is revoked. */
            expiresAt?: number;
            /**
             * @description `"service"`, or the public JWK of the only reader. Besides the listed members it may have `use` `enc`, `alg` `ECDH-ES+A256KW`, an empty `key_ops`, and `ext`.
             * @example service
             */
            recipient: "service" | components["schemas"]["RecipientKey"];
            /** @description Compact JWE of the session's data key, sealed to the recipient: `ECDH-ES+A256KW`, `A256GCM`. */
            sealedKey: string;
            /** @description Personal access token that the grant is limited to. Defaults to all of the account if `appId` is absent too. */
            tokenId?: string;
        };
        CreateWebhook: {
            /** @description Purpose of the webhook, as free text. */
            description?: string;
            /**
             * @description Event types to subscribe to, or `["*"]` for all events that the caller may see.
             * @example [
             *       "session.created",
             *       "session.ended"
             *     ]
             */
            events: ("session.created" | "session.updated" | "session.ended" | "session.deleted" | "message.created" | "turn.started" | "turn.requires_action" | "turn.ended" | "permission.requested" | "permission.decided" | "queued_message.ended" | "machine.registered" | "machine.online" | "machine.offline" | "invocation.ended" | "artifact.created" | "artifact.updated" | "artifact.deleted" | "key_grant.created" | "key_grant.revoked" | "token.created" | "token.revoked" | "token.expiring" | "relay.completed" | "relay.failed" | "webhook.disabled" | "webhook.test" | "*")[];
            /**
             * @description Form of the requests: `standard` (the default) has the event, `slack` and `ntfy` a line with a link to the console.
             * @enum {string}
             */
            format?: "standard" | "slack" | "ntfy";
            /**
             * @description Headers that the requests also have, such as a credential for the receiver. They are stored encrypted, and no response shows their values. Those that the service sets, `Content-*` and headers of one connection are refused.
             * @example {
             *       "Authorization": "Bearer tk_of_the_receiver"
             *     }
             */
            headers?: {
                [key: string]: string;
            };
            /**
             * @description URL that receives deliveries. It must use https, have no user name or password, and resolve to public addresses.
             * @example https://example.com/hooks
             */
            url: string;
        };
        DecidePermission: {
            /**
             * @description Answers to a question by the names of its fields, at most 8,192 bytes of JSON. They pass through the service in the clear, and the device compares them with the schema of the question.
             * @example {
             *       "database": "postgres"
             *     }
             */
            answers?: {
                [key: string]: string | number | boolean | string[];
            };
            /**
             * @description The `contentHash` that came with the content.
             * @example LPJNul-wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ
             */
            contentHash: string;
            /**
             * @description `allow` selects the first option of the kind `allow_once`, `reject` the first of the kind `reject_once`. `decline` declines a question. Exactly one of `decision`, `optionId`, `answers` and `sealedAnswers` is required.
             * @example allow
             * @enum {string}
             */
            decision?: "allow" | "reject" | "decline";
            /**
             * @description The next prompt of the session, before queued messages, when the running turn has ended. A decision that rejects or declines ends it first. Requires `sessions:write`.
             * @example Use the build cache instead of deleting it.
             */
            message?: string;
            /**
             * @description One of the options of the request, of any kind.
             * @example o2
             */
            optionId?: string;
            /**
             * @description Answers that you have encrypted with the data key of the session: a compact JWE, bound to `contentHash`. The service can't read it.
             * @example eyJhbGciOiJkaXIi….….…
             */
            sealedAnswers?: string;
            /**
             * @description A `message` that you have encrypted with the data key of the session: a compact JWE, bound to `contentHash` and the role `user`. The service can't read it.
             * @example eyJhbGciOiJkaXIi….….…
             */
            sealedMessage?: string;
        };
        /** @description Piece of the message that an agent is writing, or what else it is doing, in the requested encoding. */
        DeltaLiveEvent: {
            /**
             * @description Text for `message` and `thought`. JSON text for `tool` and `plan`, which replaces an earlier one.
             * @example All 214
             */
            content: string;
            /**
             * @description Absent for `message`. Only kinds that `deltas` asks for. Known values, to which others may be added: `message`, `thought`, `tool`, `plan`.
             * @enum {string}
             */
            kind?: "message" | "thought" | "tool" | "plan";
            /** @example m-0013 */
            localId: string;
            /** @example 0 */
            n: number;
            /** @example ses_01m7xsah51f6ctt8c84t8wbh7e */
            sessionId: string;
            /** @example turn_01m7xsah51f6ctt8c84t8wbh7e */
            turnId: string;
        };
        DeprecationNotice: {
            /**
             * Format: int64
             * @example 1788255000000
             */
            deprecatedAt: number;
            /**
             * @description URL of the page that explains the deprecation.
             * @example https://api.test/docs/deprecations#list-sessions-v1
             */
            docUrl: string;
            /**
             * @description Stable name of the notice.
             * @example list-sessions-v1
             */
            id: string;
            /** @example Use the new list instead. */
            message: string;
            /** @example GET */
            method: string;
            /**
             * @description Path of the route from the host root, with placeholders in braces.
             * @example /external/v1/sessions
             */
            path: string;
            /**
             * @description Path of the replacement, from the host root.
             * @example /external/v2/sessions
             */
            replacement: string | null;
            /**
             * Format: int64
             * @description Time from which the route returns 410. Null if it is not decided yet.
             * @example 1803807000000
             */
            sunsetAt: number | null;
        };
        DeveloperApp: {
            /**
             * @description Number of people who have authorized the app.
             * @example 0
             */
            activeUsers: number;
            /** @example svc_oapp_0123456789ABCDEFGHIJKLMNOPQRST0a1b2c */
            clientId: string;
            /**
             * Format: int64
             * @example 1788255000000
             */
            createdAt: number;
            /** @example Collects the findings of your agents */
            description: string | null;
            /** @example https://app.example */
            homepageUrl: string | null;
            /** @example Notes */
            name: string;
            /**
             * @example app
             * @enum {string}
             */
            object: "app";
            /**
             * @example [
             *       "https://app.example/callback"
             *     ]
             */
            redirectUris: string[];
            secrets: components["schemas"]["AppSecret"][];
            /**
             * @description `suspended`: an operator of the service has stopped the app. Its developer cannot enable it. Known values, to which others may be added: `active`, `disabled`, `suspended`.
             * @example active
             * @enum {string}
             */
            state: "active" | "disabled" | "suspended";
            /**
             * Format: int64
             * @example 1788255000000
             */
            updatedAt: number;
        };
        /** @description Device busy: the device has reached its limit of concurrent calls, or has too much work to accept this one, such as no place for another agent. */
        DeviceBusyProblem: components["schemas"]["Problem"] & {
            /** @constant */
            code: "device_busy";
            outcome: components["schemas"]["Outcome"];
            /** @constant */
            status: 429;
        };
        /** @description Device disconnected: the device or its instance disconnected or stopped responding during the call. */
        DeviceDisconnectedProblem: components["schemas"]["Problem"] & {
            /** @constant */
            code: "device_disconnected";
            outcome: components["schemas"]["Outcome"];
            /** @constant */
            status: 502;
        };
        /** @description The error as reported by the device. */
        DeviceError: {
            /** @example command_not_found */
            code: string;
            /** @example There is no program "gti". */
            message: string;
            /**
             * @description With `session_exists`, if the device knows it: the session that is there already.
             * @example ses_01m7xsah51f6ctt8c84t8wbh7e
             */
            sessionId?: string;
        };
        /** @description Device error: the device returned an error or an invalid response (`deviceError.code` `invalid_answer`). */
        DeviceErrorProblem: components["schemas"]["Problem"] & {
            /** @constant */
            code: "device_error";
            deviceError: components["schemas"]["DeviceError"];
            outcome: components["schemas"]["Outcome"];
            /** @constant */
            status: 502;
        };
        ExternalToken: {
            /**
             * Format: int64
             * @example 1788255000000
             */
            createdAt: number;
            /**
             * Format: int64
             * @description When the token expires; null if it does not expire.
             * @example 1796031000000
             */
            expiresAt: number | null;
            /** @example tok_01m7xsah51f6ctt8c84t8wbh7e */
            id: string;
            /**
             * @description Last characters of the secret.
             * @example 1b2c
             */
            last4: string;
            /**
             * Format: int64
             * @description When the token was last used. Updated at most once a minute.
             * @example null
             */
            lastUsedAt: number | null;
            /**
             * @description Machines that the token is limited to; null if it may act on all machines of the account.
             * @example [
             *       "mch_01m7xsah51f6ctt8c84t8wbh7e"
             *     ]
             */
            machineIds: string[] | null;
            /** @example ci */
            name: string;
            /**
             * @example token
             * @enum {string}
             */
            object: "token";
            /**
             * @description First characters of the secret.
             * @example svc_pat_0123
             */
            prefix: string;
            /**
             * @example [
             *       "sessions:read",
             *       "usage:read"
             *     ]
             */
            scopes: ("sessions:read" | "sessions:write" | "sessions:content" | "sessions:approve" | "machines:read" | "machines:invoke" | "machines:invoke:verified" | "artifacts:read" | "artifacts:content" | "artifacts:write" | "webhooks:manage" | "usage:read" | "profile:read")[];
            /**
             * @description Known values, to which others may be added: `expired`, `revoked`, `active`.
             * @example active
             * @enum {string}
             */
            state: "expired" | "revoked" | "active";
        };
        /** @description Forbidden: the credential is of the wrong kind, or the account is suspended. */
        ForbiddenProblem: components["schemas"]["Problem"] & {
            /** @constant */
            code: "forbidden";
            /** @constant */
            status: 403;
        };
        /** @description Grant key mismatch: a sealed key or ciphertext cannot be decrypted, does not match or is misplaced. */
        GrantKeyMismatchProblem: components["schemas"]["Problem"] & {
            /** @constant */
            code: "grant_key_mismatch";
            /** @constant */
            status: 422;
        };
        /** @description Idempotency in progress: the first call with this Idempotency-Key is still running. */
        IdempotencyInProgressProblem: components["schemas"]["Problem"] & {
            /** @constant */
            code: "idempotency_in_progress";
            /** @constant */
            status: 409;
        };
        /** @description Idempotency key reused: the Idempotency-Key was already used with a different request. */
        IdempotencyKeyReusedProblem: components["schemas"]["Problem"] & {
            /** @constant */
            code: "idempotency_key_reused";
            /** @constant */
            status: 422;
        };
        /** @description Insufficient scope: the token is valid but lacks a required scope. */
        InsufficientScopeProblem: components["schemas"]["Problem"] & {
            /** @constant */
            code: "insufficient_scope";
            outcome?: components["schemas"]["Outcome"];
            required: ("sessions:read" | "sessions:write" | "sessions:content" | "sessions:approve" | "machines:read" | "machines:invoke" | "machines:invoke:verified" | "artifacts:read" | "artifacts:content" | "artifacts:write" | "webhooks:manage" | "usage:read" | "profile:read")[];
            /** @constant */
            status: 403;
        };
        /** @description Internal error: the service failed unexpectedly. */
        InternalErrorProblem: components["schemas"]["Problem"] & {
            /** @constant */
            code: "internal_error";
            /** @constant */
            status: 500;
        };
        IntrospectionAnswer: {
            /** @example true */
            active: boolean;
            /** @example svc_oapp_0123456789ABCDEFGHIJKLMNOPQRST0a1b2c */
            client_id?: string;
            /**
             * @description Expiry as Unix time in seconds.
             * @example 1788258600
             */
            exp?: number;
            /**
             * @description Time of issue as Unix time in seconds.
             * @example 1788255000
             */
            iat?: number;
            /** @example https://api.test */
            iss?: string;
            /**
             * @description Scopes of the token, separated by spaces.
             * @example sessions:read profile:read
             */
            scope?: string;
            /**
             * @description ID of the account for which the token acts.
             * @example acc_01m7xsah51f6ctt8c84t8wbh7e
             */
            sub?: string;
            /**
             * @description Present for access tokens.
             * @example Bearer
             * @enum {string}
             */
            token_type?: "Bearer";
            /**
             * @description Present with the scope `profile:read`.
             * @example ada
             */
            username?: string;
        };
        /** @description Invalid cursor: the cursor was modified or used with other filters. */
        InvalidCursorProblem: components["schemas"]["Problem"] & {
            /** @constant */
            code: "invalid_cursor";
            /** @constant */
            status: 400;
        };
        /** @description Invalid request: invalid, too large or too deeply nested JSON, a wrong type or range, an unknown field or parameter, or two Authorization headers; up to 20 violations are reported. */
        InvalidRequestProblem: components["schemas"]["Problem"] & {
            /** @constant */
            code: "invalid_request";
            errors: components["schemas"]["RequestFault"][];
            outcome?: components["schemas"]["Outcome"];
            /** @constant */
            status: 400;
        };
        /** @description Invalid token: the credential is malformed, unknown, expired, revoked or of a kind that this path does not accept. */
        InvalidTokenProblem: components["schemas"]["Problem"] & {
            /** @constant */
            code: "invalid_token";
            /**
             * @description Known values, to which others may be added: `malformed`, `expired`, `revoked`, `unknown`.
             * @enum {string}
             */
            reason: "malformed" | "expired" | "revoked" | "unknown";
            /** @constant */
            status: 401;
        };
        Invocation: {
            /**
             * Format: int64
             * @example 1788255000000
             */
            createdAt: number;
            /**
             * Format: int64
             * @example 1788255000000
             */
            endedAt: number | null;
            /**
             * @description Why the invocation failed, if it did. Known values, to which others may be added: `command_not_found`, `permission_denied`, `cwd_not_found`, `cwd_not_allowed`, `process_lost`, `internal`.
             * @example null
             * @enum {string|null}
             */
            errorCode: "command_not_found" | "permission_denied" | "cwd_not_found" | "cwd_not_allowed" | "process_lost" | "internal" | null;
            /**
             * @description Exit code of the command; null while it runs, and if a signal ended it.
             * @example 0
             */
            exitCode: number | null;
            /** @example inv_01m7xsah51f6ctt8c84t8wbh7e */
            id: string;
            /** @example mch_01m7xsah51f6ctt8c84t8wbh7e */
            machineId: string;
            /**
             * @example invocation
             * @enum {string}
             */
            object: "invocation";
            /**
             * @description Relayed call that began the invocation.
             * @example req_01m7xsah51f6ctt8c84t8wbh7e
             */
            requestId: string;
            /**
             * @description Signal that ended the command.
             * @example null
             */
            signal: string | null;
            /**
             * Format: int64
             * @example 1788255000000
             */
            startedAt: number | null;
            /**
             * @description Known values, to which others may be added: `starting`, `running`, `completed`, `cancelled`, `timed_out`, `failed`, `lost`.
             * @example completed
             * @enum {string}
             */
            state: "starting" | "running" | "completed" | "cancelled" | "timed_out" | "failed" | "lost";
            /**
             * @description Bytes that the command wrote to its standard error, known when it has ended.
             * @example 0
             */
            stderrBytes: number;
            /**
             * @description Bytes that the command wrote to its standard output, known when it has ended.
             * @example 18230
             */
            stdoutBytes: number;
            /**
             * @description Whether the device ended the command because its time was up.
             * @example false
             */
            timedOut: boolean;
            /**
             * @description Number of changes, from 1.
             * @example 3
             */
            version: number;
        };
        /** @description Sent when an invocation enters a final state or becomes `lost`. Requires the scope `machines:invoke`. */
        InvocationEndedEvent: {
            data: components["schemas"]["Invocation"];
            /**
             * Format: int64
             * @description When the event happened, in Unix milliseconds.
             * @example 1788255000000
             */
            timestamp: number;
            /**
             * @example invocation.ended
             * @enum {string}
             */
            type: "invocation.ended";
        };
        /** @description First and last event of the stream of an invocation. */
        InvocationStreamEvent: {
            data: components["schemas"]["Invocation"];
            id: null;
            /**
             * Format: int64
             * @example 1788255000000
             */
            timestamp: number;
            /** @enum {string} */
            type: "stream.opened" | "invocation.ended";
        };
        Invoke: {
            /**
             * @description Arguments of the program.
             * @default []
             * @example [
             *       "status",
             *       "--short"
             *     ]
             */
            args?: string[];
            /**
             * @description The program to run.
             * @example git
             */
            command: string;
            /**
             * @description Working directory. The device uses its default if this is null or absent, and decides whether the directory is allowed.
             * @example /srv/app
             */
            cwd?: string | null;
            /**
             * @description Time limit of the command in ms. The device gets at most 28000 ms.
             * @default 20000
             * @example 10000
             */
            timeoutMs?: number;
        };
        KeyGrant: {
            /**
             * @description Client id of the app that the grant is limited to, if any.
             * @example null
             */
            appId: string | null;
            /**
             * @description Artifact of the grant; null for a grant of a session.
             * @example null
             */
            artifactId: string | null;
            /**
             * Format: int64
             * @example 1788255000000
             */
            createdAt: number;
            /**
             * Format: int64
             * @description When the grant expires; null if it lasts until it is revoked.
             * @example null
             */
            expiresAt: number | null;
            /** @example grt_01m7xsah51f6ctt8c84t8wbh7e */
            id: string;
            /**
             * @example key_grant
             * @enum {string}
             */
            object: "key_grant";
            /**
             * @description Recipient that can decrypt the sealed key.
             * @example service
             */
            recipient: "service" | components["schemas"]["RecipientKey"];
            /**
             * @description `kid` of the recipient's key, else its thumbprint (RFC 7638).
             * @example kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k
             */
            recipientKeyId: string;
            /**
             * @description Session of the grant; null for a grant of an artifact.
             * @example ses_01m7xsah51f6ctt8c84t8wbh7e
             */
            sessionId: string | null;
            /**
             * @description Personal access token that the grant is limited to, if any.
             * @example tok_01m7xsah51f6ctt8c84t8wbh7e
             */
            tokenId: string | null;
        };
        /** @description Sent when a device grants the key of a session or an artifact. Not available to apps. */
        KeyGrantCreatedEvent: {
            data: components["schemas"]["KeyGrant"];
            /**
             * Format: int64
             * @description When the event happened, in Unix milliseconds.
             * @example 1788255000000
             */
            timestamp: number;
            /**
             * @example key_grant.created
             * @enum {string}
             */
            type: "key_grant.created";
        };
        /** @description Sent when a key grant is revoked. `data` is its last state. Not available to apps. */
        KeyGrantRevokedEvent: {
            data: components["schemas"]["KeyGrant"];
            /**
             * Format: int64
             * @description When the event happened, in Unix milliseconds.
             * @example 1788255000000
             */
            timestamp: number;
            /**
             * @example key_grant.revoked
             * @enum {string}
             */
            type: "key_grant.revoked";
        };
        Machine: {
            /** @description Agents that can be started on the machine. */
            agents: components["schemas"]["MachineAgent"][];
            /** @example 1.4.2 */
            appVersion: string | null;
            /** @example x64 */
            arch: string | null;
            /**
             * @description Calls that its device serves: `session.message`, `session.cancel`, `session.permission`, `session.start`, `session.end`, `agent.sessions`, `machine.invoke`, `invocation`; and abilities such as `session.grant`, `session.options` and `session.busy`.
             * @example [
             *       "session.message",
             *       "machine.invoke"
             *     ]
             */
            capabilities: string[];
            /**
             * Format: int64
             * @example 1788255000000
             */
            createdAt: number;
            /** @example mch_01m7xsah51f6ctt8c84t8wbh7e */
            id: string;
            /**
             * Format: int64
             * @description When its device was last connected; null if it never was.
             * @example 1788255000000
             */
            lastSeenAt: number | null;
            /** @example build-box */
            name: string;
            /**
             * @example machine
             * @enum {string}
             */
            object: "machine";
            /** @example linux */
            platform: string;
            /**
             * @description Whether its device is connected. Only online machines receive calls. Known values, to which others may be added: `offline`, `online`.
             * @example online
             * @enum {string}
             */
            state: "offline" | "online";
            /**
             * Format: int64
             * @example 1788255000000
             */
            updatedAt: number;
        };
        MachineAgent: {
            /**
             * @description Modes that the agent offers, such as those that ask before each tool.
             * @example [
             *       "build",
             *       "plan"
             *     ]
             */
            modes: string[];
            /**
             * @description Name to start it by.
             * @example opencode
             */
            name: string;
            /** @description Options that the agent offers. A session says which values they have. */
            options: components["schemas"]["AgentOption"][];
            /** @example OpenCode */
            title: string | null;
            /** @example 1.2.3 */
            version: string | null;
        };
        /** @description Machine not allowed: the token is limited to other machines. */
        MachineNotAllowedProblem: components["schemas"]["Problem"] & {
            /** @constant */
            code: "machine_not_allowed";
            outcome: components["schemas"]["Outcome"];
            /** @constant */
            status: 403;
        };
        /** @description Sent when a machine has been offline for 5 seconds. Requires the scope `machines:read`. */
        MachineOfflineEvent: {
            data: components["schemas"]["Machine"];
            /**
             * Format: int64
             * @description When the event happened, in Unix milliseconds.
             * @example 1788255000000
             */
            timestamp: number;
            /**
             * @example machine.offline
             * @enum {string}
             */
            type: "machine.offline";
        };
        /** @description Sent when a machine has been online for 5 seconds. Requires the scope `machines:read`. */
        MachineOnlineEvent: {
            data: components["schemas"]["Machine"];
            /**
             * Format: int64
             * @description When the event happened, in Unix milliseconds.
             * @example 1788255000000
             */
            timestamp: number;
            /**
             * @example machine.online
             * @enum {string}
             */
            type: "machine.online";
        };
        /** @description Sent when a machine is registered. Requires the scope `machines:read`. */
        MachineRegisteredEvent: {
            data: components["schemas"]["Machine"];
            /**
             * Format: int64
             * @description When the event happened, in Unix milliseconds.
             * @example 1788255000000
             */
            timestamp: number;
            /**
             * @example machine.registered
             * @enum {string}
             */
            type: "machine.registered";
        };
        Me: {
            data: components["schemas"]["MeData"];
            meta: components["schemas"]["MeMeta"];
        };
        MeData: {
            account: components["schemas"]["AccountIdentity"];
            /**
             * @description Deprecated routes of this API that still work.
             * @example []
             */
            deprecations: components["schemas"]["DeprecationNotice"][];
            plan: components["schemas"]["Plan"];
            token: components["schemas"]["TokenIdentity"];
        };
        MeMeta: {
            /** @description State of the rate limit that applied to this call. */
            rateLimit: components["schemas"]["RateLimitState"];
            rateLimits: components["schemas"]["RateLimits"];
        };
        Message: {
            /**
             * Format: int64
             * @example 1788255000000
             */
            createdAt: number;
            /** @example msg_01m7xsah51f6ctt8c84t8wbh7e */
            id: string;
            /**
             * @description Id of the data key that encrypts the content.
             * @example k1
             */
            keyId: string;
            /**
             * @description Id chosen by the writing device.
             * @example m-0012
             */
            localId: string;
            /**
             * @example message
             * @enum {string}
             */
            object: "message";
            /**
             * @description Known values, to which others may be added: `tool`, `user`, `assistant`, `system`.
             * @example assistant
             * @enum {string}
             */
            role: "tool" | "user" | "assistant" | "system";
            /**
             * @description Sequence number within the session, from 1 without gaps.
             * @example 12
             */
            seq: number;
            /** @example ses_01m7xsah51f6ctt8c84t8wbh7e */
            sessionId: string;
            /**
             * @description Size of the ciphertext in bytes.
             * @example 2048
             */
            sizeBytes: number;
            /**
             * @description Turn of the agent that the message belongs to, if declared.
             * @example turn_01m7xsah51f6ctt8c84t8wbh7e
             */
            turnId: string | null;
        };
        /** @description Sent when a message is stored in a session, once for each message. Imported messages cause none. Requires the scope `sessions:read`. */
        MessageCreatedEvent: {
            data: components["schemas"]["Message"];
            /**
             * Format: int64
             * @description When the event happened, in Unix milliseconds.
             * @example 1788255000000
             */
            timestamp: number;
            /**
             * @example message.created
             * @enum {string}
             */
            type: "message.created";
        };
        MessageDelivery: {
            /**
             * Format: int64
             * @description Time from which the message is not delivered, in Unix ms: 7 days ahead at most, which is the default.
             * @example 1788341400000
             */
            expiresAt?: number | null;
            /**
             * @description `queue`: the service stores the message and delivers it when the host device of the session is online.
             * @example queue
             * @enum {string}
             */
            mode: "queue";
            /**
             * Format: int64
             * @description Earliest time of the delivery, in Unix ms. By default, as soon as possible.
             * @example 1788255000000
             */
            notBefore?: number | null;
        };
        /** @description `message.created` in the stream of a session. */
        MessageStreamEvent: {
            data: components["schemas"]["Message"] & {
                content?: components["schemas"]["StreamedPlaintextContent"] | components["schemas"]["StreamedSealedContent"] | null;
                /**
                 * @description Why `content` is null. Known values, to which others may be added: `no_content_grant`, `grant_key_mismatch`, `too_large`, `not_found`, `insufficient_scope`.
                 * @enum {string}
                 */
                contentReason?: "no_content_grant" | "grant_key_mismatch" | "too_large" | "not_found" | "insufficient_scope";
            };
            /** @example evt_01m7xsah51f6ctt8c84t8wbh7e */
            id: string;
            /**
             * Format: int64
             * @example 1788255000000
             */
            timestamp: number;
            /** @enum {string} */
            type: "message.created";
        };
        /** @description Missing token: the request has no credential. */
        MissingTokenProblem: components["schemas"]["Problem"] & {
            /** @constant */
            code: "missing_token";
            /** @constant */
            status: 401;
        };
        /** @description No content grant: no key grant allows this caller to read the content. */
        NoContentGrantProblem: components["schemas"]["Problem"] & {
            /** @constant */
            code: "no_content_grant";
            /** @constant */
            status: 403;
        };
        /** @description No online device: no device that can serve the call is online. */
        NoOnlineDeviceProblem: components["schemas"]["Problem"] & {
            /** @constant */
            code: "no_online_device";
            outcome: components["schemas"]["Outcome"];
            /** @constant */
            status: 503;
        };
        /** @description Not acceptable: the resource is not available in any type of `Accept`. */
        NotAcceptableProblem: components["schemas"]["Problem"] & {
            /** @constant */
            code: "not_acceptable";
            /** @constant */
            status: 406;
        };
        /** @description Not found: the id is malformed, unknown or another account's. */
        NotFoundProblem: components["schemas"]["Problem"] & {
            /** @constant */
            code: "not_found";
            /** @constant */
            status: 404;
        };
        /** @description RFC 6749 §5.2. */
        OAuthError: {
            /** @example invalid_grant */
            error: string;
            /**
             * @description Explanation of the error for the developer.
             * @example The code is unknown, used or expired.
             */
            error_description: string;
        };
        /**
         * @description What is known about the call. `not_delivered`: nothing ran; it is safe to retry. `unknown`: the call may have run; retry with the same Idempotency-Key. `answered`: the device responded. Known values, to which others may be added: `not_delivered`, `unknown`, `answered`.
         * @example unknown
         * @enum {string}
         */
        Outcome: "not_delivered" | "unknown" | "answered";
        /** @description Bytes that a command has written. A jump of `offset` shows what was dropped. */
        OutputLiveEvent: {
            /** @example MTIgcGFzc2VkLgo= */
            data: string;
            /** @example inv_01m7xsah51f6ctt8c84t8wbh7e */
            invocationId: string;
            /** @example 0 */
            offset: number;
            /**
             * @description Known values, to which others may be added: `stdout`, `stderr`.
             * @enum {string}
             */
            stream: "stdout" | "stderr";
        };
        /** @description Payload too large: the body exceeds 1 MiB. */
        PayloadTooLargeProblem: components["schemas"]["Problem"] & {
            /** @constant */
            code: "payload_too_large";
            /** @constant */
            status: 413;
        };
        /** @description Sent when the state of a permission request is final. Requires the scope `sessions:read`. */
        PermissionDecidedEvent: {
            data: components["schemas"]["PermissionRequest"];
            /**
             * Format: int64
             * @description When the event happened, in Unix milliseconds.
             * @example 1788255000000
             */
            timestamp: number;
            /**
             * @example permission.decided
             * @enum {string}
             */
            type: "permission.decided";
        };
        PermissionDecider: {
            /**
             * @description Account device; null if a token decided.
             * @example null
             */
            deviceId: string | null;
            /**
             * @description Personal access token; null if a device decided.
             * @example tok_01m7xsah51f6ctt8c84t8wbh7e
             */
            tokenId: string | null;
        };
        /** @description Permission not pending: the permission request is decided, expired or cancelled. */
        PermissionNotPendingProblem: components["schemas"]["Problem"] & {
            /** @constant */
            code: "permission_not_pending";
            outcome?: components["schemas"]["Outcome"];
            /** @constant */
            status: 409;
        };
        PermissionOption: {
            /**
             * @description Known values, to which others may be added: `allow_once`, `allow_always`, `reject_once`, `reject_always`.
             * @example allow_once
             * @enum {string}
             */
            kind: "allow_once" | "allow_always" | "reject_once" | "reject_always";
            /** @example o1 */
            optionId: string;
        };
        PermissionRequest: {
            /**
             * Format: int64
             * @example 1788255000000
             */
            createdAt: number;
            /**
             * Format: int64
             * @example null
             */
            decidedAt: number | null;
            /** @description Who decided; null if nobody has, or if the device decided by itself. */
            decidedBy: components["schemas"]["PermissionDecider"] | null;
            /**
             * Format: int64
             * @description From then on the request counts as rejected.
             * @example 1788255600000
             */
            expiresAt: number;
            /** @example perm_01m7xsah51f6ctt8c84t8wbh7e */
            id: string;
            /**
             * @description Kind of the tool call, as the agent declares it. `question` without `options`: a question, which is answered.
             * @example execute
             */
            kind: string;
            /**
             * @example permission_request
             * @enum {string}
             */
            object: "permission_request";
            /** @description What the agent offers, in its order. Empty for a question. */
            options: components["schemas"]["PermissionOption"][];
            /** @example ses_01m7xsah51f6ctt8c84t8wbh7e */
            sessionId: string;
            /**
             * @description `expired` as soon as `expiresAt` is past. An answered question is `allowed`, a declined one `rejected`. Known values, to which others may be added: `pending`, `allowed`, `rejected`, `expired`, `cancelled`.
             * @example pending
             * @enum {string}
             */
            state: "pending" | "allowed" | "rejected" | "expired" | "cancelled";
            /** @example turn_01m7xsah51f6ctt8c84t8wbh7e */
            turnId: string;
        };
        /** @description Sent when a pending permission request is stored. Requires the scope `sessions:read`. */
        PermissionRequestedEvent: {
            data: components["schemas"]["PermissionRequest"];
            /**
             * Format: int64
             * @description When the event happened, in Unix milliseconds.
             * @example 1788255000000
             */
            timestamp: number;
            /**
             * @example permission.requested
             * @enum {string}
             */
            type: "permission.requested";
        };
        /** @description `permission.requested` in the stream of a session. */
        PermissionStreamEvent: {
            data: components["schemas"]["PermissionRequest"] & {
                content?: components["schemas"]["StreamedPlaintextPermissionContent"] | components["schemas"]["StreamedSealedPermissionContent"] | null;
                /**
                 * @description Why `content` is null. Known values, to which others may be added: `no_content_grant`, `grant_key_mismatch`, `too_large`, `not_found`, `insufficient_scope`.
                 * @enum {string}
                 */
                contentReason?: "no_content_grant" | "grant_key_mismatch" | "too_large" | "not_found" | "insufficient_scope";
            };
            /** @example evt_01m7xsah51f6ctt8c84t8wbh7e */
            id: string;
            /**
             * Format: int64
             * @example 1788255000000
             */
            timestamp: number;
            /** @enum {string} */
            type: "permission.requested";
        };
        PlaintextContent: {
            /** @example All 214 tests pass. */
            content: string;
            /**
             * @description Encoding of `content`: `utf8` if the bytes are valid UTF-8, else `base64`. Known values, to which others may be added: `utf8`, `base64`.
             * @example utf8
             * @enum {string}
             */
            contentEncoding: "utf8" | "base64";
            /**
             * @example plaintext
             * @enum {string}
             */
            encoding: "plaintext";
            /**
             * @description Grant that allowed the read.
             * @example grt_01m7xsah51f6ctt8c84t8wbh7e
             */
            grantId: string;
            /**
             * @description Id of the message, session, artifact or permission request.
             * @example msg_01m7xsah51f6ctt8c84t8wbh7e
             */
            id: string;
            /**
             * @description Media type, as declared by the device that encrypted the content.
             * @example text/markdown
             */
            mediaType: string;
            /**
             * @description Session of the content, if any.
             * @example ses_01m7xsah51f6ctt8c84t8wbh7e
             */
            sessionId: string | null;
        };
        PlaintextPermissionContent: {
            /** @example All 214 tests pass. */
            content: string;
            /**
             * @description Encoding of `content`: `utf8` if the bytes are valid UTF-8, else `base64`. Known values, to which others may be added: `utf8`, `base64`.
             * @example utf8
             * @enum {string}
             */
            contentEncoding: "utf8" | "base64";
            /**
             * @description base64url of SHA-256 over the ASCII bytes of the compact JWE. A decision must repeat it.
             * @example LPJNul-wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ
             */
            contentHash: string;
            /**
             * @example plaintext
             * @enum {string}
             */
            encoding: "plaintext";
            /**
             * @description Grant that allowed the read.
             * @example grt_01m7xsah51f6ctt8c84t8wbh7e
             */
            grantId: string;
            /**
             * @description Id of the message, session, artifact or permission request.
             * @example msg_01m7xsah51f6ctt8c84t8wbh7e
             */
            id: string;
            /**
             * @description Media type, as declared by the device that encrypted the content.
             * @example text/markdown
             */
            mediaType: string;
            /**
             * @description Session of the content, if any.
             * @example ses_01m7xsah51f6ctt8c84t8wbh7e
             */
            sessionId: string | null;
        };
        Plan: {
            limits: components["schemas"]["PlanLimits"];
            /** @example standard */
            name: string;
        };
        /** @description Plan limit exceeded: the account's plan limit is reached. */
        PlanLimitExceededProblem: components["schemas"]["Problem"] & {
            /** @constant */
            code: "plan_limit_exceeded";
            limit: number;
            /** @constant */
            status: 403;
        };
        PlanLimits: {
            /** @example 20 */
            maxApps: number;
            /**
             * @description Number of devices, including revoked ones.
             * @example 1000
             */
            maxDevices?: number;
            /**
             * @description Bytes of events, and of their deliveries to webhooks, per day (UTC).
             * @example 536870912
             */
            maxEventBytesPerDay?: number;
            /**
             * @description Maximum timeout of a command in milliseconds.
             * @example 28000
             */
            maxInvokeTimeoutMs: number;
            /**
             * @description Bytes of responses stored for an `Idempotency-Key`. Beyond this limit only the status is stored.
             * @example 268435456
             */
            maxKeptAnswerBytes?: number;
            /** @example 10000 */
            maxKeyGrants?: number;
            /** @example 200 */
            maxPageSize: number;
            /**
             * @description Maximum duration of a relayed call in milliseconds.
             * @example 30000
             */
            maxRelayWaitMs: number;
            /** @example 1048576 */
            maxRequestBytes: number;
            /**
             * @description Bytes of stored sessions, messages and artifacts, including their metadata and data keys.
             * @example 1073741824
             */
            maxStorageBytes: number;
            /** @example 50 */
            maxTokens: number;
            /** @example 20 */
            maxWebhooks: number;
            /**
             * @description Calls per minute, except relayed calls.
             * @example 600
             */
            metadataPerMinute: number;
            /**
             * @description Relayed calls per minute.
             * @example 60
             */
            relayPerMinute: number;
        };
        /** @description RFC 9457 problem details. Programs should match on `code`, which is stable. */
        Problem: {
            /**
             * @description Stable error code.
             * @example not_found
             */
            code: string;
            /**
             * @description Human-readable explanation of the error.
             * @example There is no such session.
             */
            detail: string;
            /**
             * @description Quote it when asking for help. A replayed response has the first call's id.
             * @example req_01m7xsah51f6ctt8c84t8wbh7e
             */
            requestId: string;
            /** @example 404 */
            status: number;
            /** @example Not found */
            title: string;
            /**
             * Format: uri
             * @description Documentation of this error.
             * @example https://api.test/docs/errors#not_found
             */
            type: string;
        };
        QueuedMessage: {
            /**
             * @description Attempts to deliver the message, including one in progress.
             * @example 1
             */
            attempts: number;
            /**
             * Format: int64
             * @example 1788255000000
             */
            createdAt: number;
            /**
             * Format: int64
             * @example 1788255000000
             */
            endedAt: number | null;
            /**
             * @description Why the delivery failed, if it did: the device's code, or `content_unreadable`.
             * @example null
             */
            errorCode: string | null;
            /**
             * Format: int64
             * @description From then on the message is not delivered.
             * @example 1788859800000
             */
            expiresAt: number;
            /** @example qmsg_01m7xsah51f6ctt8c84t8wbh7e */
            id: string;
            /**
             * Format: int64
             * @description Earliest time of the delivery; null: as soon as possible.
             * @example null
             */
            notBefore: number | null;
            /**
             * @example queued_message
             * @enum {string}
             */
            object: "queued_message";
            /**
             * @description Call of the last attempt to deliver the message; null before the first one.
             * @example req_01m7xsah51f6ctt8c84t8wbh7e
             */
            requestId: string | null;
            /** @example ses_01m7xsah51f6ctt8c84t8wbh7e */
            sessionId: string;
            /**
             * @description Known values, to which others may be added: `queued`, `sending`, `delivered`, `failed`, `unknown`, `expired`, `cancelled`.
             * @example delivered
             * @enum {string}
             */
            state: "queued" | "sending" | "delivered" | "failed" | "unknown" | "expired" | "cancelled";
            /**
             * @description Turn that the message began; null unless the device has told.
             * @example turn_01m7xsah51f6ctt8c84t8wbh7e
             */
            turnId: string | null;
            /**
             * @description Number of changes, from 1.
             * @example 3
             */
            version: number;
        };
        /** @description Sent when a queued message is delivered, or will never be. Requires the scope `sessions:read`. */
        QueuedMessageEndedEvent: {
            data: components["schemas"]["QueuedMessage"];
            /**
             * Format: int64
             * @description When the event happened, in Unix milliseconds.
             * @example 1788255000000
             */
            timestamp: number;
            /**
             * @example queued_message.ended
             * @enum {string}
             */
            type: "queued_message.ended";
        };
        /** @description Rate limited: the account's or device's bucket is empty, or the IP address has sent too many invalid credentials. */
        RateLimitedProblem: components["schemas"]["Problem"] & {
            /**
             * @description Known values, to which others may be added: `metadata`, `relay`, `device`, `address`.
             * @enum {string}
             */
            bucket: "metadata" | "relay" | "device" | "address";
            /** @constant */
            code: "rate_limited";
            /** @constant */
            status: 429;
        };
        RateLimits: {
            metadata: components["schemas"]["RateLimitState"];
            /**
             * @example {
             *       "limit": 60,
             *       "remaining": 60,
             *       "reset": 60
             *     }
             */
            relay: components["schemas"]["RateLimitState"];
        };
        RateLimitState: {
            /** @example 600 */
            limit: number;
            /** @example 599 */
            remaining: number;
            /**
             * @description Whole seconds until the window ends; the length of the window if none has started.
             * @example 37
             */
            reset: number;
        };
        /** @description Read-only: the service is read-only during maintenance, and the call would change data or is relayed to a device. */
        ReadOnlyProblem: components["schemas"]["Problem"] & {
            /** @constant */
            code: "read_only";
            outcome: components["schemas"]["Outcome"];
            /** @constant */
            status: 503;
        };
        RecipientKey: {
            /**
             * @example X25519
             * @enum {string}
             */
            crv: "X25519" | "P-256";
            /** @example reader-1 */
            kid?: string;
            /**
             * @example OKP
             * @enum {string}
             */
            kty: "OKP" | "EC";
            /** @example 3p7bfXt9wbTTW2HC7OQ1Nz-DQ8hbeGdNrfx-FG-IK08 */
            x: string;
            /** @description Only for P-256. */
            y?: string;
        };
        /** @description Sent when a call of a token or an app that was relayed to a device succeeds. Not available to apps. */
        RelayCompletedEvent: {
            data: components["schemas"]["RelayEvent"];
            /**
             * Format: int64
             * @description When the event happened, in Unix milliseconds.
             * @example 1788255000000
             */
            timestamp: number;
            /**
             * @example relay.completed
             * @enum {string}
             */
            type: "relay.completed";
        };
        RelayEvent: {
            /**
             * Format: int64
             * @example 1788255000000
             */
            createdAt: number;
            /**
             * @description Duration of the call in milliseconds; null if the call outlived the instance that it was sent to.
             * @example 412
             */
            durationMs: number | null;
            /**
             * @description Machine of the call or of its session, if any.
             * @example mch_01m7xsah51f6ctt8c84t8wbh7e
             */
            machineId: string | null;
            /**
             * @description Known values, to which others may be added: `session.start`, `session.end`, `session.message`, `session.cancel`, `session.permission`, `agent.sessions`, `session.options`, `session.configure`, `machine.invoke`, `invocation.start`, `invocation.cancel`, `invocation.output`.
             * @example machine.invoke
             * @enum {string}
             */
            method: "session.start" | "session.end" | "session.message" | "session.cancel" | "session.permission" | "agent.sessions" | "session.options" | "session.configure" | "machine.invoke" | "invocation.start" | "invocation.cancel" | "invocation.output";
            /**
             * @description Known values, to which others may be added: `not_delivered`, `unknown`, `answered`.
             * @example answered
             * @enum {string|null}
             */
            outcome: "not_delivered" | "unknown" | "answered" | null;
            /** @example req_01m7xsah51f6ctt8c84t8wbh7e */
            requestId: string;
            /**
             * @description Session of the call, if any.
             * @example null
             */
            sessionId: string | null;
            /**
             * @description Personal access token or app authorization that called. Calls of account devices cause no events.
             * @example tok_01m7xsah51f6ctt8c84t8wbh7e
             */
            tokenId: string | null;
        };
        /** @description Sent when a call of a token or an app that was relayed to a device fails. Not available to apps. */
        RelayFailedEvent: {
            data: components["schemas"]["RelayEvent"];
            /**
             * Format: int64
             * @description When the event happened, in Unix milliseconds.
             * @example 1788255000000
             */
            timestamp: number;
            /**
             * @example relay.failed
             * @enum {string}
             */
            type: "relay.failed";
        };
        RelayReply: {
            /**
             * @description Id of this call. Quote it when you contact support.
             * @example req_01m7xsah51f6ctt8c84t8wbh7e
             */
            requestId: string;
            /** @description The device's reply: an object of at most 64 levels and 3 MiB, with numbers in the range of a double. */
            result: {
                [key: string]: unknown;
            };
        };
        /** @description Relay unavailable: the relay is temporarily unavailable. */
        RelayUnavailableProblem: components["schemas"]["Problem"] & {
            /** @constant */
            code: "relay_unavailable";
            outcome: components["schemas"]["Outcome"];
            /** @constant */
            status: 503;
        };
        /** @description One violation in a request. */
        RequestFault: {
            /**
             * @description For example `required`, `invalid_type`, `invalid_format`, `out_of_range`, `not_allowed`, `unknown_field`, `unknown_parameter`, `repeated_parameter`, `repeated_header`, `invalid_json`, `too_deep` and `too_many_members`.
             * @example out_of_range
             */
            code: string;
            /**
             * @description Known values, to which others may be added: `body`, `query`, `header`.
             * @example query
             * @enum {string}
             */
            in: "body" | "query" | "header";
            /** @example /limit must not be less than 1. */
            message: string;
            /**
             * @description JSON pointer (RFC 6901), also for query parameters. Empty for the whole body.
             * @example /limit
             */
            path: string;
        };
        RevocationAnswer: Record<string, never>;
        SealedContent: {
            /**
             * @description Compact JWE with `dir` and `A256GCM`, encrypted with the data key.
             * @example eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIiwuLi59..aXY.dGV4dA.dGFn
             */
            content: string;
            /**
             * @example sealed
             * @enum {string}
             */
            encoding: "sealed";
            /**
             * @description Grant that allowed the read.
             * @example grt_01m7xsah51f6ctt8c84t8wbh7e
             */
            grantId: string;
            /**
             * @description Id of the message, session, artifact or permission request.
             * @example msg_01m7xsah51f6ctt8c84t8wbh7e
             */
            id: string;
            key: components["schemas"]["SealedKey"];
            /**
             * @description Session of the content, if any.
             * @example ses_01m7xsah51f6ctt8c84t8wbh7e
             */
            sessionId: string | null;
        };
        SealedKey: {
            /**
             * @description `kid` of the recipient's key, else its RFC 7638 thumbprint.
             * @example reader-1
             */
            recipientKeyId: string;
            /**
             * @description Data key as an `oct` JWK in a compact JWE with `ECDH-ES+A256KW` and `A256GCM`.
             * @example eyJhbGciOiJFQ0RILUVTK0EyNTZLVyIsLi4ufQ.d3JhcHBlZA.aXY.a2V5.dGFn
             */
            sealed: string;
        };
        SealedPermissionContent: {
            /**
             * @description Compact JWE with `dir` and `A256GCM`, encrypted with the data key.
             * @example eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIiwuLi59..aXY.dGV4dA.dGFn
             */
            content: string;
            /**
             * @description base64url of SHA-256 over the ASCII bytes of the compact JWE. A decision must repeat it.
             * @example LPJNul-wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ
             */
            contentHash: string;
            /**
             * @example sealed
             * @enum {string}
             */
            encoding: "sealed";
            /**
             * @description Grant that allowed the read.
             * @example grt_01m7xsah51f6ctt8c84t8wbh7e
             */
            grantId: string;
            /**
             * @description Id of the message, session, artifact or permission request.
             * @example msg_01m7xsah51f6ctt8c84t8wbh7e
             */
            id: string;
            key: components["schemas"]["SealedKey"];
            /**
             * @description Session of the content, if any.
             * @example ses_01m7xsah51f6ctt8c84t8wbh7e
             */
            sessionId: string | null;
        };
        SendMessage: {
            /** @description Files for the agent, which become artifacts of the session. Names are reduced to their last part, and types follow from the content. A device that can not pass a file on refuses the message. */
            attachments?: components["schemas"]["Attachment"][] | null;
            /**
             * @description Text of the message. It must not be blank. Exactly one of `content` and `sealedContent` is required.
             * @example Please also update the changelog.
             */
            content?: string;
            /** @description How to deliver the message. By default, at once or not at all. With `queue`, `waitMs` must be absent or 0. */
            delivery?: components["schemas"]["MessageDelivery"];
            /**
             * @description What to do while the agent works on another message: `queue` waits for its end. `steer` joins the running turn, and is 409 `steer_unsupported` if the agent does not support that. `interrupt` cancels the running turn and goes before queued messages. `reject` is 409 `session_busy`. Not with `delivery`.
             * @default queue
             * @enum {string}
             */
            ifBusy?: "queue" | "steer" | "interrupt" | "reject";
            /**
             * @description Your id of a sealed message, 1 to 128 visible ASCII characters. Required with `sealedContent`.
             * @example m-0013
             */
            localId?: string;
            /**
             * @description Text that you have encrypted with the data key of the session: a compact JWE, bound to `localId` and the role `user`. The service can't read it. Only devices that declare `session.sealed` get it.
             * @example eyJhbGciOiJkaXIi….….…
             */
            sealedContent?: string;
            /**
             * @description How long to wait for the turn that the message begins, in ms. The device answers earlier when the turn ends or requires a decision. 0: it answers when it has stored the message. The turn goes on in any case.
             * @default 25000
             * @example 0
             */
            waitMs?: number;
        };
        /** @description Service unavailable: the instance is shutting down or cannot reach its database. */
        ServiceUnavailableProblem: components["schemas"]["Problem"] & {
            /** @constant */
            code: "service_unavailable";
            outcome: components["schemas"]["Outcome"];
            /** @constant */
            status: 503;
        };
        Session: {
            /**
             * @description What the session's agent does, from its open turns. Known values, to which others may be added: `running`, `idle`, `requires_action`.
             * @example idle
             * @enum {string}
             */
            activity: "running" | "idle" | "requires_action";
            /** @description Agent that works in the session, if declared. */
            agent: components["schemas"]["SessionAgent"] | null;
            /**
             * @description Whether a key grant currently allows this caller to read the content.
             * @example false
             */
            contentGranted: boolean;
            /** @description How full the context of the agent's model was after the last turn; null if the agent doesn't say. */
            context: components["schemas"]["SessionContext"] | null;
            /**
             * Format: int64
             * @example 1788255000000
             */
            createdAt: number;
            /**
             * Format: int64
             * @example null
             */
            endedAt: number | null;
            /** @example ses_01m7xsah51f6ctt8c84t8wbh7e */
            id: string;
            /**
             * Format: int64
             * @example 1788255000000
             */
            lastActiveAt: number;
            /**
             * @description `seq` of the newest message; 0 if there is none.
             * @example 12
             */
            lastSeq: number;
            /**
             * @description Machine that the session runs on, if declared.
             * @example mch_01m7xsah51f6ctt8c84t8wbh7e
             */
            machineId: string | null;
            /** @example 12 */
            messageCount: number;
            /**
             * @example session
             * @enum {string}
             */
            object: "session";
            /**
             * @description State of the session. Messages can only be sent to active sessions. Known values, to which others may be added: `active`, `ended`.
             * @example active
             * @enum {string}
             */
            state: "active" | "ended";
            /**
             * @description Name given by its device, unique within the account.
             * @example refactor-billing
             */
            tag: string;
            /**
             * Format: int64
             * @example 1788255000000
             */
            updatedAt: number;
        };
        SessionAgent: {
            /**
             * @description Mode of the agent; null if it has none.
             * @example build
             */
            mode: string | null;
            /** @example opencode */
            name: string;
            /** @example OpenCode */
            title: string;
        };
        /** @description Session busy: a message with `ifBusy` `reject` finds the agent at work. */
        SessionBusyProblem: components["schemas"]["Problem"] & {
            /** @constant */
            code: "session_busy";
            outcome: components["schemas"]["Outcome"];
            /** @constant */
            status: 409;
        };
        SessionContext: {
            /**
             * @description Most tokens that fit.
             * @example 200000
             */
            size: number;
            /** @example 48200 */
            used: number;
        };
        /** @description Sent when a session is created. Requires the scope `sessions:read`. */
        SessionCreatedEvent: {
            data: components["schemas"]["Session"];
            /**
             * Format: int64
             * @description When the event happened, in Unix milliseconds.
             * @example 1788255000000
             */
            timestamp: number;
            /**
             * @example session.created
             * @enum {string}
             */
            type: "session.created";
        };
        /** @description Sent when a session is deleted. `data` is its last state. Requires the scope `sessions:read`. */
        SessionDeletedEvent: {
            data: components["schemas"]["Session"];
            /**
             * Format: int64
             * @description When the event happened, in Unix milliseconds.
             * @example 1788255000000
             */
            timestamp: number;
            /**
             * @example session.deleted
             * @enum {string}
             */
            type: "session.deleted";
        };
        /** @description Sent when a session ends. Requires the scope `sessions:read`. */
        SessionEndedEvent: {
            data: components["schemas"]["Session"];
            /**
             * Format: int64
             * @description When the event happened, in Unix milliseconds.
             * @example 1788255000000
             */
            timestamp: number;
            /**
             * @example session.ended
             * @enum {string}
             */
            type: "session.ended";
        };
        /** @description Session not active: the session has ended. */
        SessionNotActiveProblem: components["schemas"]["Problem"] & {
            /** @constant */
            code: "session_not_active";
            /** @constant */
            status: 409;
        };
        /** @description Sent when a session's metadata or agent changes, or an ended session becomes active. Requires the scope `sessions:read`. */
        SessionUpdatedEvent: {
            data: components["schemas"]["Session"];
            /**
             * Format: int64
             * @description When the event happened, in Unix milliseconds.
             * @example 1788255000000
             */
            timestamp: number;
            /**
             * @example session.updated
             * @enum {string}
             */
            type: "session.updated";
        };
        StartGrant: {
            /** @description Public JWK for encryption, on X25519 or P-256. Only the holder of its private key can read, and the service can't. Besides the listed members it may have `use` `enc`, `alg` `ECDH-ES+A256KW`, an empty `key_ops`, and `ext`. */
            recipient: components["schemas"]["RecipientKey"];
        };
        StartInvocation: {
            /**
             * @description Arguments of the program.
             * @default []
             * @example [
             *       "status",
             *       "--short"
             *     ]
             */
            args?: string[];
            /**
             * @description The program to run.
             * @example git
             */
            command: string;
            /**
             * @description Working directory. The device uses its default if this is null or absent, and decides whether the directory is allowed.
             * @example /srv/app
             */
            cwd?: string | null;
            /**
             * @description Time limit of the command in ms.
             * @default 600000
             * @example 1800000
             */
            timeoutMs?: number;
        };
        StartSession: {
            /**
             * @description Name of one of the machine's agents. By default, the machine's first one.
             * @example opencode
             */
            agent?: string | null;
            /** @description Files for the agent, which become artifacts of the session. Names are reduced to their last part, and types follow from the content. A device that can not pass a file on refuses the message. */
            attachments?: components["schemas"]["Attachment"][] | null;
            /**
             * @description Text of the first message. It must not be blank. Without it, no turn begins.
             * @example Please fix the failing test.
             */
            content?: string | null;
            /**
             * @description Folder to work in. The device uses its default if this is null or absent, and decides whether it is allowed.
             * @example /srv/app
             */
            cwd?: string | null;
            /**
             * @description Whether to continue a copy of it. The agent's session stays as it is, for example for a person who still works in it. Requires `resume`.
             * @default false
             * @example true
             */
            fork?: boolean;
            /**
             * @description Lets the calling token read the session, without a click in the console. `true`: through the service, which then can decrypt this session. An object: only with your own key. Requires the scope `sessions:content`. `result.grant` has the id of the key grant, or is null, and `result.grantError` says why.
             * @example true
             */
            grant?: boolean | components["schemas"]["StartGrant"];
            /**
             * @description One of the agent's modes. By default, the owner's choice, else one in which the agent asks before it acts.
             * @example build
             */
            mode?: string | null;
            /**
             * @description Values of the options that the agent offers, by their ids: those of the machine record in `agents[].options`. An option or a value that the agent does not have is an error, and no session is started.
             * @example {
             *       "model": "opus",
             *       "effort": "high"
             *     }
             */
            options?: {
                [key: string]: string;
            };
            /**
             * @description The agent's own id of a session to continue, as `agentSessionId` of the machine's agent sessions. By default, the agent begins an empty one.
             * @example 6f1d2c9e-8a41-4c0b-9a53-b7e0c1f5d2aa
             */
            resume?: string | null;
            /**
             * @description Tag of the session, unique in the account. By default, the id of this call.
             * @example nightly-build
             */
            tag?: string | null;
            /**
             * @description How long to wait for the turn of the first message, in ms, as for a message.
             * @default 25000
             * @example 0
             */
            waitMs?: number;
        };
        /** @description Steering unsupported: a message with `ifBusy` `steer` can not join the running turn. */
        SteerUnsupportedProblem: components["schemas"]["Problem"] & {
            /** @constant */
            code: "steer_unsupported";
            outcome: components["schemas"]["Outcome"];
            /** @constant */
            status: 409;
        };
        StreamedPlaintextContent: {
            /** @example All 214 tests pass. */
            content: string;
            /**
             * @description Encoding of `content`: `utf8` if the bytes are valid UTF-8, else `base64`. Known values, to which others may be added: `utf8`, `base64`.
             * @example utf8
             * @enum {string}
             */
            contentEncoding: "utf8" | "base64";
            /**
             * @example plaintext
             * @enum {string}
             */
            encoding: "plaintext";
            /**
             * @description Grant that allowed the read.
             * @example grt_01m7xsah51f6ctt8c84t8wbh7e
             */
            grantId: string;
            /**
             * @description Media type, as declared by the device that encrypted the content.
             * @example text/markdown
             */
            mediaType: string;
        };
        StreamedPlaintextPermissionContent: {
            /** @example All 214 tests pass. */
            content: string;
            /**
             * @description Encoding of `content`: `utf8` if the bytes are valid UTF-8, else `base64`. Known values, to which others may be added: `utf8`, `base64`.
             * @example utf8
             * @enum {string}
             */
            contentEncoding: "utf8" | "base64";
            /**
             * @description base64url of SHA-256 over the ASCII bytes of the compact JWE. A decision must repeat it.
             * @example LPJNul-wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ
             */
            contentHash: string;
            /**
             * @example plaintext
             * @enum {string}
             */
            encoding: "plaintext";
            /**
             * @description Grant that allowed the read.
             * @example grt_01m7xsah51f6ctt8c84t8wbh7e
             */
            grantId: string;
            /**
             * @description Media type, as declared by the device that encrypted the content.
             * @example text/markdown
             */
            mediaType: string;
        };
        StreamedSealedContent: {
            /**
             * @description Compact JWE with `dir` and `A256GCM`, encrypted with the data key.
             * @example eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIiwuLi59..aXY.dGV4dA.dGFn
             */
            content: string;
            /**
             * @example sealed
             * @enum {string}
             */
            encoding: "sealed";
            /**
             * @description Grant that allowed the read.
             * @example grt_01m7xsah51f6ctt8c84t8wbh7e
             */
            grantId: string;
            key: components["schemas"]["SealedKey"];
        };
        StreamedSealedPermissionContent: {
            /**
             * @description Compact JWE with `dir` and `A256GCM`, encrypted with the data key.
             * @example eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIiwuLi59..aXY.dGV4dA.dGFn
             */
            content: string;
            /**
             * @description base64url of SHA-256 over the ASCII bytes of the compact JWE. A decision must repeat it.
             * @example LPJNul-wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ
             */
            contentHash: string;
            /**
             * @example sealed
             * @enum {string}
             */
            encoding: "sealed";
            /**
             * @description Grant that allowed the read.
             * @example grt_01m7xsah51f6ctt8c84t8wbh7e
             */
            grantId: string;
            key: components["schemas"]["SealedKey"];
        };
        /** @description Id of an event in a stream. It is the `webhook-id` of its deliveries. */
        StreamEventId: {
            /** @example evt_01m7xsah51f6ctt8c84t8wbh7e */
            id: string;
        };
        /** @description Stream expired: the events after `Last-Event-ID` are older than 24 hours or too many, or the database was restored. */
        StreamExpiredProblem: components["schemas"]["Problem"] & {
            /** @constant */
            code: "stream_expired";
            lastEventId: string;
            /** @constant */
            status: 410;
        };
        /** @description First event of a stream. Its cursor is the place where the stream begins. */
        StreamOpenedEvent: {
            data: Record<string, never>;
            id: null;
            /**
             * Format: int64
             * @example 1788255000000
             */
            timestamp: number;
            /** @enum {string} */
            type: "stream.opened";
        };
        /** @description Timeout: the device did not respond in time. */
        TimeoutProblem: components["schemas"]["Problem"] & {
            /** @constant */
            code: "timeout";
            outcome: components["schemas"]["Outcome"];
            /** @constant */
            status: 504;
        };
        TokenAnswer: {
            /** @example svc_oat_0123456789ABCDEFGHIJKLMNOPQRST0a1b2c */
            access_token: string;
            /**
             * @description Lifetime of the access token in seconds. Known values, to which others may be added: `3600`.
             * @example 3600
             * @enum {integer}
             */
            expires_in: 3600;
            /** @example svc_ort_0123456789ABCDEFGHIJKLMNOPQRST0a1b2c */
            refresh_token: string;
            /**
             * @description Scopes of the access token, separated by spaces.
             * @example sessions:read usage:read
             */
            scope: string;
            /**
             * @example Bearer
             * @enum {string}
             */
            token_type: "Bearer";
        };
        /** @description Sent when a personal access token is created. Not available to apps. */
        TokenCreatedEvent: {
            data: components["schemas"]["ExternalToken"];
            /**
             * Format: int64
             * @description When the event happened, in Unix milliseconds.
             * @example 1788255000000
             */
            timestamp: number;
            /**
             * @example token.created
             * @enum {string}
             */
            type: "token.created";
        };
        /** @description Sent when an active token expires in 7 days, and again in 1 day. Not available to apps. */
        TokenExpiringEvent: {
            data: components["schemas"]["ExternalToken"];
            /**
             * Format: int64
             * @description When the event happened, in Unix milliseconds.
             * @example 1788255000000
             */
            timestamp: number;
            /**
             * @example token.expiring
             * @enum {string}
             */
            type: "token.expiring";
        };
        TokenForm: {
            /**
             * @description Client ID. Omit it with HTTP Basic.
             * @example svc_oapp_0123456789ABCDEFGHIJKLMNOPQRST0a1b2c
             */
            client_id?: string;
            /**
             * @description Client secret. Omit it with HTTP Basic.
             * @example svc_ocs_0123456789ABCDEFGHIJKLMNOPQRST0a1b2c
             */
            client_secret?: string;
            /**
             * @description Required with `authorization_code`. Valid for 60 seconds and one use.
             * @example 2YotnFZFEjr1zCsicMWpAA
             */
            code?: string;
            /**
             * @description Required with `authorization_code`. The verifier of the challenge (RFC 7636 §4.1).
             * @example dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk
             */
            code_verifier?: string;
            /**
             * @example authorization_code
             * @enum {string}
             */
            grant_type: "authorization_code" | "refresh_token";
            /**
             * @description Required with `authorization_code`. Must equal the one of the authorization request.
             * @example https://app.example/callback
             */
            redirect_uri?: string;
            /**
             * @description Required with `refresh_token`. The newest refresh token; each works once.
             * @example svc_ort_0123456789ABCDEFGHIJKLMNOPQRST0a1b2c
             */
            refresh_token?: string;
            /**
             * @description Optional with `refresh_token`. Limits the access token to some of the granted scopes.
             * @example sessions:read
             */
            scope?: string;
        };
        TokenIdentity: {
            /**
             * @description Client id of the app; null for a personal access token.
             * @example null
             */
            appId: string | null;
            /**
             * Format: int64
             * @example 1788255000000
             */
            createdAt: number;
            /**
             * Format: int64
             * @description When the token expires; null if it does not expire.
             * @example 1796031000000
             */
            expiresAt: number | null;
            /** @example tok_01m7xsah51f6ctt8c84t8wbh7e */
            id: string;
            /**
             * Format: int64
             * @description When the token was last used. Updated at most once a minute.
             * @example 1788255000000
             */
            lastUsedAt: number | null;
            /**
             * @description Machines that the token is limited to; null if it may act on all machines of the account.
             * @example [
             *       "mch_01m7xsah51f6ctt8c84t8wbh7e"
             *     ]
             */
            machineIds: string[] | null;
            /** @example ci */
            name: string;
            /**
             * @example [
             *       "sessions:read",
             *       "usage:read"
             *     ]
             */
            scopes: ("sessions:read" | "sessions:write" | "sessions:content" | "sessions:approve" | "machines:read" | "machines:invoke" | "machines:invoke:verified" | "artifacts:read" | "artifacts:content" | "artifacts:write" | "webhooks:manage" | "usage:read" | "profile:read")[];
            /**
             * @description Type of token: `pat` for a personal access token, `oauth` for the access token of an app. Known values, to which others may be added: `pat`, `oauth`.
             * @example pat
             * @enum {string}
             */
            type: "pat" | "oauth";
        };
        TokenReferenceForm: {
            /**
             * @description Client ID. Omit it with HTTP Basic.
             * @example svc_oapp_0123456789ABCDEFGHIJKLMNOPQRST0a1b2c
             */
            client_id?: string;
            /**
             * @description Client secret. Omit it with HTTP Basic.
             * @example svc_ocs_0123456789ABCDEFGHIJKLMNOPQRST0a1b2c
             */
            client_secret?: string;
            /**
             * @description An access or refresh token.
             * @example svc_ort_0123456789ABCDEFGHIJKLMNOPQRST0a1b2c
             */
            token: string;
            /**
             * @description Ignored: the token's prefix identifies its type.
             * @example refresh_token
             */
            token_type_hint?: string;
        };
        /** @description Sent when a personal access token is revoked. `data` is its last state. Not available to apps. */
        TokenRevokedEvent: {
            data: components["schemas"]["ExternalToken"];
            /**
             * Format: int64
             * @description When the event happened, in Unix milliseconds.
             * @example 1788255000000
             */
            timestamp: number;
            /**
             * @example token.revoked
             * @enum {string}
             */
            type: "token.revoked";
        };
        TokenWithSecret: {
            data: components["schemas"]["ExternalToken"];
            /**
             * @description The secret. It is returned only once.
             * @example svc_pat_0123456789ABCDEFGHIJKLMNOPQRST0a1b2c
             */
            token: string;
        };
        /** @description Too many streams: the token, the account or the instance has too many event streams open. */
        TooManyStreamsProblem: components["schemas"]["Problem"] & {
            /** @constant */
            code: "too_many_streams";
            /** @constant */
            status: 429;
        };
        /** @description Too many waits: the account or the instance has too many calls that wait for changes. */
        TooManyWaitsProblem: components["schemas"]["Problem"] & {
            /** @constant */
            code: "too_many_waits";
            /** @constant */
            status: 429;
        };
        Turn: {
            /** @description What the turn cost; null if the agent doesn't say. */
            cost: components["schemas"]["TurnCost"] | null;
            /**
             * Format: int64
             * @example 1788255000000
             */
            createdAt: number;
            /**
             * @description Device that runs the turn. Cancellations and decisions go to it alone.
             * @example dev_01m7xsah51f6ctt8c84t8wbh7e
             */
            deviceId: string;
            /**
             * Format: int64
             * @example 1788255000000
             */
            endedAt: number | null;
            /**
             * @description Why the turn failed, if it did. Known values, to which others may be added: `agent_auth_required`, `agent_session_unavailable`, `agent_lost`, `agent_silent`, `agent_error`, `turn_timeout`.
             * @example null
             * @enum {string|null}
             */
            errorCode: "agent_auth_required" | "agent_session_unavailable" | "agent_lost" | "agent_silent" | "agent_error" | "turn_timeout" | null;
            /**
             * @description Lowest `seq` of the turn's messages. Messages of other turns may lie between.
             * @example 11
             */
            firstSeq: number | null;
            /** @example turn_01m7xsah51f6ctt8c84t8wbh7e */
            id: string;
            /**
             * Format: int64
             * @description When the agent last did something, at most 15 s ago while it works; null if its device doesn't say. It changes without a new `version`.
             * @example 1788255000000
             */
            lastActivityAt: number | null;
            /**
             * @description Highest `seq` of the turn's messages.
             * @example 14
             */
            lastSeq: number | null;
            /**
             * @example turn
             * @enum {string}
             */
            object: "turn";
            /**
             * @description What began the turn: a message, or the agent by itself. Known values, to which others may be added: `message`, `agent`.
             * @example message
             * @enum {string}
             */
            origin: "message" | "agent";
            /**
             * @description Permission requests that wait for a decision.
             * @example 0
             */
            pendingPermissions: number;
            /**
             * @description Relayed call that began the turn; null if the agent did.
             * @example req_01m7xsah51f6ctt8c84t8wbh7e
             */
            requestId: string | null;
            /** @example ses_01m7xsah51f6ctt8c84t8wbh7e */
            sessionId: string;
            /**
             * Format: int64
             * @example 1788255000000
             */
            startedAt: number | null;
            /**
             * @description Known values, to which others may be added: `queued`, `running`, `requires_action`, `completed`, `failed`, `cancelled`, `lost`.
             * @example completed
             * @enum {string}
             */
            state: "queued" | "running" | "requires_action" | "completed" | "failed" | "cancelled" | "lost";
            /**
             * @description Why the agent stopped, if it did. Known values, to which others may be added: `end_turn`, `max_tokens`, `max_turn_requests`, `refusal`, `cancelled`.
             * @example end_turn
             * @enum {string|null}
             */
            stopReason: "end_turn" | "max_tokens" | "max_turn_requests" | "refusal" | "cancelled" | null;
            /**
             * Format: int64
             * @example 1788255000000
             */
            updatedAt: number;
            /** @description Tokens that the agent used; null if it doesn't say. */
            usage: components["schemas"]["TurnUsage"] | null;
            /**
             * @description Number of changes, from 1.
             * @example 4
             */
            version: number;
        };
        TurnCost: {
            /**
             * Format: double
             * @example 0.0425
             */
            amount: number;
            /**
             * @description Code of ISO 4217.
             * @example USD
             */
            currency: string;
        };
        /** @description Sent when a turn becomes `completed`, `failed`, `cancelled` or `lost`. Requires the scope `sessions:read`. */
        TurnEndedEvent: {
            data: components["schemas"]["Turn"];
            /**
             * Format: int64
             * @description When the event happened, in Unix milliseconds.
             * @example 1788255000000
             */
            timestamp: number;
            /**
             * @example turn.ended
             * @enum {string}
             */
            type: "turn.ended";
        };
        /** @description Sent when a turn waits for a decision on a permission request. Requires the scope `sessions:read`. */
        TurnRequiresActionEvent: {
            data: components["schemas"]["Turn"];
            /**
             * Format: int64
             * @description When the event happened, in Unix milliseconds.
             * @example 1788255000000
             */
            timestamp: number;
            /**
             * @example turn.requires_action
             * @enum {string}
             */
            type: "turn.requires_action";
        };
        /** @description Sent when a turn first runs, and when it runs again after it was lost. Requires the scope `sessions:read`. */
        TurnStartedEvent: {
            data: components["schemas"]["Turn"];
            /**
             * Format: int64
             * @description When the event happened, in Unix milliseconds.
             * @example 1788255000000
             */
            timestamp: number;
            /**
             * @example turn.started
             * @enum {string}
             */
            type: "turn.started";
        };
        TurnUsage: {
            /**
             * @description Input that the model read from a cache; null if the agent doesn't say.
             * @example 3340
             */
            cachedInputTokens: number | null;
            /** @example 5120 */
            inputTokens: number;
            /** @example 860 */
            outputTokens: number;
            /**
             * @description May contain tokens that the agent counts apart, such as those of a cache.
             * @example 9320
             */
            totalTokens: number;
        };
        /** @description Unsupported media type: the body is not application/json in UTF-8. */
        UnsupportedMediaTypeProblem: components["schemas"]["Problem"] & {
            /** @constant */
            code: "unsupported_media_type";
            /** @constant */
            status: 415;
        };
        Usage: {
            /**
             * @description Rate limit bucket; null if not grouped by bucket.
             * @example metadata
             */
            bucket: string | null;
            /**
             * Format: int64
             * @description End of the period, exclusive.
             * @example 1788307200000
             */
            end: number;
            /**
             * @description Number of requests with status 400 or above.
             * @example 7
             */
            errors: number;
            /**
             * @example usage
             * @enum {string}
             */
            object: "usage";
            /**
             * @description Operation id in this document; null if not grouped by operation.
             * @example listSessions
             */
            operation: string | null;
            /**
             * @description Number of requests with status 429.
             * @example 2
             */
            rateLimited: number;
            /** @example 1204 */
            requests: number;
            /**
             * Format: int64
             * @description Start of the hour or day in UTC, inclusive.
             * @example 1788220800000
             */
            start: number;
            /**
             * @description Token id; null if not grouped by token.
             * @example tok_01m7xsah51f6ctt8c84t8wbh7e
             */
            tokenId: string | null;
        };
        Webhook: {
            /**
             * Format: int64
             * @example 1788255000000
             */
            createdAt: number;
            createdBy: components["schemas"]["WebhookCreator"];
            /** @example Posts to the release channel */
            description: string | null;
            /**
             * @description Why the webhook was disabled. `gone`: the endpoint responded with 410. `failing`: it failed for five days. `too_many_pending`: more than 10,000 deliveries were pending. Known values, to which others may be added: `gone`, `failing`, `too_many_pending`.
             * @example null
             * @enum {string|null}
             */
            disabledReason: "gone" | "failing" | "too_many_pending" | null;
            /**
             * @description Subscribed event types. `*` means all events that the creator may see.
             * @example [
             *       "session.created",
             *       "session.ended"
             *     ]
             */
            events: ("session.created" | "session.updated" | "session.ended" | "session.deleted" | "message.created" | "turn.started" | "turn.requires_action" | "turn.ended" | "permission.requested" | "permission.decided" | "queued_message.ended" | "machine.registered" | "machine.online" | "machine.offline" | "invocation.ended" | "artifact.created" | "artifact.updated" | "artifact.deleted" | "key_grant.created" | "key_grant.revoked" | "token.created" | "token.revoked" | "token.expiring" | "relay.completed" | "relay.failed" | "webhook.disabled" | "webhook.test" | "*")[];
            /**
             * Format: int64
             * @description Time since which every attempt has failed, in Unix ms. Null after a success.
             * @example null
             */
            failingSince: number | null;
            /**
             * @description `standard`: the event as JSON. `slack`: a line with a link to the console, for an incoming webhook of Slack. `ntfy`: the same for a topic of ntfy. Known values, to which others may be added: `standard`, `slack`, `ntfy`.
             * @example standard
             * @enum {string}
             */
            format: "standard" | "slack" | "ntfy";
            /**
             * @description Lower-case names of the headers that the creator added to the requests. Their values are not shown again.
             * @example [
             *       "authorization"
             *     ]
             */
            headerNames: string[];
            /** @example whk_01m7xsah51f6ctt8c84t8wbh7e */
            id: string;
            /**
             * Format: int64
             * @description Time at which the last attempt ended, in Unix ms.
             * @example 1788255000000
             */
            lastDeliveryAt: number | null;
            /**
             * @description HTTP status of the last attempt. Null without a response.
             * @example 200
             */
            lastDeliveryStatus: number | null;
            /**
             * @example webhook
             * @enum {string}
             */
            object: "webhook";
            /**
             * @description Deliveries are sent while the webhook is `active` and wait while it is `paused` or `disabled`. A disabled webhook gets no new deliveries. Known values, to which others may be added: `active`, `disabled`, `paused`.
             * @example active
             * @enum {string}
             */
            state: "active" | "disabled" | "paused";
            /**
             * Format: int64
             * @example 1788255000000
             */
            updatedAt: number;
            /** @example https://example.com/hooks */
            url: string;
        };
        WebhookCreator: {
            /**
             * @description Client ID of the app.
             * @example null
             */
            appId: string | null;
            /** @example tok_01m7xsah51f6ctt8c84t8wbh7e */
            tokenId: string | null;
        };
        /** @description Sent when the service disables a webhook. It is not sent to that webhook. Not available to apps. */
        WebhookDisabledEvent: {
            data: components["schemas"]["Webhook"];
            /**
             * Format: int64
             * @description When the event happened, in Unix milliseconds.
             * @example 1788255000000
             */
            timestamp: number;
            /**
             * @example webhook.disabled
             * @enum {string}
             */
            type: "webhook.disabled";
        };
        WebhookPage: {
            /**
             * @description All event types.
             * @example [
             *       "session.created",
             *       "session.updated",
             *       "session.ended",
             *       "session.deleted",
             *       "message.created",
             *       "turn.started",
             *       "turn.requires_action",
             *       "turn.ended",
             *       "permission.requested",
             *       "permission.decided",
             *       "queued_message.ended",
             *       "machine.registered",
             *       "machine.online",
             *       "machine.offline",
             *       "invocation.ended",
             *       "artifact.created",
             *       "artifact.updated",
             *       "artifact.deleted",
             *       "key_grant.created",
             *       "key_grant.revoked",
             *       "token.created",
             *       "token.revoked",
             *       "token.expiring",
             *       "relay.completed",
             *       "relay.failed",
             *       "webhook.disabled",
             *       "webhook.test"
             *     ]
             */
            availableEvents: ("session.created" | "session.updated" | "session.ended" | "session.deleted" | "message.created" | "turn.started" | "turn.requires_action" | "turn.ended" | "permission.requested" | "permission.decided" | "queued_message.ended" | "machine.registered" | "machine.online" | "machine.offline" | "invocation.ended" | "artifact.created" | "artifact.updated" | "artifact.deleted" | "key_grant.created" | "key_grant.revoked" | "token.created" | "token.revoked" | "token.expiring" | "relay.completed" | "relay.failed" | "webhook.disabled" | "webhook.test")[];
            data: components["schemas"]["Webhook"][];
            /**
             * @description Cursor of the next page. Null on the last page.
             * @example eyJ2IjoxfQ.b3BhcXVl
             */
            nextCursor: string | null;
        };
        /** @description Sent when a test of the webhook is requested, whatever it subscribes to. */
        WebhookTestEvent: {
            data: components["schemas"]["Webhook"];
            /**
             * Format: int64
             * @description When the event happened, in Unix milliseconds.
             * @example 1788255000000
             */
            timestamp: number;
            /**
             * @example webhook.test
             * @enum {string}
             */
            type: "webhook.test";
        };
        WebhookWithSecret: {
            data: components["schemas"]["Webhook"];
            /**
             * @description Signing secret, shown only once. Null in the replayed response of an idempotent request.
             * @example whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD5mXZLSpTyWQ=
             */
            signingSecret: string | null;
        };
    };
    responses: {
        /** @description `conflict`: the resource is not in the state that the request requires. */
        Conflict: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["ConflictProblem"];
            };
        };
        /**
         * @description `device_error`: the device returned an error or an invalid response (`deviceError.code` `invalid_answer`).
         *
         *     `device_disconnected`: the device or its instance disconnected or stopped responding during the call.
         */
        DeviceErrorOrDeviceDisconnected: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["DeviceErrorProblem"] | components["schemas"]["DeviceDisconnectedProblem"];
            };
        };
        /**
         * @description `device_error`: the device returned an error or an invalid response (`deviceError.code` `invalid_answer`).
         *
         *     `device_disconnected`: the device or its instance disconnected or stopped responding during the call.
         */
        DeviceErrorOrDeviceDisconnected2: {
            headers: {
                "Idempotency-Replayed": components["headers"]["Optional-Idempotency-Replayed"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["DeviceErrorProblem"] | components["schemas"]["DeviceDisconnectedProblem"];
            };
        };
        /** @description `forbidden`: the credential is of the wrong kind, or the account is suspended. */
        Forbidden: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["ForbiddenProblem"];
            };
        };
        /**
         * @description `forbidden`: the credential is of the wrong kind, or the account is suspended.
         *
         *     `plan_limit_exceeded`: the account's plan limit is reached.
         */
        ForbiddenOrPlanLimitExceeded: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["ForbiddenProblem"] | components["schemas"]["PlanLimitExceededProblem"];
            };
        };
        /** @description `grant_key_mismatch`: a sealed key or ciphertext cannot be decrypted, does not match or is misplaced. */
        GrantKeyMismatch: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["GrantKeyMismatchProblem"];
            };
        };
        /**
         * @description `idempotency_in_progress`: the first call with this Idempotency-Key is still running.
         *
         *     `answer_not_kept`: the response of the first call with this Idempotency-Key was not stored; the call is not run again.
         */
        IdempotencyInProgressOrAnswerNotKept: {
            headers: {
                "Idempotency-Replayed": components["headers"]["Optional-Idempotency-Replayed"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["IdempotencyInProgressProblem"] | components["schemas"]["AnswerNotKeptProblem"];
            };
        };
        /**
         * @description `idempotency_in_progress`: the first call with this Idempotency-Key is still running.
         *
         *     `answer_not_kept`: the response of the first call with this Idempotency-Key was not stored; the call is not run again.
         *
         *     `conflict`: the resource is not in the state that the request requires.
         */
        IdempotencyInProgressOrAnswerNotKeptOrConflict: {
            headers: {
                "Idempotency-Replayed": components["headers"]["Optional-Idempotency-Replayed"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["IdempotencyInProgressProblem"] | components["schemas"]["AnswerNotKeptProblem"] | components["schemas"]["ConflictProblem"];
            };
        };
        /**
         * @description `idempotency_in_progress`: the first call with this Idempotency-Key is still running.
         *
         *     `answer_not_kept`: the response of the first call with this Idempotency-Key was not stored; the call is not run again.
         *
         *     `conflict`: the resource is not in the state that the request requires.
         *
         *     `permission_not_pending`: the permission request is decided, expired or cancelled.
         */
        IdempotencyInProgressOrAnswerNotKeptOrConflictOrPermissionNotPending: {
            headers: {
                "Idempotency-Replayed": components["headers"]["Optional-Idempotency-Replayed"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["IdempotencyInProgressProblem"] | components["schemas"]["AnswerNotKeptProblem"] | components["schemas"]["ConflictProblem"] | components["schemas"]["PermissionNotPendingProblem"];
            };
        };
        /**
         * @description `idempotency_in_progress`: the first call with this Idempotency-Key is still running.
         *
         *     `answer_not_kept`: the response of the first call with this Idempotency-Key was not stored; the call is not run again.
         *
         *     `session_not_active`: the session has ended.
         *
         *     `session_busy`: a message with `ifBusy` `reject` finds the agent at work.
         *
         *     `steer_unsupported`: a message with `ifBusy` `steer` can not join the running turn.
         */
        IdempotencyInProgressOrAnswerNotKeptOrSessionNotActiveOrSessionBusyOrSteerUnsupported: {
            headers: {
                "Idempotency-Replayed": components["headers"]["Optional-Idempotency-Replayed"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["IdempotencyInProgressProblem"] | components["schemas"]["AnswerNotKeptProblem"] | components["schemas"]["SessionNotActiveProblem"] | components["schemas"]["SessionBusyProblem"] | components["schemas"]["SteerUnsupportedProblem"];
            };
        };
        /** @description `idempotency_key_reused`: the Idempotency-Key was already used with a different request. */
        IdempotencyKeyReused: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["IdempotencyKeyReusedProblem"];
            };
        };
        /**
         * @description `idempotency_key_reused`: the Idempotency-Key was already used with a different request.
         *
         *     `grant_key_mismatch`: a sealed key or ciphertext cannot be decrypted, does not match or is misplaced.
         */
        IdempotencyKeyReusedOrGrantKeyMismatch: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["IdempotencyKeyReusedProblem"] | components["schemas"]["GrantKeyMismatchProblem"];
            };
        };
        /**
         * @description `insufficient_scope`: the token is valid but lacks a required scope.
         *
         *     `forbidden`: the credential is of the wrong kind, or the account is suspended.
         */
        InsufficientScopeOrForbidden: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "WWW-Authenticate": components["headers"]["Optional-WWW-Authenticate"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["InsufficientScopeProblem"] | components["schemas"]["ForbiddenProblem"];
            };
        };
        /**
         * @description `insufficient_scope`: the token is valid but lacks a required scope.
         *
         *     `forbidden`: the credential is of the wrong kind, or the account is suspended.
         *
         *     `no_content_grant`: no key grant allows this caller to read the content.
         */
        InsufficientScopeOrForbiddenOrNoContentGrant: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "WWW-Authenticate": components["headers"]["Optional-WWW-Authenticate"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["InsufficientScopeProblem"] | components["schemas"]["ForbiddenProblem"] | components["schemas"]["NoContentGrantProblem"];
            };
        };
        /**
         * @description `insufficient_scope`: the token is valid but lacks a required scope.
         *
         *     `forbidden`: the credential is of the wrong kind, or the account is suspended.
         *
         *     `plan_limit_exceeded`: the account's plan limit is reached.
         */
        InsufficientScopeOrForbiddenOrPlanLimitExceeded: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "WWW-Authenticate": components["headers"]["Optional-WWW-Authenticate"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["InsufficientScopeProblem"] | components["schemas"]["ForbiddenProblem"] | components["schemas"]["PlanLimitExceededProblem"];
            };
        };
        /**
         * @description `insufficient_scope`: the token is valid but lacks a required scope.
         *
         *     `machine_not_allowed`: the token is limited to other machines.
         *
         *     `forbidden`: the credential is of the wrong kind, or the account is suspended.
         */
        InsufficientScopeOrMachineNotAllowedOrForbidden: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "WWW-Authenticate": components["headers"]["Optional-WWW-Authenticate"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["InsufficientScopeProblem"] | components["schemas"]["MachineNotAllowedProblem"] | components["schemas"]["ForbiddenProblem"];
            };
        };
        /**
         * @description `insufficient_scope`: the token is valid but lacks a required scope.
         *
         *     `machine_not_allowed`: the token is limited to other machines.
         *
         *     `forbidden`: the credential is of the wrong kind, or the account is suspended.
         *
         *     `no_content_grant`: no key grant allows this caller to read the content.
         *
         *     `plan_limit_exceeded`: the account's plan limit is reached.
         */
        InsufficientScopeOrMachineNotAllowedOrForbiddenOrNoContentGrantOrPlanLimitExceeded: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "WWW-Authenticate": components["headers"]["Optional-WWW-Authenticate"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["InsufficientScopeProblem"] | components["schemas"]["MachineNotAllowedProblem"] | components["schemas"]["ForbiddenProblem"] | components["schemas"]["NoContentGrantProblem"] | components["schemas"]["PlanLimitExceededProblem"];
            };
        };
        /**
         * @description `insufficient_scope`: the token is valid but lacks a required scope.
         *
         *     `machine_not_allowed`: the token is limited to other machines.
         *
         *     `forbidden`: the credential is of the wrong kind, or the account is suspended.
         *
         *     `plan_limit_exceeded`: the account's plan limit is reached.
         */
        InsufficientScopeOrMachineNotAllowedOrForbiddenOrPlanLimitExceeded: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "WWW-Authenticate": components["headers"]["Optional-WWW-Authenticate"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["InsufficientScopeProblem"] | components["schemas"]["MachineNotAllowedProblem"] | components["schemas"]["ForbiddenProblem"] | components["schemas"]["PlanLimitExceededProblem"];
            };
        };
        /** @description `internal_error`: the service failed unexpectedly. */
        InternalError: {
            headers: {
                RateLimit: components["headers"]["Optional-RateLimit"];
                "RateLimit-Policy": components["headers"]["Optional-RateLimit-Policy"];
                "X-RateLimit-Limit": components["headers"]["Optional-X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["Optional-X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["Optional-X-RateLimit-Reset"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["InternalErrorProblem"];
            };
        };
        /** @description `internal_error`: the service failed unexpectedly. */
        InternalErrorAnonymous: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["InternalErrorProblem"];
            };
        };
        /** @description `invalid_request`: invalid, too large or too deeply nested JSON, a wrong type or range, an unknown field or parameter, or two Authorization headers; up to 20 violations are reported. */
        InvalidRequest: {
            headers: {
                RateLimit: components["headers"]["Optional-RateLimit"];
                "RateLimit-Policy": components["headers"]["Optional-RateLimit-Policy"];
                "X-RateLimit-Limit": components["headers"]["Optional-X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["Optional-X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["Optional-X-RateLimit-Reset"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["InvalidRequestProblem"];
            };
        };
        /** @description `invalid_request`: invalid, too large or too deeply nested JSON, a wrong type or range, an unknown field or parameter, or two Authorization headers; up to 20 violations are reported. */
        InvalidRequestAnonymous: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["InvalidRequestProblem"];
            };
        };
        /**
         * @description `invalid_request`: invalid, too large or too deeply nested JSON, a wrong type or range, an unknown field or parameter, or two Authorization headers; up to 20 violations are reported.
         *
         *     `invalid_cursor`: the cursor was modified or used with other filters.
         */
        InvalidRequestOrInvalidCursor: {
            headers: {
                RateLimit: components["headers"]["Optional-RateLimit"];
                "RateLimit-Policy": components["headers"]["Optional-RateLimit-Policy"];
                "X-RateLimit-Limit": components["headers"]["Optional-X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["Optional-X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["Optional-X-RateLimit-Reset"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["InvalidRequestProblem"] | components["schemas"]["InvalidCursorProblem"];
            };
        };
        /**
         * @description `missing_token`: the request has no credential.
         *
         *     `invalid_token`: the credential is malformed, unknown, expired, revoked or of a kind that this path does not accept.
         */
        MissingTokenOrInvalidToken: {
            headers: {
                "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["MissingTokenProblem"] | components["schemas"]["InvalidTokenProblem"];
            };
        };
        /**
         * @description `no_online_device`: no device that can serve the call is online.
         *
         *     `relay_unavailable`: the relay is temporarily unavailable.
         *
         *     `read_only`: the service is read-only during maintenance, and the call would change data or is relayed to a device.
         *
         *     `service_unavailable`: the instance is shutting down or cannot reach its database.
         */
        NoOnlineDeviceOrRelayUnavailableOrReadOnlyOrServiceUnavailable: {
            headers: {
                RateLimit: components["headers"]["Optional-RateLimit"];
                "RateLimit-Policy": components["headers"]["Optional-RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-RateLimit-Limit": components["headers"]["Optional-X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["Optional-X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["Optional-X-RateLimit-Reset"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["NoOnlineDeviceProblem"] | components["schemas"]["RelayUnavailableProblem"] | components["schemas"]["ReadOnlyProblem"] | components["schemas"]["ServiceUnavailableProblem"];
            };
        };
        /** @description `not_acceptable`: the resource is not available in any type of `Accept`. */
        NotAcceptable: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["NotAcceptableProblem"];
            };
        };
        /** @description `not_acceptable`: the resource is not available in any type of `Accept`. */
        NotAcceptableAnonymous: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["NotAcceptableProblem"];
            };
        };
        /** @description `not_found`: the id is malformed, unknown or another account's. */
        NotFound: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["NotFoundProblem"];
            };
        };
        /** @description The body is not a form, a parameter is missing or repeated, or the request is rejected for the reason in `error`. */
        OAuthError400: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": "invalid_request",
                 *       "error_description": "grant_type is required."
                 *     }
                 */
                "application/json": components["schemas"]["OAuthError"] & {
                    /** @enum {string} */
                    error?: "invalid_request";
                };
            };
        };
        /** @description The client does not exist or the secret is wrong. */
        OAuthError401: {
            headers: {
                "WWW-Authenticate": components["headers"]["Optional-WWW-Authenticate"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": "invalid_client",
                 *       "error_description": "Client authentication failed."
                 *     }
                 */
                "application/json": components["schemas"]["OAuthError"] & {
                    /** @enum {string} */
                    error?: "invalid_client";
                };
            };
        };
        /** @description The form is too large. */
        OAuthError413: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": "invalid_request",
                 *       "error_description": "The body may hold at most 16384 bytes."
                 *     }
                 */
                "application/json": components["schemas"]["OAuthError"] & {
                    /** @enum {string} */
                    error?: "invalid_request";
                };
            };
        };
        /** @description The form is compressed. */
        OAuthError415: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": "invalid_request",
                 *       "error_description": "The body must not be compressed."
                 *     }
                 */
                "application/json": components["schemas"]["OAuthError"] & {
                    /** @enum {string} */
                    error?: "invalid_request";
                };
            };
        };
        /** @description This client has failed to authenticate too often from this IP address. A correct secret still works. */
        OAuthError429: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": "temporarily_unavailable",
                 *       "error_description": "Too many failed attempts."
                 *     }
                 */
                "application/json": components["schemas"]["OAuthError"] & {
                    /** @enum {string} */
                    error?: "temporarily_unavailable";
                };
            };
        };
        /** @description The service failed unexpectedly. */
        OAuthError500: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": "server_error",
                 *       "error_description": "Something went wrong here. Quote the X-Request-Id when asking for help."
                 *     }
                 */
                "application/json": components["schemas"]["OAuthError"] & {
                    /** @enum {string} */
                    error?: "server_error";
                };
            };
        };
        /** @description The service cannot reach its database. */
        OAuthError503: {
            headers: {
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": "temporarily_unavailable",
                 *       "error_description": "The service cannot answer now. Try again."
                 *     }
                 */
                "application/json": components["schemas"]["OAuthError"] & {
                    /** @enum {string} */
                    error?: "temporarily_unavailable";
                };
            };
        };
        /** @description The body is not a form, a parameter is missing or repeated, or the request is rejected for the reason in `error`. */
        OAuthError4002: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": "invalid_request",
                 *       "error_description": "grant_type is required."
                 *     }
                 */
                "application/json": components["schemas"]["OAuthError"] & {
                    /**
                     * @description Known values, to which others may be added: `invalid_request`, `invalid_grant`, `invalid_scope`, `unsupported_grant_type`.
                     * @enum {string}
                     */
                    error?: "invalid_request" | "invalid_grant" | "invalid_scope" | "unsupported_grant_type";
                };
            };
        };
        /** @description The client or the redirect URI is missing, repeated or unknown. The page informs the user; the app is not notified. */
        OAuthPage400: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                /** @example <!doctype html><html lang="en"><body>redirect_uri is missing.</body></html> */
                "text/html": string;
            };
        };
        /** @description Too many requests from this address. */
        OAuthPage429: {
            headers: {
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                /** @example <!doctype html><html lang="en"><body></body></html> */
                "text/html": string;
            };
        };
        /** @description The service failed unexpectedly. */
        OAuthPage500: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                /** @example <!doctype html><html lang="en"><body></body></html> */
                "text/html": string;
            };
        };
        /** @description The service cannot reach its database. */
        OAuthPage503: {
            headers: {
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                /** @example <!doctype html><html lang="en"><body></body></html> */
                "text/html": string;
            };
        };
        /** @description Any other error is shown to the user as a page. */
        OAuthPagedefault: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                /** @example <!doctype html><html lang="en"><body></body></html> */
                "text/html": string;
            };
        };
        /** @description `payload_too_large`: the body exceeds 1 MiB. */
        PayloadTooLarge: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["PayloadTooLargeProblem"];
            };
        };
        /** @description `rate_limited`: the account's or device's bucket is empty, or the IP address has sent too many invalid credentials. */
        RateLimited: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["RateLimitedProblem"];
            };
        };
        /**
         * @description `rate_limited`: the account's or device's bucket is empty, or the IP address has sent too many invalid credentials.
         *
         *     `device_busy`: the device has reached its limit of concurrent calls, or has too much work to accept this one, such as no place for another agent.
         */
        RateLimitedOrDeviceBusy: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["RateLimitedProblem"] | components["schemas"]["DeviceBusyProblem"];
            };
        };
        /**
         * @description `rate_limited`: the account's or device's bucket is empty, or the IP address has sent too many invalid credentials.
         *
         *     `too_many_streams`: the token, the account or the instance has too many event streams open.
         */
        RateLimitedOrTooManyStreams: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["RateLimitedProblem"] | components["schemas"]["TooManyStreamsProblem"];
            };
        };
        /**
         * @description `rate_limited`: the account's or device's bucket is empty, or the IP address has sent too many invalid credentials.
         *
         *     `too_many_waits`: the account or the instance has too many calls that wait for changes.
         */
        RateLimitedOrTooManyWaits: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["RateLimitedProblem"] | components["schemas"]["TooManyWaitsProblem"];
            };
        };
        /**
         * @description `read_only`: the service is read-only during maintenance, and the call would change data or is relayed to a device.
         *
         *     `service_unavailable`: the instance is shutting down or cannot reach its database.
         */
        ReadOnlyOrServiceUnavailable: {
            headers: {
                RateLimit: components["headers"]["Optional-RateLimit"];
                "RateLimit-Policy": components["headers"]["Optional-RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-RateLimit-Limit": components["headers"]["Optional-X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["Optional-X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["Optional-X-RateLimit-Reset"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["ReadOnlyProblem"] | components["schemas"]["ServiceUnavailableProblem"];
            };
        };
        /** @description `service_unavailable`: the instance is shutting down or cannot reach its database. */
        ServiceUnavailable: {
            headers: {
                RateLimit: components["headers"]["Optional-RateLimit"];
                "RateLimit-Policy": components["headers"]["Optional-RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-RateLimit-Limit": components["headers"]["Optional-X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["Optional-X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["Optional-X-RateLimit-Reset"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["ServiceUnavailableProblem"];
            };
        };
        /** @description `service_unavailable`: the instance is shutting down or cannot reach its database. */
        ServiceUnavailableAnonymous: {
            headers: {
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["ServiceUnavailableProblem"];
            };
        };
        /** @description `session_not_active`: the session has ended. */
        SessionNotActive: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["SessionNotActiveProblem"];
            };
        };
        /** @description `stream_expired`: the events after `Last-Event-ID` are older than 24 hours or too many, or the database was restored. */
        StreamExpired: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["StreamExpiredProblem"];
            };
        };
        /** @description `timeout`: the device did not respond in time. */
        Timeout: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["TimeoutProblem"];
            };
        };
        /** @description `timeout`: the device did not respond in time. */
        Timeout2: {
            headers: {
                "Idempotency-Replayed": components["headers"]["Optional-Idempotency-Replayed"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["TimeoutProblem"];
            };
        };
        /** @description `unsupported_media_type`: the body is not application/json in UTF-8. */
        UnsupportedMediaType: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["UnsupportedMediaTypeProblem"];
            };
        };
    };
    parameters: {
        /** @description `nextCursor` of the previous page, unchanged. The cursor contains that page's filters: omit them or repeat the same values. Cursors don't expire. */
        cursor: string;
        /**
         * @description Runs calls of this credential with the same key, method and path only once: for 24 hours, the first response of a call that took effect is replayed with `Idempotency-Replayed: true`.
         * @example 5f1c7f0e-8a57-4c0e-9d3e-0d8f5f0a3b61
         */
        "Idempotency-Key": string;
        /**
         * @description An ETag of this resource. The response is 304 if it has not changed (RFC 9110 §13.1.2).
         * @example W/"1f4-2jmj7l5rSw0yVb"
         */
        "If-None-Match": string;
        /**
         * @description Maximum number of items per page: 1 or more. Values above 200 are clamped to 200.
         * @example 20
         */
        limit: number;
        /** @description Sort order: `desc` (newest first) or `asc` (oldest first). */
        order: "asc" | "desc";
        /**
         * @description W3C Trace Context of the request that caused the event, where there is one. Attempts may have different parent ids.
         * @example 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
         */
        traceparent: string;
        /**
         * @description Id of the event, the same on every attempt and replay. Ignore an id that you have processed.
         * @example evt_01m7xsah51f6ctt8c84t8wbh7e
         */
        "webhook-id": string;
        /**
         * @description `v1,` and the base64 of HMAC-SHA256 over `<webhook-id>.<webhook-timestamp>.<body>`. The key is the 32 bytes that the signing secret encodes after `whsec_`. During a rotation of the secret there are two signatures, separated by a space. Compare in constant time.
         * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
         */
        "webhook-signature": string;
        /**
         * @description Start of this attempt, in Unix seconds.
         * @example 1788255000
         */
        "webhook-timestamp": string;
    };
    requestBodies: never;
    headers: {
        /**
         * @description Weak validator for If-None-Match (RFC 9110 §8.8.3).
         * @example W/"1f4-2jmj7l5rSw0yVb"
         */
        ETag: string;
        /**
         * @description Target of the redirect (RFC 9110 §10.2.2).
         * @example https://app.example/callback?code=2YotnFZFEjr1zCsicMWpAA&iss=https%3A%2F%2Fapi.test&state=xyz
         */
        Location: string;
        /**
         * @description Present if this is the stored response of an earlier call with the same Idempotency-Key.
         * @example true
         */
        "Optional-Idempotency-Replayed": "true";
        /**
         * @description The bucket, the remaining calls and the seconds until its window ends (same draft).
         * @example "metadata";r=599;t=37
         */
        "Optional-RateLimit": string;
        /**
         * @description The bucket, its quota and its window in seconds (IETF draft-ietf-httpapi-ratelimit-headers).
         * @example "metadata";q=600;w=60
         */
        "Optional-RateLimit-Policy": string;
        /**
         * @description The challenge (RFC 6750 §3).
         * @example Bearer realm="external-api", error="invalid_token", error_description="The token has expired."
         */
        "Optional-WWW-Authenticate": string;
        /**
         * @description Calls per window of the bucket that this call consumed from.
         * @example 600
         */
        "Optional-X-RateLimit-Limit": number;
        /**
         * @description Calls left in the window.
         * @example 599
         */
        "Optional-X-RateLimit-Remaining": number;
        /**
         * @description Whole seconds until the window ends.
         * @example 37
         */
        "Optional-X-RateLimit-Reset": number;
        /**
         * @description The bucket, the remaining calls and the seconds until its window ends (same draft).
         * @example "metadata";r=599;t=37
         */
        RateLimit: string;
        /**
         * @description The bucket, its quota and its window in seconds (IETF draft-ietf-httpapi-ratelimit-headers).
         * @example "metadata";q=600;w=60
         */
        "RateLimit-Policy": string;
        /**
         * @description Whole seconds to wait before retrying (RFC 9110 §10.2.3).
         * @example 37
         */
        "Retry-After": number;
        /**
         * @description The challenge (RFC 6750 §3).
         * @example Bearer realm="external-api", error="invalid_token", error_description="The token has expired."
         */
        "WWW-Authenticate": string;
        /**
         * @description Calls per window of the bucket that this call consumed from.
         * @example 600
         */
        "X-RateLimit-Limit": number;
        /**
         * @description Calls left in the window.
         * @example 599
         */
        "X-RateLimit-Remaining": number;
        /**
         * @description Whole seconds until the window ends.
         * @example 37
         */
        "X-RateLimit-Reset": number;
        /**
         * @description Identifies this call, also in logs. Quote it when asking for help.
         * @example req_01m7xsah51f6ctt8c84t8wbh7e
         */
        "X-Request-Id": string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    listArtifacts: {
        parameters: {
            query?: {
                /** @description Earliest creation time in Unix ms, inclusive. */
                createdSince?: number;
                /** @description `nextCursor` of the previous page, unchanged. The cursor contains that page's filters: omit them or repeat the same values. Cursors don't expire. */
                cursor?: components["parameters"]["cursor"];
                /**
                 * @description Maximum number of items per page: 1 or more. Values above 200 are clamped to 200.
                 * @example 20
                 */
                limit?: components["parameters"]["limit"];
                /** @description Filters artifacts by exact media type. */
                mediaType?: string;
                /** @description Sort order: `desc` (newest first) or `asc` (oldest first). */
                order?: components["parameters"]["order"];
                /** @description Filters artifacts by session id. */
                sessionId?: string;
                /** @description Earliest time of the last update in Unix ms, inclusive. */
                updatedSince?: number;
            };
            header?: {
                /**
                 * @description An ETag of this resource. The response is 304 if it has not changed (RFC 9110 §13.1.2).
                 * @example W/"1f4-2jmj7l5rSw0yVb"
                 */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of artifacts. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "art_01m7xsah51f6ctt8c84t8wbh7e",
                     *           "object": "artifact",
                     *           "sessionId": "ses_01m7xsah51f6ctt8c84t8wbh7e",
                     *           "tag": "coverage-report",
                     *           "mediaType": "text/html",
                     *           "version": 3,
                     *           "sizeBytes": 48213,
                     *           "keyId": "k1",
                     *           "contentGranted": false,
                     *           "createdAt": 1788255000000,
                     *           "updatedAt": 1788255000000
                     *         }
                     *       ],
                     *       "nextCursor": "eyJ2IjoxfQ.b3BhcXVl"
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["Artifact"][];
                        /**
                         * @description Cursor of the next page; null on the last page.
                         * @example eyJ2IjoxfQ.b3BhcXVl
                         */
                        nextCursor: string | null;
                    };
                };
            };
            /** @description The resource still has this ETag. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequestOrInvalidCursor"];
            401: components["responses"]["MissingTokenOrInvalidToken"];
            403: components["responses"]["InsufficientScopeOrForbidden"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getArtifact: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description An ETag of this resource. The response is 304 if it has not changed (RFC 9110 §13.1.2).
                 * @example W/"1f4-2jmj7l5rSw0yVb"
                 */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path: {
                /**
                 * @description Id of the artifact.
                 * @example art_01m7xsah51f6ctt8c84t8wbh7e
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The artifact. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": "art_01m7xsah51f6ctt8c84t8wbh7e",
                     *         "object": "artifact",
                     *         "sessionId": "ses_01m7xsah51f6ctt8c84t8wbh7e",
                     *         "tag": "coverage-report",
                     *         "mediaType": "text/html",
                     *         "version": 3,
                     *         "sizeBytes": 48213,
                     *         "keyId": "k1",
                     *         "contentGranted": false,
                     *         "createdAt": 1788255000000,
                     *         "updatedAt": 1788255000000
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["Artifact"];
                    };
                };
            };
            /** @description The resource still has this ETag. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["MissingTokenOrInvalidToken"];
            403: components["responses"]["InsufficientScopeOrForbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getArtifactContent: {
        parameters: {
            query?: {
                /** @description Encoding to return if both are granted; defaults to plaintext if granted, else sealed. */
                encoding?: "plaintext" | "sealed";
            };
            header?: never;
            path: {
                /**
                 * @description Id of the artifact.
                 * @example art_01m7xsah51f6ctt8c84t8wbh7e
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The content in one of its encodings. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": "art_01m7xsah51f6ctt8c84t8wbh7e",
                     *         "sessionId": "ses_01m7xsah51f6ctt8c84t8wbh7e",
                     *         "encoding": "plaintext",
                     *         "mediaType": "text/markdown",
                     *         "content": "All 214 tests pass.",
                     *         "contentEncoding": "utf8",
                     *         "grantId": "grt_01m7xsah51f6ctt8c84t8wbh7e"
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["PlaintextContent"] | components["schemas"]["SealedContent"];
                    };
                    /** @example All 214 tests pass. */
                    "application/octet-stream": unknown;
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["MissingTokenOrInvalidToken"];
            403: components["responses"]["InsufficientScopeOrForbiddenOrNoContentGrant"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            422: components["responses"]["GrantKeyMismatch"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    streamEvents: {
        parameters: {
            query?: {
                /** @description Id of the last event that the caller has seen, from which the stream resumes. `Last-Event-ID` takes precedence. */
                lastEventId?: string;
                /** @description Comma-separated list of event types to send. Without it, all that the caller may see. */
                types?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Events, until the stream ends after 15 minutes at the latest. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example id: eyJsaXN0IjoiZXZlbnRzIn0
                     *     event: session.ended
                     *     data: {"id":"evt_01m7xsah51f6ctt8c84t8wbh7e","type":"session.ended","timestamp":1788255000000,"data":{}}
                     */
                    "text/event-stream": string;
                };
            };
            400: components["responses"]["InvalidRequestOrInvalidCursor"];
            401: components["responses"]["MissingTokenOrInvalidToken"];
            403: components["responses"]["InsufficientScopeOrForbidden"];
            406: components["responses"]["NotAcceptable"];
            410: components["responses"]["StreamExpired"];
            429: components["responses"]["RateLimitedOrTooManyStreams"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listMachines: {
        parameters: {
            query?: {
                /** @description `nextCursor` of the previous page, unchanged. The cursor contains that page's filters: omit them or repeat the same values. Cursors don't expire. */
                cursor?: components["parameters"]["cursor"];
                /**
                 * @description Maximum number of items per page: 1 or more. Values above 200 are clamped to 200.
                 * @example 20
                 */
                limit?: components["parameters"]["limit"];
                /** @description Sort order: `desc` (newest first) or `asc` (oldest first). */
                order?: components["parameters"]["order"];
                /** @description Filters machines by state. */
                state?: "online" | "offline";
            };
            header?: {
                /**
                 * @description An ETag of this resource. The response is 304 if it has not changed (RFC 9110 §13.1.2).
                 * @example W/"1f4-2jmj7l5rSw0yVb"
                 */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of machines. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "mch_01m7xsah51f6ctt8c84t8wbh7e",
                     *           "object": "machine",
                     *           "name": "build-box",
                     *           "platform": "linux",
                     *           "arch": "x64",
                     *           "appVersion": "1.4.2",
                     *           "state": "online",
                     *           "capabilities": [
                     *             "session.message",
                     *             "machine.invoke"
                     *           ],
                     *           "agents": [
                     *             {
                     *               "name": "opencode",
                     *               "title": "OpenCode",
                     *               "version": "1.2.3",
                     *               "modes": [
                     *                 "build",
                     *                 "plan"
                     *               ],
                     *               "options": [
                     *                 {
                     *                   "id": "model",
                     *                   "category": "model"
                     *                 }
                     *               ]
                     *             }
                     *           ],
                     *           "createdAt": 1788255000000,
                     *           "updatedAt": 1788255000000,
                     *           "lastSeenAt": 1788255000000
                     *         }
                     *       ],
                     *       "nextCursor": "eyJ2IjoxfQ.b3BhcXVl"
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["Machine"][];
                        /**
                         * @description Cursor of the next page; null on the last page.
                         * @example eyJ2IjoxfQ.b3BhcXVl
                         */
                        nextCursor: string | null;
                    };
                };
            };
            /** @description The resource still has this ETag. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequestOrInvalidCursor"];
            401: components["responses"]["MissingTokenOrInvalidToken"];
            403: components["responses"]["InsufficientScopeOrForbidden"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getMachine: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description An ETag of this resource. The response is 304 if it has not changed (RFC 9110 §13.1.2).
                 * @example W/"1f4-2jmj7l5rSw0yVb"
                 */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path: {
                /**
                 * @description Id of the machine.
                 * @example mch_01m7xsah51f6ctt8c84t8wbh7e
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The machine. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": "mch_01m7xsah51f6ctt8c84t8wbh7e",
                     *         "object": "machine",
                     *         "name": "build-box",
                     *         "platform": "linux",
                     *         "arch": "x64",
                     *         "appVersion": "1.4.2",
                     *         "state": "online",
                     *         "capabilities": [
                     *           "session.message",
                     *           "machine.invoke"
                     *         ],
                     *         "agents": [
                     *           {
                     *             "name": "opencode",
                     *             "title": "OpenCode",
                     *             "version": "1.2.3",
                     *             "modes": [
                     *               "build",
                     *               "plan"
                     *             ],
                     *             "options": [
                     *               {
                     *                 "id": "model",
                     *                 "category": "model"
                     *               }
                     *             ]
                     *           }
                     *         ],
                     *         "createdAt": 1788255000000,
                     *         "updatedAt": 1788255000000,
                     *         "lastSeenAt": 1788255000000
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["Machine"];
                    };
                };
            };
            /** @description The resource still has this ETag. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["MissingTokenOrInvalidToken"];
            403: components["responses"]["InsufficientScopeOrForbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listAgentSessions: {
        parameters: {
            query?: {
                /**
                 * @description Name of one of the machine's agents. By default, all of them.
                 * @example opencode
                 */
                agent?: string;
                /** @description `nextCursor` of the previous page, unchanged. The cursor contains that page's filters: omit them or repeat the same values. Cursors don't expire. */
                cursor?: components["parameters"]["cursor"];
                /**
                 * @description Folder of the sessions. By default, all folders that the device allows.
                 * @example /srv/app
                 */
                cwd?: string;
                /**
                 * @description Maximum number of items per page: 1 or more. Values above 200 are clamped to 200.
                 * @example 20
                 */
                limit?: components["parameters"]["limit"];
            };
            header?: never;
            path: {
                /**
                 * @description Id of the machine.
                 * @example mch_01m7xsah51f6ctt8c84t8wbh7e
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Sessions, each agent’s in its own order. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "requestId": "req_01m7xsah51f6ctt8c84t8wbh7e",
                     *       "result": {
                     *         "sessions": [
                     *           {
                     *             "agent": "opencode",
                     *             "agentSessionId": "6f1d2c9e-8a41-4c0b-9a53-b7e0c1f5d2aa",
                     *             "title": "Fix the failing test",
                     *             "cwd": "/srv/app",
                     *             "updatedAt": "2026-11-28T09:12:44.000Z",
                     *             "sessionId": "ses_01m7xsah51f6ctt8c84t8wbh7e",
                     *             "canFork": true
                     *           }
                     *         ],
                     *         "nextCursor": null,
                     *         "problems": []
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["RelayReply"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["MissingTokenOrInvalidToken"];
            403: components["responses"]["InsufficientScopeOrMachineNotAllowedOrForbiddenOrPlanLimitExceeded"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["RateLimitedOrDeviceBusy"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["DeviceErrorOrDeviceDisconnected"];
            503: components["responses"]["NoOnlineDeviceOrRelayUnavailableOrReadOnlyOrServiceUnavailable"];
            504: components["responses"]["Timeout"];
        };
    };
    listInvocations: {
        parameters: {
            query?: {
                /** @description `nextCursor` of the previous page, unchanged. The cursor contains that page's filters: omit them or repeat the same values. Cursors don't expire. */
                cursor?: components["parameters"]["cursor"];
                /**
                 * @description Maximum number of items per page: 1 or more. Values above 200 are clamped to 200.
                 * @example 20
                 */
                limit?: components["parameters"]["limit"];
                /** @description Sort order: `desc` (newest first) or `asc` (oldest first). */
                order?: components["parameters"]["order"];
                /** @description Filters invocations by state. */
                state?: "starting" | "running" | "completed" | "cancelled" | "timed_out" | "failed" | "lost";
            };
            header?: {
                /**
                 * @description An ETag of this resource. The response is 304 if it has not changed (RFC 9110 §13.1.2).
                 * @example W/"1f4-2jmj7l5rSw0yVb"
                 */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path: {
                /**
                 * @description Id of the machine.
                 * @example mch_01m7xsah51f6ctt8c84t8wbh7e
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of invocations. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "inv_01m7xsah51f6ctt8c84t8wbh7e",
                     *           "object": "invocation",
                     *           "machineId": "mch_01m7xsah51f6ctt8c84t8wbh7e",
                     *           "requestId": "req_01m7xsah51f6ctt8c84t8wbh7e",
                     *           "version": 3,
                     *           "state": "completed",
                     *           "errorCode": null,
                     *           "exitCode": 0,
                     *           "signal": null,
                     *           "timedOut": false,
                     *           "stdoutBytes": 18230,
                     *           "stderrBytes": 0,
                     *           "createdAt": 1788255000000,
                     *           "startedAt": 1788255000000,
                     *           "endedAt": 1788255000000
                     *         }
                     *       ],
                     *       "nextCursor": "eyJ2IjoxfQ.b3BhcXVl"
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["Invocation"][];
                        /**
                         * @description Cursor of the next page; null on the last page.
                         * @example eyJ2IjoxfQ.b3BhcXVl
                         */
                        nextCursor: string | null;
                    };
                };
            };
            /** @description The resource still has this ETag. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequestOrInvalidCursor"];
            401: components["responses"]["MissingTokenOrInvalidToken"];
            403: components["responses"]["InsufficientScopeOrMachineNotAllowedOrForbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    startInvocation: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Runs calls of this credential with the same key, method and path only once: for 24 hours, the first response of a call that took effect is replayed with `Idempotency-Replayed: true`.
                 * @example 5f1c7f0e-8a57-4c0e-9d3e-0d8f5f0a3b61
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /**
                 * @description Id of the machine.
                 * @example mch_01m7xsah51f6ctt8c84t8wbh7e
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "command": "npm",
                 *       "args": [
                 *         "test"
                 *       ],
                 *       "cwd": "/srv/app",
                 *       "timeoutMs": 1800000
                 *     }
                 */
                "application/json": components["schemas"]["StartInvocation"];
            };
        };
        responses: {
            /** @description The device has started the command. */
            202: {
                headers: {
                    "Idempotency-Replayed": components["headers"]["Optional-Idempotency-Replayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": "inv_01m7xsah51f6ctt8c84t8wbh7e",
                     *         "object": "invocation",
                     *         "machineId": "mch_01m7xsah51f6ctt8c84t8wbh7e",
                     *         "requestId": "req_01m7xsah51f6ctt8c84t8wbh7e",
                     *         "version": 3,
                     *         "state": "completed",
                     *         "errorCode": null,
                     *         "exitCode": 0,
                     *         "signal": null,
                     *         "timedOut": false,
                     *         "stdoutBytes": 18230,
                     *         "stderrBytes": 0,
                     *         "createdAt": 1788255000000,
                     *         "startedAt": 1788255000000,
                     *         "endedAt": 1788255000000
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["Invocation"];
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["MissingTokenOrInvalidToken"];
            403: components["responses"]["InsufficientScopeOrMachineNotAllowedOrForbiddenOrPlanLimitExceeded"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            409: components["responses"]["IdempotencyInProgressOrAnswerNotKept"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["RateLimitedOrDeviceBusy"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["DeviceErrorOrDeviceDisconnected2"];
            503: components["responses"]["NoOnlineDeviceOrRelayUnavailableOrReadOnlyOrServiceUnavailable"];
            504: components["responses"]["Timeout2"];
        };
    };
    getInvocation: {
        parameters: {
            query?: {
                /** @description Version that the caller knows. The call waits for a greater one. */
                afterVersion?: number;
                /** @description How long to wait for a change, in ms. */
                waitMs?: number;
            };
            header?: {
                /**
                 * @description An ETag of this resource. The response is 304 if it has not changed (RFC 9110 §13.1.2).
                 * @example W/"1f4-2jmj7l5rSw0yVb"
                 */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path: {
                /**
                 * @description Id of the machine.
                 * @example mch_01m7xsah51f6ctt8c84t8wbh7e
                 */
                id: string;
                /**
                 * @description Id of the invocation.
                 * @example inv_01m7xsah51f6ctt8c84t8wbh7e
                 */
                invocationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The invocation. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": "inv_01m7xsah51f6ctt8c84t8wbh7e",
                     *         "object": "invocation",
                     *         "machineId": "mch_01m7xsah51f6ctt8c84t8wbh7e",
                     *         "requestId": "req_01m7xsah51f6ctt8c84t8wbh7e",
                     *         "version": 3,
                     *         "state": "completed",
                     *         "errorCode": null,
                     *         "exitCode": 0,
                     *         "signal": null,
                     *         "timedOut": false,
                     *         "stdoutBytes": 18230,
                     *         "stderrBytes": 0,
                     *         "createdAt": 1788255000000,
                     *         "startedAt": 1788255000000,
                     *         "endedAt": 1788255000000
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["Invocation"];
                    };
                };
            };
            /** @description The resource still has this ETag. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["MissingTokenOrInvalidToken"];
            403: components["responses"]["InsufficientScopeOrMachineNotAllowedOrForbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["RateLimitedOrTooManyWaits"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    cancelInvocation: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Runs calls of this credential with the same key, method and path only once: for 24 hours, the first response of a call that took effect is replayed with `Idempotency-Replayed: true`.
                 * @example 5f1c7f0e-8a57-4c0e-9d3e-0d8f5f0a3b61
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /**
                 * @description Id of the machine.
                 * @example mch_01m7xsah51f6ctt8c84t8wbh7e
                 */
                id: string;
                /**
                 * @description Id of the invocation.
                 * @example inv_01m7xsah51f6ctt8c84t8wbh7e
                 */
                invocationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The state of the invocation. */
            200: {
                headers: {
                    "Idempotency-Replayed": components["headers"]["Optional-Idempotency-Replayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "requestId": "req_01m7xsah51f6ctt8c84t8wbh7e",
                     *       "result": {
                     *         "state": "cancelled"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["RelayReply"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["MissingTokenOrInvalidToken"];
            403: components["responses"]["InsufficientScopeOrMachineNotAllowedOrForbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            409: components["responses"]["IdempotencyInProgressOrAnswerNotKept"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["RateLimitedOrDeviceBusy"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["DeviceErrorOrDeviceDisconnected2"];
            503: components["responses"]["NoOnlineDeviceOrRelayUnavailableOrReadOnlyOrServiceUnavailable"];
            504: components["responses"]["Timeout2"];
        };
    };
    streamInvocationEvents: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the machine.
                 * @example mch_01m7xsah51f6ctt8c84t8wbh7e
                 */
                id: string;
                /**
                 * @description Id of the invocation.
                 * @example inv_01m7xsah51f6ctt8c84t8wbh7e
                 */
                invocationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Output, until the invocation ends, and for 15 minutes at most. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example event: output
                     *     data: {"invocationId":"inv_01m7xsah51f6ctt8c84t8wbh7e","stream":"stdout","offset":0,"data":"MTIgcGFzc2VkLgo="}
                     */
                    "text/event-stream": string;
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["MissingTokenOrInvalidToken"];
            403: components["responses"]["InsufficientScopeOrMachineNotAllowedOrForbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["RateLimitedOrTooManyStreams"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    readInvocationOutput: {
        parameters: {
            query?: {
                /**
                 * @description Maximum number of items per page: 1 or more. Values above 200 are clamped to 200.
                 * @example 20
                 */
                limit?: components["parameters"]["limit"];
                /** @description Position of the first byte to read, in everything that the command has written. By default, the beginning. */
                offset?: number;
                /** @description Stream to read. By default, the standard output. */
                stream?: "stdout" | "stderr";
            };
            header?: never;
            path: {
                /**
                 * @description Id of the machine.
                 * @example mch_01m7xsah51f6ctt8c84t8wbh7e
                 */
                id: string;
                /**
                 * @description Id of the invocation.
                 * @example inv_01m7xsah51f6ctt8c84t8wbh7e
                 */
                invocationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Output of the command, in base64. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "requestId": "req_01m7xsah51f6ctt8c84t8wbh7e",
                     *       "result": {
                     *         "stream": "stdout",
                     *         "offset": 0,
                     *         "nextOffset": 12,
                     *         "totalBytes": 12,
                     *         "data": "MTIgcGFzc2VkLgo=",
                     *         "eof": true
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["RelayReply"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["MissingTokenOrInvalidToken"];
            403: components["responses"]["InsufficientScopeOrMachineNotAllowedOrForbiddenOrPlanLimitExceeded"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["RateLimitedOrDeviceBusy"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["DeviceErrorOrDeviceDisconnected"];
            503: components["responses"]["NoOnlineDeviceOrRelayUnavailableOrReadOnlyOrServiceUnavailable"];
            504: components["responses"]["Timeout"];
        };
    };
    invokeMachine: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Runs calls of this credential with the same key, method and path only once: for 24 hours, the first response of a call that took effect is replayed with `Idempotency-Replayed: true`.
                 * @example 5f1c7f0e-8a57-4c0e-9d3e-0d8f5f0a3b61
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /**
                 * @description Id of the machine.
                 * @example mch_01m7xsah51f6ctt8c84t8wbh7e
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "command": "git",
                 *       "args": [
                 *         "status",
                 *         "--short"
                 *       ],
                 *       "cwd": "/srv/app",
                 *       "timeoutMs": 10000
                 *     }
                 */
                "application/json": components["schemas"]["Invoke"];
            };
        };
        responses: {
            /** @description The command's result, as reported by the device. */
            200: {
                headers: {
                    "Idempotency-Replayed": components["headers"]["Optional-Idempotency-Replayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "requestId": "req_01m7xsah51f6ctt8c84t8wbh7e",
                     *       "result": {
                     *         "exitCode": 0,
                     *         "signal": null,
                     *         "stdout": " M README.md\n",
                     *         "stderr": "",
                     *         "stdoutTruncated": false,
                     *         "stderrTruncated": false,
                     *         "stdoutBytes": 13,
                     *         "stderrBytes": 0,
                     *         "timedOut": false,
                     *         "durationMs": 24
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["RelayReply"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["MissingTokenOrInvalidToken"];
            403: components["responses"]["InsufficientScopeOrMachineNotAllowedOrForbiddenOrPlanLimitExceeded"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            409: components["responses"]["IdempotencyInProgressOrAnswerNotKept"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["RateLimitedOrDeviceBusy"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["DeviceErrorOrDeviceDisconnected2"];
            503: components["responses"]["NoOnlineDeviceOrRelayUnavailableOrReadOnlyOrServiceUnavailable"];
            504: components["responses"]["Timeout2"];
        };
    };
    startSession: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Runs calls of this credential with the same key, method and path only once: for 24 hours, the first response of a call that took effect is replayed with `Idempotency-Replayed: true`.
                 * @example 5f1c7f0e-8a57-4c0e-9d3e-0d8f5f0a3b61
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /**
                 * @description Id of the machine.
                 * @example mch_01m7xsah51f6ctt8c84t8wbh7e
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "agent": "opencode",
                 *       "cwd": "/srv/app",
                 *       "content": "Please fix the failing test.",
                 *       "waitMs": 0
                 *     }
                 */
                "application/json": components["schemas"]["StartSession"];
            };
        };
        responses: {
            /** @description The id of the session, and the turn of the first message or null. Without `content` also `agentState`, which is `ready` or `starting`. With `grant`, also the key grant, or null and the reason. */
            200: {
                headers: {
                    "Idempotency-Replayed": components["headers"]["Optional-Idempotency-Replayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "requestId": "req_01m7xsah51f6ctt8c84t8wbh7e",
                     *       "result": {
                     *         "sessionId": "ses_01m7xsah51f6ctt8c84t8wbh7e",
                     *         "turn": {
                     *           "id": "turn_01m7xsah51f6ctt8c84t8wbh7e",
                     *           "state": "running",
                     *           "stopReason": null
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["RelayReply"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["MissingTokenOrInvalidToken"];
            403: components["responses"]["InsufficientScopeOrMachineNotAllowedOrForbiddenOrPlanLimitExceeded"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            409: components["responses"]["IdempotencyInProgressOrAnswerNotKept"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["RateLimitedOrDeviceBusy"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["DeviceErrorOrDeviceDisconnected2"];
            503: components["responses"]["NoOnlineDeviceOrRelayUnavailableOrReadOnlyOrServiceUnavailable"];
            504: components["responses"]["Timeout2"];
        };
    };
    getMe: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description An ETag of this resource. The response is 304 if it has not changed (RFC 9110 §13.1.2).
                 * @example W/"1f4-2jmj7l5rSw0yVb"
                 */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The token with its account and limits. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "account": {
                     *           "id": "acc_01m7xsah51f6ctt8c84t8wbh7e",
                     *           "username": "ada",
                     *           "createdAt": 1788255000000
                     *         },
                     *         "token": {
                     *           "id": "tok_01m7xsah51f6ctt8c84t8wbh7e",
                     *           "type": "pat",
                     *           "name": "ci",
                     *           "scopes": [
                     *             "sessions:read",
                     *             "usage:read"
                     *           ],
                     *           "machineIds": [
                     *             "mch_01m7xsah51f6ctt8c84t8wbh7e"
                     *           ],
                     *           "createdAt": 1788255000000,
                     *           "expiresAt": 1796031000000,
                     *           "lastUsedAt": 1788255000000,
                     *           "appId": null
                     *         },
                     *         "plan": {
                     *           "name": "standard",
                     *           "limits": {
                     *             "metadataPerMinute": 600,
                     *             "relayPerMinute": 60,
                     *             "maxPageSize": 200,
                     *             "maxRelayWaitMs": 30000,
                     *             "maxInvokeTimeoutMs": 28000,
                     *             "maxTokens": 50,
                     *             "maxApps": 20,
                     *             "maxWebhooks": 20,
                     *             "maxRequestBytes": 1048576,
                     *             "maxStorageBytes": 1073741824,
                     *             "maxEventBytesPerDay": 536870912,
                     *             "maxKeptAnswerBytes": 268435456,
                     *             "maxDevices": 1000,
                     *             "maxKeyGrants": 10000
                     *           }
                     *         },
                     *         "deprecations": []
                     *       },
                     *       "meta": {
                     *         "rateLimit": {
                     *           "limit": 600,
                     *           "remaining": 599,
                     *           "reset": 37
                     *         },
                     *         "rateLimits": {
                     *           "metadata": {
                     *             "limit": 600,
                     *             "remaining": 599,
                     *             "reset": 37
                     *           },
                     *           "relay": {
                     *             "limit": 60,
                     *             "remaining": 60,
                     *             "reset": 60
                     *           }
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Me"];
                };
            };
            /** @description The resource still has this ETag. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["MissingTokenOrInvalidToken"];
            403: components["responses"]["Forbidden"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    authorize: {
        parameters: {
            query: {
                /**
                 * @description Id of the app.
                 * @example svc_oapp_0123456789ABCDEFGHIJKLMNOPQRST0a1b2c
                 */
                client_id: string;
                /**
                 * @description SHA-256 of the code verifier in base64url (RFC 7636 §4.2).
                 * @example E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM
                 */
                code_challenge: string;
                /**
                 * @description Optional; only `S256` is supported.
                 * @example S256
                 */
                code_challenge_method?: "S256";
                /**
                 * @description A redirect URI that the app has registered, byte for byte. An http loopback URI may have any port.
                 * @example https://app.example/callback
                 */
                redirect_uri: string;
                /**
                 * @description Optional; only `code` is supported.
                 * @example code
                 */
                response_type?: "code";
                /**
                 * @description Scopes, separated by spaces. `machines:invoke` and `machines:invoke:verified` are not available to apps.
                 * @example sessions:read usage:read
                 */
                scope: string;
                /**
                 * @description Returned to the app byte for byte.
                 * @example xyz
                 */
                state?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Redirects to the consent page, or back to the app with an error. */
            303: {
                headers: {
                    Location: components["headers"]["Location"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["OAuthPage400"];
            429: components["responses"]["OAuthPage429"];
            500: components["responses"]["OAuthPage500"];
            503: components["responses"]["OAuthPage503"];
            default: components["responses"]["OAuthPagedefault"];
        };
    };
    introspectToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "client_id": "svc_oapp_0123456789ABCDEFGHIJKLMNOPQRST0a1b2c",
                 *       "client_secret": "svc_ocs_0123456789ABCDEFGHIJKLMNOPQRST0a1b2c",
                 *       "token": "svc_ort_0123456789ABCDEFGHIJKLMNOPQRST0a1b2c",
                 *       "token_type_hint": "refresh_token"
                 *     }
                 */
                "application/x-www-form-urlencoded": components["schemas"]["TokenReferenceForm"];
            };
        };
        responses: {
            /** @description The token, or only `active: false`. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "active": true,
                     *       "scope": "sessions:read profile:read",
                     *       "client_id": "svc_oapp_0123456789ABCDEFGHIJKLMNOPQRST0a1b2c",
                     *       "sub": "acc_01m7xsah51f6ctt8c84t8wbh7e",
                     *       "username": "ada",
                     *       "token_type": "Bearer",
                     *       "exp": 1788258600,
                     *       "iat": 1788255000,
                     *       "iss": "https://api.test"
                     *     }
                     */
                    "application/json": components["schemas"]["IntrospectionAnswer"];
                };
            };
            400: components["responses"]["OAuthError400"];
            401: components["responses"]["OAuthError401"];
            413: components["responses"]["OAuthError413"];
            415: components["responses"]["OAuthError415"];
            429: components["responses"]["OAuthError429"];
            500: components["responses"]["OAuthError500"];
            503: components["responses"]["OAuthError503"];
        };
    };
    revokeToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "client_id": "svc_oapp_0123456789ABCDEFGHIJKLMNOPQRST0a1b2c",
                 *       "client_secret": "svc_ocs_0123456789ABCDEFGHIJKLMNOPQRST0a1b2c",
                 *       "token": "svc_ort_0123456789ABCDEFGHIJKLMNOPQRST0a1b2c",
                 *       "token_type_hint": "refresh_token"
                 *     }
                 */
                "application/x-www-form-urlencoded": components["schemas"]["TokenReferenceForm"];
            };
        };
        responses: {
            /** @description The token is not valid (anymore). */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /** @example {} */
                    "application/json": components["schemas"]["RevocationAnswer"];
                };
            };
            400: components["responses"]["OAuthError400"];
            401: components["responses"]["OAuthError401"];
            413: components["responses"]["OAuthError413"];
            415: components["responses"]["OAuthError415"];
            429: components["responses"]["OAuthError429"];
            500: components["responses"]["OAuthError500"];
            503: components["responses"]["OAuthError503"];
        };
    };
    issueToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "client_id": "svc_oapp_0123456789ABCDEFGHIJKLMNOPQRST0a1b2c",
                 *       "client_secret": "svc_ocs_0123456789ABCDEFGHIJKLMNOPQRST0a1b2c",
                 *       "grant_type": "authorization_code",
                 *       "code": "2YotnFZFEjr1zCsicMWpAA",
                 *       "redirect_uri": "https://app.example/callback",
                 *       "code_verifier": "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
                 *     }
                 */
                "application/x-www-form-urlencoded": components["schemas"]["TokenForm"];
            };
        };
        responses: {
            /** @description An access token, valid for an hour, and the next refresh token. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "access_token": "svc_oat_0123456789ABCDEFGHIJKLMNOPQRST0a1b2c",
                     *       "token_type": "Bearer",
                     *       "expires_in": 3600,
                     *       "refresh_token": "svc_ort_0123456789ABCDEFGHIJKLMNOPQRST0a1b2c",
                     *       "scope": "sessions:read usage:read"
                     *     }
                     */
                    "application/json": components["schemas"]["TokenAnswer"];
                };
            };
            400: components["responses"]["OAuthError4002"];
            401: components["responses"]["OAuthError401"];
            413: components["responses"]["OAuthError413"];
            415: components["responses"]["OAuthError415"];
            429: components["responses"]["OAuthError429"];
            500: components["responses"]["OAuthError500"];
            503: components["responses"]["OAuthError503"];
        };
    };
    getOpenApi: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description An ETag of this resource. The response is 304 if it has not changed (RFC 9110 §13.1.2).
                 * @example W/"1f4-2jmj7l5rSw0yVb"
                 */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description This document. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "openapi": "3.1.1"
                     *     }
                     */
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
            /** @description The resource still has this ETag. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequestAnonymous"];
            406: components["responses"]["NotAcceptableAnonymous"];
            500: components["responses"]["InternalErrorAnonymous"];
            503: components["responses"]["ServiceUnavailableAnonymous"];
        };
    };
    listSessions: {
        parameters: {
            query?: {
                /** @description Earliest creation time in Unix ms, inclusive. */
                createdSince?: number;
                /** @description Latest creation time in Unix ms, exclusive. */
                createdUntil?: number;
                /** @description `nextCursor` of the previous page, unchanged. The cursor contains that page's filters: omit them or repeat the same values. Cursors don't expire. */
                cursor?: components["parameters"]["cursor"];
                /**
                 * @description Maximum number of items per page: 1 or more. Values above 200 are clamped to 200.
                 * @example 20
                 */
                limit?: components["parameters"]["limit"];
                /** @description Filters sessions by machine id. */
                machineId?: string;
                /** @description Sort order: `desc` (newest first) or `asc` (oldest first). */
                order?: components["parameters"]["order"];
                /** @description Filters sessions by state. */
                state?: "active" | "ended";
                /** @description Filters sessions by exact tag. */
                tag?: string;
                /** @description Earliest time of the last update in Unix ms, inclusive. */
                updatedSince?: number;
            };
            header?: {
                /**
                 * @description An ETag of this resource. The response is 304 if it has not changed (RFC 9110 §13.1.2).
                 * @example W/"1f4-2jmj7l5rSw0yVb"
                 */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of sessions. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "ses_01m7xsah51f6ctt8c84t8wbh7e",
                     *           "object": "session",
                     *           "state": "active",
                     *           "activity": "idle",
                     *           "agent": {
                     *             "name": "opencode",
                     *             "title": "OpenCode",
                     *             "mode": "build"
                     *           },
                     *           "context": {
                     *             "used": 48200,
                     *             "size": 200000
                     *           },
                     *           "tag": "refactor-billing",
                     *           "machineId": "mch_01m7xsah51f6ctt8c84t8wbh7e",
                     *           "messageCount": 12,
                     *           "lastSeq": 12,
                     *           "contentGranted": false,
                     *           "createdAt": 1788255000000,
                     *           "updatedAt": 1788255000000,
                     *           "lastActiveAt": 1788255000000,
                     *           "endedAt": null
                     *         }
                     *       ],
                     *       "nextCursor": "eyJ2IjoxfQ.b3BhcXVl"
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["Session"][];
                        /**
                         * @description Cursor of the next page; null on the last page.
                         * @example eyJ2IjoxfQ.b3BhcXVl
                         */
                        nextCursor: string | null;
                    };
                };
            };
            /** @description The resource still has this ETag. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequestOrInvalidCursor"];
            401: components["responses"]["MissingTokenOrInvalidToken"];
            403: components["responses"]["InsufficientScopeOrForbidden"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getSession: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description An ETag of this resource. The response is 304 if it has not changed (RFC 9110 §13.1.2).
                 * @example W/"1f4-2jmj7l5rSw0yVb"
                 */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path: {
                /**
                 * @description Id of the session.
                 * @example ses_01m7xsah51f6ctt8c84t8wbh7e
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The session. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": "ses_01m7xsah51f6ctt8c84t8wbh7e",
                     *         "object": "session",
                     *         "state": "active",
                     *         "activity": "idle",
                     *         "agent": {
                     *           "name": "opencode",
                     *           "title": "OpenCode",
                     *           "mode": "build"
                     *         },
                     *         "context": {
                     *           "used": 48200,
                     *           "size": 200000
                     *         },
                     *         "tag": "refactor-billing",
                     *         "machineId": "mch_01m7xsah51f6ctt8c84t8wbh7e",
                     *         "messageCount": 12,
                     *         "lastSeq": 12,
                     *         "contentGranted": false,
                     *         "createdAt": 1788255000000,
                     *         "updatedAt": 1788255000000,
                     *         "lastActiveAt": 1788255000000,
                     *         "endedAt": null
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["Session"];
                    };
                };
            };
            /** @description The resource still has this ETag. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["MissingTokenOrInvalidToken"];
            403: components["responses"]["InsufficientScopeOrForbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getSessionContent: {
        parameters: {
            query?: {
                /** @description Encoding to return if both are granted; defaults to plaintext if granted, else sealed. */
                encoding?: "plaintext" | "sealed";
            };
            header?: never;
            path: {
                /**
                 * @description Id of the session.
                 * @example ses_01m7xsah51f6ctt8c84t8wbh7e
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The content in one of its encodings. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": "ses_01m7xsah51f6ctt8c84t8wbh7e",
                     *         "sessionId": "ses_01m7xsah51f6ctt8c84t8wbh7e",
                     *         "encoding": "plaintext",
                     *         "mediaType": "text/markdown",
                     *         "content": "All 214 tests pass.",
                     *         "contentEncoding": "utf8",
                     *         "grantId": "grt_01m7xsah51f6ctt8c84t8wbh7e"
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["PlaintextContent"] | components["schemas"]["SealedContent"];
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["MissingTokenOrInvalidToken"];
            403: components["responses"]["InsufficientScopeOrForbiddenOrNoContentGrant"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            422: components["responses"]["GrantKeyMismatch"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    endSession: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Runs calls of this credential with the same key, method and path only once: for 24 hours, the first response of a call that took effect is replayed with `Idempotency-Replayed: true`.
                 * @example 5f1c7f0e-8a57-4c0e-9d3e-0d8f5f0a3b61
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /**
                 * @description Id of the session.
                 * @example ses_01m7xsah51f6ctt8c84t8wbh7e
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The session has ended. */
            200: {
                headers: {
                    "Idempotency-Replayed": components["headers"]["Optional-Idempotency-Replayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "requestId": "req_01m7xsah51f6ctt8c84t8wbh7e",
                     *       "result": {
                     *         "state": "ended"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["RelayReply"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["MissingTokenOrInvalidToken"];
            403: components["responses"]["InsufficientScopeOrMachineNotAllowedOrForbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            409: components["responses"]["IdempotencyInProgressOrAnswerNotKept"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["RateLimitedOrDeviceBusy"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["DeviceErrorOrDeviceDisconnected2"];
            503: components["responses"]["NoOnlineDeviceOrRelayUnavailableOrReadOnlyOrServiceUnavailable"];
            504: components["responses"]["Timeout2"];
        };
    };
    streamSessionEvents: {
        parameters: {
            query?: {
                /** @description Encoding of the `content` that `message.created` and `permission.requested` contain. It requires `sessions:content`, and a key grant for each event. */
                content?: "none" | "sealed" | "plaintext";
                /** @description Comma-separated list of the kinds of `delta` events to send while an agent works: `message` (text that it is writing), `thought`, `tool` (a tool call from its beginning) and `plan`. Only with `content`. The default sends `message`, without `kind`. */
                deltas?: string;
                /** @description Id of the last event that the caller has seen, from which the stream resumes. `Last-Event-ID` takes precedence. */
                lastEventId?: string;
                /** @description Comma-separated list of event types to send. Without it, all that the caller may see. */
                types?: string;
            };
            header?: never;
            path: {
                /**
                 * @description Id of the session.
                 * @example ses_01m7xsah51f6ctt8c84t8wbh7e
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Events, until the stream ends after 15 minutes at the latest. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example id: eyJsaXN0IjoiZXZlbnRzIn0
                     *     event: session.ended
                     *     data: {"id":"evt_01m7xsah51f6ctt8c84t8wbh7e","type":"session.ended","timestamp":1788255000000,"data":{}}
                     */
                    "text/event-stream": string;
                };
            };
            400: components["responses"]["InvalidRequestOrInvalidCursor"];
            401: components["responses"]["MissingTokenOrInvalidToken"];
            403: components["responses"]["InsufficientScopeOrForbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            410: components["responses"]["StreamExpired"];
            429: components["responses"]["RateLimitedOrTooManyStreams"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listMessages: {
        parameters: {
            query?: {
                /** @description Returns messages with a greater `seq`. */
                afterSeq?: number;
                /** @description Returns messages with a smaller `seq`. */
                beforeSeq?: number;
                /** @description `nextCursor` of the previous page, unchanged. The cursor contains that page's filters: omit them or repeat the same values. Cursors don't expire. */
                cursor?: components["parameters"]["cursor"];
                /**
                 * @description Maximum number of items per page: 1 or more. Values above 200 are clamped to 200.
                 * @example 20
                 */
                limit?: components["parameters"]["limit"];
                /** @description Sort order: `desc` (newest first) or `asc` (oldest first). */
                order?: components["parameters"]["order"];
                /** @description Filters messages by role. */
                role?: "user" | "assistant" | "system" | "tool";
                /** @description Filters messages by turn id. */
                turnId?: string;
            };
            header?: {
                /**
                 * @description An ETag of this resource. The response is 304 if it has not changed (RFC 9110 §13.1.2).
                 * @example W/"1f4-2jmj7l5rSw0yVb"
                 */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path: {
                /**
                 * @description Id of the session.
                 * @example ses_01m7xsah51f6ctt8c84t8wbh7e
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of messages. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "msg_01m7xsah51f6ctt8c84t8wbh7e",
                     *           "object": "message",
                     *           "sessionId": "ses_01m7xsah51f6ctt8c84t8wbh7e",
                     *           "seq": 12,
                     *           "localId": "m-0012",
                     *           "role": "assistant",
                     *           "sizeBytes": 2048,
                     *           "keyId": "k1",
                     *           "turnId": "turn_01m7xsah51f6ctt8c84t8wbh7e",
                     *           "createdAt": 1788255000000
                     *         }
                     *       ],
                     *       "nextCursor": "eyJ2IjoxfQ.b3BhcXVl"
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["Message"][];
                        /**
                         * @description Cursor of the next page; null on the last page.
                         * @example eyJ2IjoxfQ.b3BhcXVl
                         */
                        nextCursor: string | null;
                    };
                };
            };
            /** @description The resource still has this ETag. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequestOrInvalidCursor"];
            401: components["responses"]["MissingTokenOrInvalidToken"];
            403: components["responses"]["InsufficientScopeOrForbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    sendMessage: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Runs calls of this credential with the same key, method and path only once: for 24 hours, the first response of a call that took effect is replayed with `Idempotency-Replayed: true`.
                 * @example 5f1c7f0e-8a57-4c0e-9d3e-0d8f5f0a3b61
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /**
                 * @description Id of the session.
                 * @example ses_01m7xsah51f6ctt8c84t8wbh7e
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "content": "Please also update the changelog."
                 *     }
                 */
                "application/json": components["schemas"]["SendMessage"];
            };
        };
        responses: {
            /** @description The device's reply. */
            200: {
                headers: {
                    "Idempotency-Replayed": components["headers"]["Optional-Idempotency-Replayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "requestId": "req_01m7xsah51f6ctt8c84t8wbh7e",
                     *       "result": {
                     *         "accepted": true,
                     *         "messageId": "msg_01m7xsah51f6ctt8c84t8wbh7e",
                     *         "reply": "Done.",
                     *         "turn": {
                     *           "id": "turn_01m7xsah51f6ctt8c84t8wbh7e",
                     *           "state": "completed",
                     *           "stopReason": "end_turn"
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["RelayReply"];
                };
            };
            /** @description The message is queued. */
            202: {
                headers: {
                    "Idempotency-Replayed": components["headers"]["Optional-Idempotency-Replayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "requestId": "req_01m7xsah51f6ctt8c84t8wbh7e",
                     *       "result": {
                     *         "queued": true,
                     *         "queuedMessageId": "qmsg_01m7xsah51f6ctt8c84t8wbh7e"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["RelayReply"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["MissingTokenOrInvalidToken"];
            403: components["responses"]["InsufficientScopeOrMachineNotAllowedOrForbiddenOrPlanLimitExceeded"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            409: components["responses"]["IdempotencyInProgressOrAnswerNotKeptOrSessionNotActiveOrSessionBusyOrSteerUnsupported"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["RateLimitedOrDeviceBusy"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["DeviceErrorOrDeviceDisconnected2"];
            503: components["responses"]["NoOnlineDeviceOrRelayUnavailableOrReadOnlyOrServiceUnavailable"];
            504: components["responses"]["Timeout2"];
        };
    };
    getMessageContent: {
        parameters: {
            query?: {
                /** @description Encoding to return if both are granted; defaults to plaintext if granted, else sealed. */
                encoding?: "plaintext" | "sealed";
            };
            header?: never;
            path: {
                /**
                 * @description Id of the session.
                 * @example ses_01m7xsah51f6ctt8c84t8wbh7e
                 */
                id: string;
                /**
                 * @description Id of the message.
                 * @example msg_01m7xsah51f6ctt8c84t8wbh7e
                 */
                msgId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The content in one of its encodings. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": "msg_01m7xsah51f6ctt8c84t8wbh7e",
                     *         "sessionId": "ses_01m7xsah51f6ctt8c84t8wbh7e",
                     *         "encoding": "plaintext",
                     *         "mediaType": "text/markdown",
                     *         "content": "All 214 tests pass.",
                     *         "contentEncoding": "utf8",
                     *         "grantId": "grt_01m7xsah51f6ctt8c84t8wbh7e"
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["PlaintextContent"] | components["schemas"]["SealedContent"];
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["MissingTokenOrInvalidToken"];
            403: components["responses"]["InsufficientScopeOrForbiddenOrNoContentGrant"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            422: components["responses"]["GrantKeyMismatch"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    readSessionOptions: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the session.
                 * @example ses_01m7xsah51f6ctt8c84t8wbh7e
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Options and commands of the agent. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "requestId": "req_01m7xsah51f6ctt8c84t8wbh7e",
                     *       "result": {
                     *         "options": [
                     *           {
                     *             "id": "model",
                     *             "name": "Model",
                     *             "category": "model",
                     *             "type": "select",
                     *             "value": "opus",
                     *             "values": [
                     *               {
                     *                 "value": "opus",
                     *                 "name": "Opus"
                     *               },
                     *               {
                     *                 "value": "haiku",
                     *                 "name": "Haiku"
                     *               }
                     *             ]
                     *           }
                     *         ],
                     *         "commands": [
                     *           {
                     *             "name": "compact",
                     *             "description": "Summarizes the conversation"
                     *           }
                     *         ]
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["RelayReply"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["MissingTokenOrInvalidToken"];
            403: components["responses"]["InsufficientScopeOrForbiddenOrPlanLimitExceeded"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            409: components["responses"]["SessionNotActive"];
            429: components["responses"]["RateLimitedOrDeviceBusy"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["DeviceErrorOrDeviceDisconnected"];
            503: components["responses"]["NoOnlineDeviceOrRelayUnavailableOrReadOnlyOrServiceUnavailable"];
            504: components["responses"]["Timeout"];
        };
    };
    changeSessionOptions: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the session.
                 * @example ses_01m7xsah51f6ctt8c84t8wbh7e
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "model": "opus"
                 *     }
                 */
                "application/json": components["schemas"]["ChangeOptions"];
            };
        };
        responses: {
            /** @description Options and commands of the agent. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "requestId": "req_01m7xsah51f6ctt8c84t8wbh7e",
                     *       "result": {
                     *         "options": [
                     *           {
                     *             "id": "model",
                     *             "name": "Model",
                     *             "category": "model",
                     *             "type": "select",
                     *             "value": "opus",
                     *             "values": [
                     *               {
                     *                 "value": "opus",
                     *                 "name": "Opus"
                     *               },
                     *               {
                     *                 "value": "haiku",
                     *                 "name": "Haiku"
                     *               }
                     *             ]
                     *           }
                     *         ],
                     *         "commands": [
                     *           {
                     *             "name": "compact",
                     *             "description": "Summarizes the conversation"
                     *           }
                     *         ]
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["RelayReply"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["MissingTokenOrInvalidToken"];
            403: components["responses"]["InsufficientScopeOrMachineNotAllowedOrForbiddenOrPlanLimitExceeded"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            409: components["responses"]["SessionNotActive"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimitedOrDeviceBusy"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["DeviceErrorOrDeviceDisconnected"];
            503: components["responses"]["NoOnlineDeviceOrRelayUnavailableOrReadOnlyOrServiceUnavailable"];
            504: components["responses"]["Timeout"];
        };
    };
    listPermissionRequests: {
        parameters: {
            query?: {
                /** @description `nextCursor` of the previous page, unchanged. The cursor contains that page's filters: omit them or repeat the same values. Cursors don't expire. */
                cursor?: components["parameters"]["cursor"];
                /**
                 * @description Maximum number of items per page: 1 or more. Values above 200 are clamped to 200.
                 * @example 20
                 */
                limit?: components["parameters"]["limit"];
                /** @description Sort order: `desc` (newest first) or `asc` (oldest first). */
                order?: components["parameters"]["order"];
                /** @description Filters requests by state. */
                state?: "pending" | "allowed" | "rejected" | "expired" | "cancelled";
            };
            header?: {
                /**
                 * @description An ETag of this resource. The response is 304 if it has not changed (RFC 9110 §13.1.2).
                 * @example W/"1f4-2jmj7l5rSw0yVb"
                 */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path: {
                /**
                 * @description Id of the session.
                 * @example ses_01m7xsah51f6ctt8c84t8wbh7e
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of permission requests. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "perm_01m7xsah51f6ctt8c84t8wbh7e",
                     *           "object": "permission_request",
                     *           "sessionId": "ses_01m7xsah51f6ctt8c84t8wbh7e",
                     *           "turnId": "turn_01m7xsah51f6ctt8c84t8wbh7e",
                     *           "kind": "execute",
                     *           "state": "pending",
                     *           "options": [
                     *             {
                     *               "optionId": "o1",
                     *               "kind": "allow_once"
                     *             }
                     *           ],
                     *           "decidedBy": {
                     *             "tokenId": "tok_01m7xsah51f6ctt8c84t8wbh7e",
                     *             "deviceId": null
                     *           },
                     *           "createdAt": 1788255000000,
                     *           "expiresAt": 1788255600000,
                     *           "decidedAt": null
                     *         }
                     *       ],
                     *       "nextCursor": "eyJ2IjoxfQ.b3BhcXVl"
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["PermissionRequest"][];
                        /**
                         * @description Cursor of the next page; null on the last page.
                         * @example eyJ2IjoxfQ.b3BhcXVl
                         */
                        nextCursor: string | null;
                    };
                };
            };
            /** @description The resource still has this ETag. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequestOrInvalidCursor"];
            401: components["responses"]["MissingTokenOrInvalidToken"];
            403: components["responses"]["InsufficientScopeOrForbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getPermissionRequest: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description An ETag of this resource. The response is 304 if it has not changed (RFC 9110 §13.1.2).
                 * @example W/"1f4-2jmj7l5rSw0yVb"
                 */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path: {
                /**
                 * @description Id of the session.
                 * @example ses_01m7xsah51f6ctt8c84t8wbh7e
                 */
                id: string;
                /**
                 * @description Id of the permission request.
                 * @example perm_01m7xsah51f6ctt8c84t8wbh7e
                 */
                permissionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The permission request. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": "perm_01m7xsah51f6ctt8c84t8wbh7e",
                     *         "object": "permission_request",
                     *         "sessionId": "ses_01m7xsah51f6ctt8c84t8wbh7e",
                     *         "turnId": "turn_01m7xsah51f6ctt8c84t8wbh7e",
                     *         "kind": "execute",
                     *         "state": "pending",
                     *         "options": [
                     *           {
                     *             "optionId": "o1",
                     *             "kind": "allow_once"
                     *           }
                     *         ],
                     *         "decidedBy": {
                     *           "tokenId": "tok_01m7xsah51f6ctt8c84t8wbh7e",
                     *           "deviceId": null
                     *         },
                     *         "createdAt": 1788255000000,
                     *         "expiresAt": 1788255600000,
                     *         "decidedAt": null
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["PermissionRequest"];
                    };
                };
            };
            /** @description The resource still has this ETag. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["MissingTokenOrInvalidToken"];
            403: components["responses"]["InsufficientScopeOrForbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getPermissionRequestContent: {
        parameters: {
            query?: {
                /** @description Encoding to return if both are granted; defaults to plaintext if granted, else sealed. */
                encoding?: "plaintext" | "sealed";
            };
            header?: never;
            path: {
                /**
                 * @description Id of the session.
                 * @example ses_01m7xsah51f6ctt8c84t8wbh7e
                 */
                id: string;
                /**
                 * @description Id of the permission request.
                 * @example perm_01m7xsah51f6ctt8c84t8wbh7e
                 */
                permissionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The content in one of its encodings. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": "perm_01m7xsah51f6ctt8c84t8wbh7e",
                     *         "sessionId": "ses_01m7xsah51f6ctt8c84t8wbh7e",
                     *         "encoding": "plaintext",
                     *         "mediaType": "text/markdown",
                     *         "content": "All 214 tests pass.",
                     *         "contentEncoding": "utf8",
                     *         "grantId": "grt_01m7xsah51f6ctt8c84t8wbh7e",
                     *         "contentHash": "LPJNul-wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ"
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["PlaintextPermissionContent"] | components["schemas"]["SealedPermissionContent"];
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["MissingTokenOrInvalidToken"];
            403: components["responses"]["InsufficientScopeOrForbiddenOrNoContentGrant"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            422: components["responses"]["GrantKeyMismatch"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    decidePermissionRequest: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Runs calls of this credential with the same key, method and path only once: for 24 hours, the first response of a call that took effect is replayed with `Idempotency-Replayed: true`.
                 * @example 5f1c7f0e-8a57-4c0e-9d3e-0d8f5f0a3b61
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /**
                 * @description Id of the session.
                 * @example ses_01m7xsah51f6ctt8c84t8wbh7e
                 */
                id: string;
                /**
                 * @description Id of the permission request.
                 * @example perm_01m7xsah51f6ctt8c84t8wbh7e
                 */
                permissionId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "decision": "allow",
                 *       "optionId": "o2",
                 *       "answers": {
                 *         "database": "postgres"
                 *       },
                 *       "sealedAnswers": "eyJhbGciOiJkaXIi….….…",
                 *       "message": "Use the build cache instead of deleting it.",
                 *       "sealedMessage": "eyJhbGciOiJkaXIi….….…",
                 *       "contentHash": "LPJNul-wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ"
                 *     }
                 */
                "application/json": components["schemas"]["DecidePermission"];
            };
        };
        responses: {
            /** @description The state of the request, the option that was selected, and the turn of the message, if any. */
            200: {
                headers: {
                    "Idempotency-Replayed": components["headers"]["Optional-Idempotency-Replayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "requestId": "req_01m7xsah51f6ctt8c84t8wbh7e",
                     *       "result": {
                     *         "state": "allowed",
                     *         "optionId": "o1"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["RelayReply"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["MissingTokenOrInvalidToken"];
            403: components["responses"]["InsufficientScopeOrMachineNotAllowedOrForbiddenOrNoContentGrantOrPlanLimitExceeded"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            409: components["responses"]["IdempotencyInProgressOrAnswerNotKeptOrConflictOrPermissionNotPending"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyKeyReusedOrGrantKeyMismatch"];
            429: components["responses"]["RateLimitedOrDeviceBusy"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["DeviceErrorOrDeviceDisconnected2"];
            503: components["responses"]["NoOnlineDeviceOrRelayUnavailableOrReadOnlyOrServiceUnavailable"];
            504: components["responses"]["Timeout2"];
        };
    };
    listQueuedMessages: {
        parameters: {
            query?: {
                /** @description `nextCursor` of the previous page, unchanged. The cursor contains that page's filters: omit them or repeat the same values. Cursors don't expire. */
                cursor?: components["parameters"]["cursor"];
                /**
                 * @description Maximum number of items per page: 1 or more. Values above 200 are clamped to 200.
                 * @example 20
                 */
                limit?: components["parameters"]["limit"];
                /** @description Sort order: `desc` (newest first) or `asc` (oldest first). */
                order?: components["parameters"]["order"];
                /** @description Filters queued messages by state. */
                state?: "queued" | "sending" | "delivered" | "failed" | "unknown" | "expired" | "cancelled";
            };
            header?: {
                /**
                 * @description An ETag of this resource. The response is 304 if it has not changed (RFC 9110 §13.1.2).
                 * @example W/"1f4-2jmj7l5rSw0yVb"
                 */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path: {
                /**
                 * @description Id of the session.
                 * @example ses_01m7xsah51f6ctt8c84t8wbh7e
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of queued messages. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "qmsg_01m7xsah51f6ctt8c84t8wbh7e",
                     *           "object": "queued_message",
                     *           "sessionId": "ses_01m7xsah51f6ctt8c84t8wbh7e",
                     *           "requestId": "req_01m7xsah51f6ctt8c84t8wbh7e",
                     *           "turnId": "turn_01m7xsah51f6ctt8c84t8wbh7e",
                     *           "version": 3,
                     *           "state": "delivered",
                     *           "errorCode": null,
                     *           "attempts": 1,
                     *           "notBefore": null,
                     *           "expiresAt": 1788859800000,
                     *           "createdAt": 1788255000000,
                     *           "endedAt": 1788255000000
                     *         }
                     *       ],
                     *       "nextCursor": "eyJ2IjoxfQ.b3BhcXVl"
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["QueuedMessage"][];
                        /**
                         * @description Cursor of the next page; null on the last page.
                         * @example eyJ2IjoxfQ.b3BhcXVl
                         */
                        nextCursor: string | null;
                    };
                };
            };
            /** @description The resource still has this ETag. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequestOrInvalidCursor"];
            401: components["responses"]["MissingTokenOrInvalidToken"];
            403: components["responses"]["InsufficientScopeOrForbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    cancelQueuedMessage: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the session.
                 * @example ses_01m7xsah51f6ctt8c84t8wbh7e
                 */
                id: string;
                /**
                 * @description Id of the queued message.
                 * @example qmsg_01m7xsah51f6ctt8c84t8wbh7e
                 */
                queuedMessageId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The message is cancelled. */
            204: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["MissingTokenOrInvalidToken"];
            403: components["responses"]["InsufficientScopeOrMachineNotAllowedOrForbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ReadOnlyOrServiceUnavailable"];
        };
    };
    listTurns: {
        parameters: {
            query?: {
                /** @description `nextCursor` of the previous page, unchanged. The cursor contains that page's filters: omit them or repeat the same values. Cursors don't expire. */
                cursor?: components["parameters"]["cursor"];
                /**
                 * @description Maximum number of items per page: 1 or more. Values above 200 are clamped to 200.
                 * @example 20
                 */
                limit?: components["parameters"]["limit"];
                /** @description Sort order: `desc` (newest first) or `asc` (oldest first). */
                order?: components["parameters"]["order"];
                /** @description Filters turns by state. */
                state?: "queued" | "running" | "requires_action" | "completed" | "failed" | "cancelled" | "lost";
            };
            header?: {
                /**
                 * @description An ETag of this resource. The response is 304 if it has not changed (RFC 9110 §13.1.2).
                 * @example W/"1f4-2jmj7l5rSw0yVb"
                 */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path: {
                /**
                 * @description Id of the session.
                 * @example ses_01m7xsah51f6ctt8c84t8wbh7e
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of turns. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "turn_01m7xsah51f6ctt8c84t8wbh7e",
                     *           "object": "turn",
                     *           "sessionId": "ses_01m7xsah51f6ctt8c84t8wbh7e",
                     *           "origin": "message",
                     *           "requestId": "req_01m7xsah51f6ctt8c84t8wbh7e",
                     *           "deviceId": "dev_01m7xsah51f6ctt8c84t8wbh7e",
                     *           "version": 4,
                     *           "state": "completed",
                     *           "stopReason": "end_turn",
                     *           "errorCode": null,
                     *           "firstSeq": 11,
                     *           "lastSeq": 14,
                     *           "pendingPermissions": 0,
                     *           "usage": {
                     *             "inputTokens": 5120,
                     *             "outputTokens": 860,
                     *             "totalTokens": 9320,
                     *             "cachedInputTokens": 3340
                     *           },
                     *           "cost": {
                     *             "amount": 0.0425,
                     *             "currency": "USD"
                     *           },
                     *           "createdAt": 1788255000000,
                     *           "startedAt": 1788255000000,
                     *           "lastActivityAt": 1788255000000,
                     *           "endedAt": 1788255000000,
                     *           "updatedAt": 1788255000000
                     *         }
                     *       ],
                     *       "nextCursor": "eyJ2IjoxfQ.b3BhcXVl"
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["Turn"][];
                        /**
                         * @description Cursor of the next page; null on the last page.
                         * @example eyJ2IjoxfQ.b3BhcXVl
                         */
                        nextCursor: string | null;
                    };
                };
            };
            /** @description The resource still has this ETag. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequestOrInvalidCursor"];
            401: components["responses"]["MissingTokenOrInvalidToken"];
            403: components["responses"]["InsufficientScopeOrForbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getTurn: {
        parameters: {
            query?: {
                /** @description Version that the caller knows. The call waits for a greater one. */
                afterVersion?: number;
                /** @description How long to wait for a change, in ms. */
                waitMs?: number;
            };
            header?: {
                /**
                 * @description An ETag of this resource. The response is 304 if it has not changed (RFC 9110 §13.1.2).
                 * @example W/"1f4-2jmj7l5rSw0yVb"
                 */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path: {
                /**
                 * @description Id of the session.
                 * @example ses_01m7xsah51f6ctt8c84t8wbh7e
                 */
                id: string;
                /**
                 * @description Id of the turn.
                 * @example turn_01m7xsah51f6ctt8c84t8wbh7e
                 */
                turnId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The turn. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": "turn_01m7xsah51f6ctt8c84t8wbh7e",
                     *         "object": "turn",
                     *         "sessionId": "ses_01m7xsah51f6ctt8c84t8wbh7e",
                     *         "origin": "message",
                     *         "requestId": "req_01m7xsah51f6ctt8c84t8wbh7e",
                     *         "deviceId": "dev_01m7xsah51f6ctt8c84t8wbh7e",
                     *         "version": 4,
                     *         "state": "completed",
                     *         "stopReason": "end_turn",
                     *         "errorCode": null,
                     *         "firstSeq": 11,
                     *         "lastSeq": 14,
                     *         "pendingPermissions": 0,
                     *         "usage": {
                     *           "inputTokens": 5120,
                     *           "outputTokens": 860,
                     *           "totalTokens": 9320,
                     *           "cachedInputTokens": 3340
                     *         },
                     *         "cost": {
                     *           "amount": 0.0425,
                     *           "currency": "USD"
                     *         },
                     *         "createdAt": 1788255000000,
                     *         "startedAt": 1788255000000,
                     *         "lastActivityAt": 1788255000000,
                     *         "endedAt": 1788255000000,
                     *         "updatedAt": 1788255000000
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["Turn"];
                    };
                };
            };
            /** @description The resource still has this ETag. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["MissingTokenOrInvalidToken"];
            403: components["responses"]["InsufficientScopeOrForbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["RateLimitedOrTooManyWaits"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    cancelTurn: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Runs calls of this credential with the same key, method and path only once: for 24 hours, the first response of a call that took effect is replayed with `Idempotency-Replayed: true`.
                 * @example 5f1c7f0e-8a57-4c0e-9d3e-0d8f5f0a3b61
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /**
                 * @description Id of the session.
                 * @example ses_01m7xsah51f6ctt8c84t8wbh7e
                 */
                id: string;
                /**
                 * @description Id of the turn.
                 * @example turn_01m7xsah51f6ctt8c84t8wbh7e
                 */
                turnId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The state of the turn. */
            200: {
                headers: {
                    "Idempotency-Replayed": components["headers"]["Optional-Idempotency-Replayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "requestId": "req_01m7xsah51f6ctt8c84t8wbh7e",
                     *       "result": {
                     *         "state": "cancelled"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["RelayReply"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["MissingTokenOrInvalidToken"];
            403: components["responses"]["InsufficientScopeOrMachineNotAllowedOrForbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            409: components["responses"]["IdempotencyInProgressOrAnswerNotKept"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["RateLimitedOrDeviceBusy"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["DeviceErrorOrDeviceDisconnected2"];
            503: components["responses"]["NoOnlineDeviceOrRelayUnavailableOrReadOnlyOrServiceUnavailable"];
            504: components["responses"]["Timeout2"];
        };
    };
    getUsage: {
        parameters: {
            query?: {
                /** @description `nextCursor` of the previous page, unchanged. The cursor contains that page's filters: omit them or repeat the same values. Cursors don't expire. */
                cursor?: components["parameters"]["cursor"];
                /** @description Start of the range in Unix ms, inclusive; defaults to 30 days before `to`. */
                from?: number;
                /** @description Length of a period; defaults to a day. */
                granularity?: "hour" | "day";
                /** @description Comma-separated list of `bucket`, `token` and `operation` to group by. */
                groupBy?: string;
                /**
                 * @description Maximum number of items per page: 1 or more. Values above 200 are clamped to 200.
                 * @example 20
                 */
                limit?: components["parameters"]["limit"];
                /** @description Sort order: `desc` (newest first) or `asc` (oldest first). */
                order?: components["parameters"]["order"];
                /** @description End of the range in Unix ms, exclusive; defaults to now. */
                to?: number;
            };
            header?: {
                /**
                 * @description An ETag of this resource. The response is 304 if it has not changed (RFC 9110 §13.1.2).
                 * @example W/"1f4-2jmj7l5rSw0yVb"
                 */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of periods. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "object": "usage",
                     *           "start": 1788220800000,
                     *           "end": 1788307200000,
                     *           "bucket": "metadata",
                     *           "tokenId": "tok_01m7xsah51f6ctt8c84t8wbh7e",
                     *           "operation": "listSessions",
                     *           "requests": 1204,
                     *           "errors": 7,
                     *           "rateLimited": 2
                     *         }
                     *       ],
                     *       "nextCursor": "eyJ2IjoxfQ.b3BhcXVl"
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["Usage"][];
                        /**
                         * @description Cursor of the next page; null on the last page.
                         * @example eyJ2IjoxfQ.b3BhcXVl
                         */
                        nextCursor: string | null;
                    };
                };
            };
            /** @description The resource still has this ETag. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequestOrInvalidCursor"];
            401: components["responses"]["MissingTokenOrInvalidToken"];
            403: components["responses"]["InsufficientScopeOrForbidden"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    createExternalToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "ci",
                 *       "scopes": [
                 *         "sessions:read",
                 *         "usage:read"
                 *       ],
                 *       "expiresInDays": 90
                 *     }
                 */
                "application/json": components["schemas"]["CreateExternalToken"];
            };
        };
        responses: {
            /** @description The token and its secret. */
            201: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": "tok_01m7xsah51f6ctt8c84t8wbh7e",
                     *         "object": "token",
                     *         "name": "ci",
                     *         "scopes": [
                     *           "sessions:read",
                     *           "usage:read"
                     *         ],
                     *         "machineIds": [
                     *           "mch_01m7xsah51f6ctt8c84t8wbh7e"
                     *         ],
                     *         "prefix": "svc_pat_0123",
                     *         "last4": "1b2c",
                     *         "state": "active",
                     *         "createdAt": 1788255000000,
                     *         "expiresAt": 1796031000000,
                     *         "lastUsedAt": null
                     *       },
                     *       "token": "svc_pat_0123456789ABCDEFGHIJKLMNOPQRST0a1b2c"
                     *     }
                     */
                    "application/json": components["schemas"]["TokenWithSecret"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["MissingTokenOrInvalidToken"];
            403: components["responses"]["ForbiddenOrPlanLimitExceeded"];
            406: components["responses"]["NotAcceptable"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ReadOnlyOrServiceUnavailable"];
        };
    };
    createDeveloperApp: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Notes",
                 *       "description": "Collects the findings of your agents",
                 *       "homepageUrl": "https://app.example",
                 *       "redirectUris": [
                 *         "https://app.example/callback"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["CreateDeveloperApp"];
            };
        };
        responses: {
            /** @description The app and its secret. */
            201: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "clientId": "svc_oapp_0123456789ABCDEFGHIJKLMNOPQRST0a1b2c",
                     *         "object": "app",
                     *         "name": "Notes",
                     *         "description": "Collects the findings of your agents",
                     *         "homepageUrl": "https://app.example",
                     *         "redirectUris": [
                     *           "https://app.example/callback"
                     *         ],
                     *         "state": "active",
                     *         "secrets": [
                     *           {
                     *             "id": "sec_01m7xsah51f6ctt8c84t8wbh7e",
                     *             "last4": "1b2c",
                     *             "createdAt": 1788255000000,
                     *             "expiresAt": null,
                     *             "lastUsedAt": null
                     *           }
                     *         ],
                     *         "activeUsers": 0,
                     *         "createdAt": 1788255000000,
                     *         "updatedAt": 1788255000000
                     *       },
                     *       "clientSecret": "svc_ocs_0123456789ABCDEFGHIJKLMNOPQRST0a1b2c"
                     *     }
                     */
                    "application/json": components["schemas"]["AppWithSecret"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["MissingTokenOrInvalidToken"];
            403: components["responses"]["ForbiddenOrPlanLimitExceeded"];
            406: components["responses"]["NotAcceptable"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ReadOnlyOrServiceUnavailable"];
        };
    };
    createSessionKeyGrant: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the session.
                 * @example ses_01m7xsah51f6ctt8c84t8wbh7e
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "recipient": "service",
                 *       "sealedKey": "eyJhbGciOiJFQ0RILUVTK0EyNTZLVyIs….….….….…",
                 *       "tokenId": "tok_01m7xsah51f6ctt8c84t8wbh7e"
                 *     }
                 */
                "application/json": components["schemas"]["CreateKeyGrant"];
            };
        };
        responses: {
            /** @description The existing grant of the same recipient, token and app, with the new key and `expiresAt`. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": "grt_01m7xsah51f6ctt8c84t8wbh7e",
                     *         "object": "key_grant",
                     *         "sessionId": "ses_01m7xsah51f6ctt8c84t8wbh7e",
                     *         "artifactId": null,
                     *         "recipient": "service",
                     *         "recipientKeyId": "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k",
                     *         "tokenId": "tok_01m7xsah51f6ctt8c84t8wbh7e",
                     *         "appId": null,
                     *         "createdAt": 1788255000000,
                     *         "expiresAt": null
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["KeyGrant"];
                    };
                };
            };
            /** @description The new grant. */
            201: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": "grt_01m7xsah51f6ctt8c84t8wbh7e",
                     *         "object": "key_grant",
                     *         "sessionId": "ses_01m7xsah51f6ctt8c84t8wbh7e",
                     *         "artifactId": null,
                     *         "recipient": "service",
                     *         "recipientKeyId": "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k",
                     *         "tokenId": "tok_01m7xsah51f6ctt8c84t8wbh7e",
                     *         "appId": null,
                     *         "createdAt": 1788255000000,
                     *         "expiresAt": null
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["KeyGrant"];
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["MissingTokenOrInvalidToken"];
            403: components["responses"]["ForbiddenOrPlanLimitExceeded"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["GrantKeyMismatch"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ReadOnlyOrServiceUnavailable"];
        };
    };
    listWebhooks: {
        parameters: {
            query?: {
                /** @description `nextCursor` of the previous page, unchanged. The cursor contains that page's filters: omit them or repeat the same values. Cursors don't expire. */
                cursor?: components["parameters"]["cursor"];
                /** @description Returns only webhooks subscribed to this event type, including those subscribed to `*`. */
                event?: "session.created" | "session.updated" | "session.ended" | "session.deleted" | "message.created" | "turn.started" | "turn.requires_action" | "turn.ended" | "permission.requested" | "permission.decided" | "queued_message.ended" | "machine.registered" | "machine.online" | "machine.offline" | "invocation.ended" | "artifact.created" | "artifact.updated" | "artifact.deleted" | "key_grant.created" | "key_grant.revoked" | "token.created" | "token.revoked" | "token.expiring" | "relay.completed" | "relay.failed" | "webhook.disabled" | "webhook.test" | "*";
                /**
                 * @description Maximum number of items per page: 1 or more. Values above 200 are clamped to 200.
                 * @example 20
                 */
                limit?: components["parameters"]["limit"];
                /** @description Sort order: `desc` (newest first) or `asc` (oldest first). */
                order?: components["parameters"]["order"];
                /** @description Returns only webhooks in this state. */
                state?: "active" | "paused" | "disabled";
            };
            header?: {
                /**
                 * @description An ETag of this resource. The response is 304 if it has not changed (RFC 9110 §13.1.2).
                 * @example W/"1f4-2jmj7l5rSw0yVb"
                 */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of webhooks. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "whk_01m7xsah51f6ctt8c84t8wbh7e",
                     *           "object": "webhook",
                     *           "url": "https://example.com/hooks",
                     *           "events": [
                     *             "session.created",
                     *             "session.ended"
                     *           ],
                     *           "description": "Posts to the release channel",
                     *           "format": "standard",
                     *           "headerNames": [
                     *             "authorization"
                     *           ],
                     *           "state": "active",
                     *           "disabledReason": null,
                     *           "failingSince": null,
                     *           "lastDeliveryAt": 1788255000000,
                     *           "lastDeliveryStatus": 200,
                     *           "createdBy": {
                     *             "tokenId": "tok_01m7xsah51f6ctt8c84t8wbh7e",
                     *             "appId": null
                     *           },
                     *           "createdAt": 1788255000000,
                     *           "updatedAt": 1788255000000
                     *         }
                     *       ],
                     *       "nextCursor": "eyJ2IjoxfQ.b3BhcXVl",
                     *       "availableEvents": [
                     *         "session.created",
                     *         "session.updated",
                     *         "session.ended",
                     *         "session.deleted",
                     *         "message.created",
                     *         "turn.started",
                     *         "turn.requires_action",
                     *         "turn.ended",
                     *         "permission.requested",
                     *         "permission.decided",
                     *         "queued_message.ended",
                     *         "machine.registered",
                     *         "machine.online",
                     *         "machine.offline",
                     *         "invocation.ended",
                     *         "artifact.created",
                     *         "artifact.updated",
                     *         "artifact.deleted",
                     *         "key_grant.created",
                     *         "key_grant.revoked",
                     *         "token.created",
                     *         "token.revoked",
                     *         "token.expiring",
                     *         "relay.completed",
                     *         "relay.failed",
                     *         "webhook.disabled",
                     *         "webhook.test"
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookPage"];
                };
            };
            /** @description The resource still has this ETag. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequestOrInvalidCursor"];
            401: components["responses"]["MissingTokenOrInvalidToken"];
            403: components["responses"]["InsufficientScopeOrForbidden"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    createWebhook: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Runs calls of this credential with the same key, method and path only once: for 24 hours, the first response of a call that took effect is replayed with `Idempotency-Replayed: true`.
                 * @example 5f1c7f0e-8a57-4c0e-9d3e-0d8f5f0a3b61
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "url": "https://example.com/hooks",
                 *       "events": [
                 *         "session.created",
                 *         "session.ended"
                 *       ],
                 *       "description": "Posts to the release channel"
                 *     }
                 */
                "application/json": components["schemas"]["CreateWebhook"];
            };
        };
        responses: {
            /** @description The webhook and its signing secret. */
            201: {
                headers: {
                    "Idempotency-Replayed": components["headers"]["Optional-Idempotency-Replayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": "whk_01m7xsah51f6ctt8c84t8wbh7e",
                     *         "object": "webhook",
                     *         "url": "https://example.com/hooks",
                     *         "events": [
                     *           "session.created",
                     *           "session.ended"
                     *         ],
                     *         "description": "Posts to the release channel",
                     *         "format": "standard",
                     *         "headerNames": [
                     *           "authorization"
                     *         ],
                     *         "state": "active",
                     *         "disabledReason": null,
                     *         "failingSince": null,
                     *         "lastDeliveryAt": 1788255000000,
                     *         "lastDeliveryStatus": 200,
                     *         "createdBy": {
                     *           "tokenId": "tok_01m7xsah51f6ctt8c84t8wbh7e",
                     *           "appId": null
                     *         },
                     *         "createdAt": 1788255000000,
                     *         "updatedAt": 1788255000000
                     *       },
                     *       "signingSecret": "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD5mXZLSpTyWQ="
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookWithSecret"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["MissingTokenOrInvalidToken"];
            403: components["responses"]["InsufficientScopeOrForbiddenOrPlanLimitExceeded"];
            406: components["responses"]["NotAcceptable"];
            409: components["responses"]["IdempotencyInProgressOrAnswerNotKeptOrConflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ReadOnlyOrServiceUnavailable"];
        };
    };
    getWebhook: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description An ETag of this resource. The response is 304 if it has not changed (RFC 9110 §13.1.2).
                 * @example W/"1f4-2jmj7l5rSw0yVb"
                 */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path: {
                /**
                 * @description Id of the webhook.
                 * @example whk_01m7xsah51f6ctt8c84t8wbh7e
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The webhook. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": "whk_01m7xsah51f6ctt8c84t8wbh7e",
                     *         "object": "webhook",
                     *         "url": "https://example.com/hooks",
                     *         "events": [
                     *           "session.created",
                     *           "session.ended"
                     *         ],
                     *         "description": "Posts to the release channel",
                     *         "format": "standard",
                     *         "headerNames": [
                     *           "authorization"
                     *         ],
                     *         "state": "active",
                     *         "disabledReason": null,
                     *         "failingSince": null,
                     *         "lastDeliveryAt": 1788255000000,
                     *         "lastDeliveryStatus": 200,
                     *         "createdBy": {
                     *           "tokenId": "tok_01m7xsah51f6ctt8c84t8wbh7e",
                     *           "appId": null
                     *         },
                     *         "createdAt": 1788255000000,
                     *         "updatedAt": 1788255000000
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["Webhook"];
                    };
                };
            };
            /** @description The resource still has this ETag. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["MissingTokenOrInvalidToken"];
            403: components["responses"]["InsufficientScopeOrForbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    deleteWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the webhook.
                 * @example whk_01m7xsah51f6ctt8c84t8wbh7e
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The webhook was deleted. */
            204: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["MissingTokenOrInvalidToken"];
            403: components["responses"]["InsufficientScopeOrForbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ReadOnlyOrServiceUnavailable"];
        };
    };
    onArtifactCreated: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description W3C Trace Context of the request that caused the event, where there is one. Attempts may have different parent ids.
                 * @example 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
                 */
                traceparent?: components["parameters"]["traceparent"];
                /**
                 * @description Id of the event, the same on every attempt and replay. Ignore an id that you have processed.
                 * @example evt_01m7xsah51f6ctt8c84t8wbh7e
                 */
                "webhook-id": components["parameters"]["webhook-id"];
                /**
                 * @description `v1,` and the base64 of HMAC-SHA256 over `<webhook-id>.<webhook-timestamp>.<body>`. The key is the 32 bytes that the signing secret encodes after `whsec_`. During a rotation of the secret there are two signatures, separated by a space. Compare in constant time.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": components["parameters"]["webhook-signature"];
                /**
                 * @description Start of this attempt, in Unix seconds.
                 * @example 1788255000
                 */
                "webhook-timestamp": components["parameters"]["webhook-timestamp"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "type": "artifact.created",
                 *       "timestamp": 1788255000000,
                 *       "data": {
                 *         "id": "art_01m7xsah51f6ctt8c84t8wbh7e",
                 *         "object": "artifact",
                 *         "sessionId": "ses_01m7xsah51f6ctt8c84t8wbh7e",
                 *         "tag": "coverage-report",
                 *         "mediaType": "text/html",
                 *         "version": 3,
                 *         "sizeBytes": 48213,
                 *         "keyId": "k1",
                 *         "contentGranted": false,
                 *         "createdAt": 1788255000000,
                 *         "updatedAt": 1788255000000
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["ArtifactCreatedEvent"];
            };
        };
        responses: {
            /** @description The event has been received. The service ignores the body. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The receiver no longer exists. The service disables the webhook at once. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Any other response, a redirect included, is a failure, and so is none within 20 seconds. The delivery is attempted up to ten times over more than three days; `Retry-After` lengthens the wait. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onArtifactDeleted: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description W3C Trace Context of the request that caused the event, where there is one. Attempts may have different parent ids.
                 * @example 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
                 */
                traceparent?: components["parameters"]["traceparent"];
                /**
                 * @description Id of the event, the same on every attempt and replay. Ignore an id that you have processed.
                 * @example evt_01m7xsah51f6ctt8c84t8wbh7e
                 */
                "webhook-id": components["parameters"]["webhook-id"];
                /**
                 * @description `v1,` and the base64 of HMAC-SHA256 over `<webhook-id>.<webhook-timestamp>.<body>`. The key is the 32 bytes that the signing secret encodes after `whsec_`. During a rotation of the secret there are two signatures, separated by a space. Compare in constant time.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": components["parameters"]["webhook-signature"];
                /**
                 * @description Start of this attempt, in Unix seconds.
                 * @example 1788255000
                 */
                "webhook-timestamp": components["parameters"]["webhook-timestamp"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "type": "artifact.deleted",
                 *       "timestamp": 1788255000000,
                 *       "data": {
                 *         "id": "art_01m7xsah51f6ctt8c84t8wbh7e",
                 *         "object": "artifact",
                 *         "sessionId": "ses_01m7xsah51f6ctt8c84t8wbh7e",
                 *         "tag": "coverage-report",
                 *         "mediaType": "text/html",
                 *         "version": 3,
                 *         "sizeBytes": 48213,
                 *         "keyId": "k1",
                 *         "contentGranted": false,
                 *         "createdAt": 1788255000000,
                 *         "updatedAt": 1788255000000
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["ArtifactDeletedEvent"];
            };
        };
        responses: {
            /** @description The event has been received. The service ignores the body. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The receiver no longer exists. The service disables the webhook at once. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Any other response, a redirect included, is a failure, and so is none within 20 seconds. The delivery is attempted up to ten times over more than three days; `Retry-After` lengthens the wait. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onArtifactUpdated: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description W3C Trace Context of the request that caused the event, where there is one. Attempts may have different parent ids.
                 * @example 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
                 */
                traceparent?: components["parameters"]["traceparent"];
                /**
                 * @description Id of the event, the same on every attempt and replay. Ignore an id that you have processed.
                 * @example evt_01m7xsah51f6ctt8c84t8wbh7e
                 */
                "webhook-id": components["parameters"]["webhook-id"];
                /**
                 * @description `v1,` and the base64 of HMAC-SHA256 over `<webhook-id>.<webhook-timestamp>.<body>`. The key is the 32 bytes that the signing secret encodes after `whsec_`. During a rotation of the secret there are two signatures, separated by a space. Compare in constant time.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": components["parameters"]["webhook-signature"];
                /**
                 * @description Start of this attempt, in Unix seconds.
                 * @example 1788255000
                 */
                "webhook-timestamp": components["parameters"]["webhook-timestamp"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "type": "artifact.updated",
                 *       "timestamp": 1788255000000,
                 *       "data": {
                 *         "id": "art_01m7xsah51f6ctt8c84t8wbh7e",
                 *         "object": "artifact",
                 *         "sessionId": "ses_01m7xsah51f6ctt8c84t8wbh7e",
                 *         "tag": "coverage-report",
                 *         "mediaType": "text/html",
                 *         "version": 3,
                 *         "sizeBytes": 48213,
                 *         "keyId": "k1",
                 *         "contentGranted": false,
                 *         "createdAt": 1788255000000,
                 *         "updatedAt": 1788255000000
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["ArtifactUpdatedEvent"];
            };
        };
        responses: {
            /** @description The event has been received. The service ignores the body. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The receiver no longer exists. The service disables the webhook at once. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Any other response, a redirect included, is a failure, and so is none within 20 seconds. The delivery is attempted up to ten times over more than three days; `Retry-After` lengthens the wait. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onInvocationEnded: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description W3C Trace Context of the request that caused the event, where there is one. Attempts may have different parent ids.
                 * @example 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
                 */
                traceparent?: components["parameters"]["traceparent"];
                /**
                 * @description Id of the event, the same on every attempt and replay. Ignore an id that you have processed.
                 * @example evt_01m7xsah51f6ctt8c84t8wbh7e
                 */
                "webhook-id": components["parameters"]["webhook-id"];
                /**
                 * @description `v1,` and the base64 of HMAC-SHA256 over `<webhook-id>.<webhook-timestamp>.<body>`. The key is the 32 bytes that the signing secret encodes after `whsec_`. During a rotation of the secret there are two signatures, separated by a space. Compare in constant time.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": components["parameters"]["webhook-signature"];
                /**
                 * @description Start of this attempt, in Unix seconds.
                 * @example 1788255000
                 */
                "webhook-timestamp": components["parameters"]["webhook-timestamp"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "type": "invocation.ended",
                 *       "timestamp": 1788255000000,
                 *       "data": {
                 *         "id": "inv_01m7xsah51f6ctt8c84t8wbh7e",
                 *         "object": "invocation",
                 *         "machineId": "mch_01m7xsah51f6ctt8c84t8wbh7e",
                 *         "requestId": "req_01m7xsah51f6ctt8c84t8wbh7e",
                 *         "version": 3,
                 *         "state": "completed",
                 *         "errorCode": null,
                 *         "exitCode": 0,
                 *         "signal": null,
                 *         "timedOut": false,
                 *         "stdoutBytes": 18230,
                 *         "stderrBytes": 0,
                 *         "createdAt": 1788255000000,
                 *         "startedAt": 1788255000000,
                 *         "endedAt": 1788255000000
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["InvocationEndedEvent"];
            };
        };
        responses: {
            /** @description The event has been received. The service ignores the body. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The receiver no longer exists. The service disables the webhook at once. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Any other response, a redirect included, is a failure, and so is none within 20 seconds. The delivery is attempted up to ten times over more than three days; `Retry-After` lengthens the wait. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onKeyGrantCreated: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description W3C Trace Context of the request that caused the event, where there is one. Attempts may have different parent ids.
                 * @example 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
                 */
                traceparent?: components["parameters"]["traceparent"];
                /**
                 * @description Id of the event, the same on every attempt and replay. Ignore an id that you have processed.
                 * @example evt_01m7xsah51f6ctt8c84t8wbh7e
                 */
                "webhook-id": components["parameters"]["webhook-id"];
                /**
                 * @description `v1,` and the base64 of HMAC-SHA256 over `<webhook-id>.<webhook-timestamp>.<body>`. The key is the 32 bytes that the signing secret encodes after `whsec_`. During a rotation of the secret there are two signatures, separated by a space. Compare in constant time.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": components["parameters"]["webhook-signature"];
                /**
                 * @description Start of this attempt, in Unix seconds.
                 * @example 1788255000
                 */
                "webhook-timestamp": components["parameters"]["webhook-timestamp"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "type": "key_grant.created",
                 *       "timestamp": 1788255000000,
                 *       "data": {
                 *         "id": "grt_01m7xsah51f6ctt8c84t8wbh7e",
                 *         "object": "key_grant",
                 *         "sessionId": "ses_01m7xsah51f6ctt8c84t8wbh7e",
                 *         "artifactId": null,
                 *         "recipient": "service",
                 *         "recipientKeyId": "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k",
                 *         "tokenId": "tok_01m7xsah51f6ctt8c84t8wbh7e",
                 *         "appId": null,
                 *         "createdAt": 1788255000000,
                 *         "expiresAt": null
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["KeyGrantCreatedEvent"];
            };
        };
        responses: {
            /** @description The event has been received. The service ignores the body. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The receiver no longer exists. The service disables the webhook at once. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Any other response, a redirect included, is a failure, and so is none within 20 seconds. The delivery is attempted up to ten times over more than three days; `Retry-After` lengthens the wait. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onKeyGrantRevoked: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description W3C Trace Context of the request that caused the event, where there is one. Attempts may have different parent ids.
                 * @example 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
                 */
                traceparent?: components["parameters"]["traceparent"];
                /**
                 * @description Id of the event, the same on every attempt and replay. Ignore an id that you have processed.
                 * @example evt_01m7xsah51f6ctt8c84t8wbh7e
                 */
                "webhook-id": components["parameters"]["webhook-id"];
                /**
                 * @description `v1,` and the base64 of HMAC-SHA256 over `<webhook-id>.<webhook-timestamp>.<body>`. The key is the 32 bytes that the signing secret encodes after `whsec_`. During a rotation of the secret there are two signatures, separated by a space. Compare in constant time.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": components["parameters"]["webhook-signature"];
                /**
                 * @description Start of this attempt, in Unix seconds.
                 * @example 1788255000
                 */
                "webhook-timestamp": components["parameters"]["webhook-timestamp"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "type": "key_grant.revoked",
                 *       "timestamp": 1788255000000,
                 *       "data": {
                 *         "id": "grt_01m7xsah51f6ctt8c84t8wbh7e",
                 *         "object": "key_grant",
                 *         "sessionId": "ses_01m7xsah51f6ctt8c84t8wbh7e",
                 *         "artifactId": null,
                 *         "recipient": "service",
                 *         "recipientKeyId": "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k",
                 *         "tokenId": "tok_01m7xsah51f6ctt8c84t8wbh7e",
                 *         "appId": null,
                 *         "createdAt": 1788255000000,
                 *         "expiresAt": null
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["KeyGrantRevokedEvent"];
            };
        };
        responses: {
            /** @description The event has been received. The service ignores the body. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The receiver no longer exists. The service disables the webhook at once. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Any other response, a redirect included, is a failure, and so is none within 20 seconds. The delivery is attempted up to ten times over more than three days; `Retry-After` lengthens the wait. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onMachineOffline: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description W3C Trace Context of the request that caused the event, where there is one. Attempts may have different parent ids.
                 * @example 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
                 */
                traceparent?: components["parameters"]["traceparent"];
                /**
                 * @description Id of the event, the same on every attempt and replay. Ignore an id that you have processed.
                 * @example evt_01m7xsah51f6ctt8c84t8wbh7e
                 */
                "webhook-id": components["parameters"]["webhook-id"];
                /**
                 * @description `v1,` and the base64 of HMAC-SHA256 over `<webhook-id>.<webhook-timestamp>.<body>`. The key is the 32 bytes that the signing secret encodes after `whsec_`. During a rotation of the secret there are two signatures, separated by a space. Compare in constant time.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": components["parameters"]["webhook-signature"];
                /**
                 * @description Start of this attempt, in Unix seconds.
                 * @example 1788255000
                 */
                "webhook-timestamp": components["parameters"]["webhook-timestamp"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "type": "machine.offline",
                 *       "timestamp": 1788255000000,
                 *       "data": {
                 *         "id": "mch_01m7xsah51f6ctt8c84t8wbh7e",
                 *         "object": "machine",
                 *         "name": "build-box",
                 *         "platform": "linux",
                 *         "arch": "x64",
                 *         "appVersion": "1.4.2",
                 *         "state": "online",
                 *         "capabilities": [
                 *           "session.message",
                 *           "machine.invoke"
                 *         ],
                 *         "agents": [
                 *           {
                 *             "name": "opencode",
                 *             "title": "OpenCode",
                 *             "version": "1.2.3",
                 *             "modes": [
                 *               "build",
                 *               "plan"
                 *             ],
                 *             "options": [
                 *               {
                 *                 "id": "model",
                 *                 "category": "model"
                 *               }
                 *             ]
                 *           }
                 *         ],
                 *         "createdAt": 1788255000000,
                 *         "updatedAt": 1788255000000,
                 *         "lastSeenAt": 1788255000000
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["MachineOfflineEvent"];
            };
        };
        responses: {
            /** @description The event has been received. The service ignores the body. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The receiver no longer exists. The service disables the webhook at once. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Any other response, a redirect included, is a failure, and so is none within 20 seconds. The delivery is attempted up to ten times over more than three days; `Retry-After` lengthens the wait. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onMachineOnline: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description W3C Trace Context of the request that caused the event, where there is one. Attempts may have different parent ids.
                 * @example 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
                 */
                traceparent?: components["parameters"]["traceparent"];
                /**
                 * @description Id of the event, the same on every attempt and replay. Ignore an id that you have processed.
                 * @example evt_01m7xsah51f6ctt8c84t8wbh7e
                 */
                "webhook-id": components["parameters"]["webhook-id"];
                /**
                 * @description `v1,` and the base64 of HMAC-SHA256 over `<webhook-id>.<webhook-timestamp>.<body>`. The key is the 32 bytes that the signing secret encodes after `whsec_`. During a rotation of the secret there are two signatures, separated by a space. Compare in constant time.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": components["parameters"]["webhook-signature"];
                /**
                 * @description Start of this attempt, in Unix seconds.
                 * @example 1788255000
                 */
                "webhook-timestamp": components["parameters"]["webhook-timestamp"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "type": "machine.online",
                 *       "timestamp": 1788255000000,
                 *       "data": {
                 *         "id": "mch_01m7xsah51f6ctt8c84t8wbh7e",
                 *         "object": "machine",
                 *         "name": "build-box",
                 *         "platform": "linux",
                 *         "arch": "x64",
                 *         "appVersion": "1.4.2",
                 *         "state": "online",
                 *         "capabilities": [
                 *           "session.message",
                 *           "machine.invoke"
                 *         ],
                 *         "agents": [
                 *           {
                 *             "name": "opencode",
                 *             "title": "OpenCode",
                 *             "version": "1.2.3",
                 *             "modes": [
                 *               "build",
                 *               "plan"
                 *             ],
                 *             "options": [
                 *               {
                 *                 "id": "model",
                 *                 "category": "model"
                 *               }
                 *             ]
                 *           }
                 *         ],
                 *         "createdAt": 1788255000000,
                 *         "updatedAt": 1788255000000,
                 *         "lastSeenAt": 1788255000000
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["MachineOnlineEvent"];
            };
        };
        responses: {
            /** @description The event has been received. The service ignores the body. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The receiver no longer exists. The service disables the webhook at once. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Any other response, a redirect included, is a failure, and so is none within 20 seconds. The delivery is attempted up to ten times over more than three days; `Retry-After` lengthens the wait. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onMachineRegistered: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description W3C Trace Context of the request that caused the event, where there is one. Attempts may have different parent ids.
                 * @example 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
                 */
                traceparent?: components["parameters"]["traceparent"];
                /**
                 * @description Id of the event, the same on every attempt and replay. Ignore an id that you have processed.
                 * @example evt_01m7xsah51f6ctt8c84t8wbh7e
                 */
                "webhook-id": components["parameters"]["webhook-id"];
                /**
                 * @description `v1,` and the base64 of HMAC-SHA256 over `<webhook-id>.<webhook-timestamp>.<body>`. The key is the 32 bytes that the signing secret encodes after `whsec_`. During a rotation of the secret there are two signatures, separated by a space. Compare in constant time.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": components["parameters"]["webhook-signature"];
                /**
                 * @description Start of this attempt, in Unix seconds.
                 * @example 1788255000
                 */
                "webhook-timestamp": components["parameters"]["webhook-timestamp"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "type": "machine.registered",
                 *       "timestamp": 1788255000000,
                 *       "data": {
                 *         "id": "mch_01m7xsah51f6ctt8c84t8wbh7e",
                 *         "object": "machine",
                 *         "name": "build-box",
                 *         "platform": "linux",
                 *         "arch": "x64",
                 *         "appVersion": "1.4.2",
                 *         "state": "online",
                 *         "capabilities": [
                 *           "session.message",
                 *           "machine.invoke"
                 *         ],
                 *         "agents": [
                 *           {
                 *             "name": "opencode",
                 *             "title": "OpenCode",
                 *             "version": "1.2.3",
                 *             "modes": [
                 *               "build",
                 *               "plan"
                 *             ],
                 *             "options": [
                 *               {
                 *                 "id": "model",
                 *                 "category": "model"
                 *               }
                 *             ]
                 *           }
                 *         ],
                 *         "createdAt": 1788255000000,
                 *         "updatedAt": 1788255000000,
                 *         "lastSeenAt": 1788255000000
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["MachineRegisteredEvent"];
            };
        };
        responses: {
            /** @description The event has been received. The service ignores the body. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The receiver no longer exists. The service disables the webhook at once. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Any other response, a redirect included, is a failure, and so is none within 20 seconds. The delivery is attempted up to ten times over more than three days; `Retry-After` lengthens the wait. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onMessageCreated: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description W3C Trace Context of the request that caused the event, where there is one. Attempts may have different parent ids.
                 * @example 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
                 */
                traceparent?: components["parameters"]["traceparent"];
                /**
                 * @description Id of the event, the same on every attempt and replay. Ignore an id that you have processed.
                 * @example evt_01m7xsah51f6ctt8c84t8wbh7e
                 */
                "webhook-id": components["parameters"]["webhook-id"];
                /**
                 * @description `v1,` and the base64 of HMAC-SHA256 over `<webhook-id>.<webhook-timestamp>.<body>`. The key is the 32 bytes that the signing secret encodes after `whsec_`. During a rotation of the secret there are two signatures, separated by a space. Compare in constant time.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": components["parameters"]["webhook-signature"];
                /**
                 * @description Start of this attempt, in Unix seconds.
                 * @example 1788255000
                 */
                "webhook-timestamp": components["parameters"]["webhook-timestamp"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "type": "message.created",
                 *       "timestamp": 1788255000000,
                 *       "data": {
                 *         "id": "msg_01m7xsah51f6ctt8c84t8wbh7e",
                 *         "object": "message",
                 *         "sessionId": "ses_01m7xsah51f6ctt8c84t8wbh7e",
                 *         "seq": 12,
                 *         "localId": "m-0012",
                 *         "role": "assistant",
                 *         "sizeBytes": 2048,
                 *         "keyId": "k1",
                 *         "turnId": "turn_01m7xsah51f6ctt8c84t8wbh7e",
                 *         "createdAt": 1788255000000
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["MessageCreatedEvent"];
            };
        };
        responses: {
            /** @description The event has been received. The service ignores the body. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The receiver no longer exists. The service disables the webhook at once. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Any other response, a redirect included, is a failure, and so is none within 20 seconds. The delivery is attempted up to ten times over more than three days; `Retry-After` lengthens the wait. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onPermissionDecided: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description W3C Trace Context of the request that caused the event, where there is one. Attempts may have different parent ids.
                 * @example 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
                 */
                traceparent?: components["parameters"]["traceparent"];
                /**
                 * @description Id of the event, the same on every attempt and replay. Ignore an id that you have processed.
                 * @example evt_01m7xsah51f6ctt8c84t8wbh7e
                 */
                "webhook-id": components["parameters"]["webhook-id"];
                /**
                 * @description `v1,` and the base64 of HMAC-SHA256 over `<webhook-id>.<webhook-timestamp>.<body>`. The key is the 32 bytes that the signing secret encodes after `whsec_`. During a rotation of the secret there are two signatures, separated by a space. Compare in constant time.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": components["parameters"]["webhook-signature"];
                /**
                 * @description Start of this attempt, in Unix seconds.
                 * @example 1788255000
                 */
                "webhook-timestamp": components["parameters"]["webhook-timestamp"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "type": "permission.decided",
                 *       "timestamp": 1788255000000,
                 *       "data": {
                 *         "id": "perm_01m7xsah51f6ctt8c84t8wbh7e",
                 *         "object": "permission_request",
                 *         "sessionId": "ses_01m7xsah51f6ctt8c84t8wbh7e",
                 *         "turnId": "turn_01m7xsah51f6ctt8c84t8wbh7e",
                 *         "kind": "execute",
                 *         "state": "pending",
                 *         "options": [
                 *           {
                 *             "optionId": "o1",
                 *             "kind": "allow_once"
                 *           }
                 *         ],
                 *         "decidedBy": {
                 *           "tokenId": "tok_01m7xsah51f6ctt8c84t8wbh7e",
                 *           "deviceId": null
                 *         },
                 *         "createdAt": 1788255000000,
                 *         "expiresAt": 1788255600000,
                 *         "decidedAt": null
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["PermissionDecidedEvent"];
            };
        };
        responses: {
            /** @description The event has been received. The service ignores the body. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The receiver no longer exists. The service disables the webhook at once. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Any other response, a redirect included, is a failure, and so is none within 20 seconds. The delivery is attempted up to ten times over more than three days; `Retry-After` lengthens the wait. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onPermissionRequested: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description W3C Trace Context of the request that caused the event, where there is one. Attempts may have different parent ids.
                 * @example 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
                 */
                traceparent?: components["parameters"]["traceparent"];
                /**
                 * @description Id of the event, the same on every attempt and replay. Ignore an id that you have processed.
                 * @example evt_01m7xsah51f6ctt8c84t8wbh7e
                 */
                "webhook-id": components["parameters"]["webhook-id"];
                /**
                 * @description `v1,` and the base64 of HMAC-SHA256 over `<webhook-id>.<webhook-timestamp>.<body>`. The key is the 32 bytes that the signing secret encodes after `whsec_`. During a rotation of the secret there are two signatures, separated by a space. Compare in constant time.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": components["parameters"]["webhook-signature"];
                /**
                 * @description Start of this attempt, in Unix seconds.
                 * @example 1788255000
                 */
                "webhook-timestamp": components["parameters"]["webhook-timestamp"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "type": "permission.requested",
                 *       "timestamp": 1788255000000,
                 *       "data": {
                 *         "id": "perm_01m7xsah51f6ctt8c84t8wbh7e",
                 *         "object": "permission_request",
                 *         "sessionId": "ses_01m7xsah51f6ctt8c84t8wbh7e",
                 *         "turnId": "turn_01m7xsah51f6ctt8c84t8wbh7e",
                 *         "kind": "execute",
                 *         "state": "pending",
                 *         "options": [
                 *           {
                 *             "optionId": "o1",
                 *             "kind": "allow_once"
                 *           }
                 *         ],
                 *         "decidedBy": {
                 *           "tokenId": "tok_01m7xsah51f6ctt8c84t8wbh7e",
                 *           "deviceId": null
                 *         },
                 *         "createdAt": 1788255000000,
                 *         "expiresAt": 1788255600000,
                 *         "decidedAt": null
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["PermissionRequestedEvent"];
            };
        };
        responses: {
            /** @description The event has been received. The service ignores the body. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The receiver no longer exists. The service disables the webhook at once. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Any other response, a redirect included, is a failure, and so is none within 20 seconds. The delivery is attempted up to ten times over more than three days; `Retry-After` lengthens the wait. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onQueuedMessageEnded: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description W3C Trace Context of the request that caused the event, where there is one. Attempts may have different parent ids.
                 * @example 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
                 */
                traceparent?: components["parameters"]["traceparent"];
                /**
                 * @description Id of the event, the same on every attempt and replay. Ignore an id that you have processed.
                 * @example evt_01m7xsah51f6ctt8c84t8wbh7e
                 */
                "webhook-id": components["parameters"]["webhook-id"];
                /**
                 * @description `v1,` and the base64 of HMAC-SHA256 over `<webhook-id>.<webhook-timestamp>.<body>`. The key is the 32 bytes that the signing secret encodes after `whsec_`. During a rotation of the secret there are two signatures, separated by a space. Compare in constant time.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": components["parameters"]["webhook-signature"];
                /**
                 * @description Start of this attempt, in Unix seconds.
                 * @example 1788255000
                 */
                "webhook-timestamp": components["parameters"]["webhook-timestamp"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "type": "queued_message.ended",
                 *       "timestamp": 1788255000000,
                 *       "data": {
                 *         "id": "qmsg_01m7xsah51f6ctt8c84t8wbh7e",
                 *         "object": "queued_message",
                 *         "sessionId": "ses_01m7xsah51f6ctt8c84t8wbh7e",
                 *         "requestId": "req_01m7xsah51f6ctt8c84t8wbh7e",
                 *         "turnId": "turn_01m7xsah51f6ctt8c84t8wbh7e",
                 *         "version": 3,
                 *         "state": "delivered",
                 *         "errorCode": null,
                 *         "attempts": 1,
                 *         "notBefore": null,
                 *         "expiresAt": 1788859800000,
                 *         "createdAt": 1788255000000,
                 *         "endedAt": 1788255000000
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["QueuedMessageEndedEvent"];
            };
        };
        responses: {
            /** @description The event has been received. The service ignores the body. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The receiver no longer exists. The service disables the webhook at once. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Any other response, a redirect included, is a failure, and so is none within 20 seconds. The delivery is attempted up to ten times over more than three days; `Retry-After` lengthens the wait. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onRelayCompleted: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description W3C Trace Context of the request that caused the event, where there is one. Attempts may have different parent ids.
                 * @example 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
                 */
                traceparent?: components["parameters"]["traceparent"];
                /**
                 * @description Id of the event, the same on every attempt and replay. Ignore an id that you have processed.
                 * @example evt_01m7xsah51f6ctt8c84t8wbh7e
                 */
                "webhook-id": components["parameters"]["webhook-id"];
                /**
                 * @description `v1,` and the base64 of HMAC-SHA256 over `<webhook-id>.<webhook-timestamp>.<body>`. The key is the 32 bytes that the signing secret encodes after `whsec_`. During a rotation of the secret there are two signatures, separated by a space. Compare in constant time.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": components["parameters"]["webhook-signature"];
                /**
                 * @description Start of this attempt, in Unix seconds.
                 * @example 1788255000
                 */
                "webhook-timestamp": components["parameters"]["webhook-timestamp"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "type": "relay.completed",
                 *       "timestamp": 1788255000000,
                 *       "data": {
                 *         "requestId": "req_01m7xsah51f6ctt8c84t8wbh7e",
                 *         "method": "machine.invoke",
                 *         "sessionId": null,
                 *         "machineId": "mch_01m7xsah51f6ctt8c84t8wbh7e",
                 *         "tokenId": "tok_01m7xsah51f6ctt8c84t8wbh7e",
                 *         "outcome": "answered",
                 *         "durationMs": 412,
                 *         "createdAt": 1788255000000
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["RelayCompletedEvent"];
            };
        };
        responses: {
            /** @description The event has been received. The service ignores the body. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The receiver no longer exists. The service disables the webhook at once. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Any other response, a redirect included, is a failure, and so is none within 20 seconds. The delivery is attempted up to ten times over more than three days; `Retry-After` lengthens the wait. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onRelayFailed: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description W3C Trace Context of the request that caused the event, where there is one. Attempts may have different parent ids.
                 * @example 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
                 */
                traceparent?: components["parameters"]["traceparent"];
                /**
                 * @description Id of the event, the same on every attempt and replay. Ignore an id that you have processed.
                 * @example evt_01m7xsah51f6ctt8c84t8wbh7e
                 */
                "webhook-id": components["parameters"]["webhook-id"];
                /**
                 * @description `v1,` and the base64 of HMAC-SHA256 over `<webhook-id>.<webhook-timestamp>.<body>`. The key is the 32 bytes that the signing secret encodes after `whsec_`. During a rotation of the secret there are two signatures, separated by a space. Compare in constant time.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": components["parameters"]["webhook-signature"];
                /**
                 * @description Start of this attempt, in Unix seconds.
                 * @example 1788255000
                 */
                "webhook-timestamp": components["parameters"]["webhook-timestamp"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "type": "relay.failed",
                 *       "timestamp": 1788255000000,
                 *       "data": {
                 *         "requestId": "req_01m7xsah51f6ctt8c84t8wbh7e",
                 *         "method": "machine.invoke",
                 *         "sessionId": null,
                 *         "machineId": "mch_01m7xsah51f6ctt8c84t8wbh7e",
                 *         "tokenId": "tok_01m7xsah51f6ctt8c84t8wbh7e",
                 *         "outcome": "answered",
                 *         "durationMs": 412,
                 *         "createdAt": 1788255000000
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["RelayFailedEvent"];
            };
        };
        responses: {
            /** @description The event has been received. The service ignores the body. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The receiver no longer exists. The service disables the webhook at once. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Any other response, a redirect included, is a failure, and so is none within 20 seconds. The delivery is attempted up to ten times over more than three days; `Retry-After` lengthens the wait. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onSessionCreated: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description W3C Trace Context of the request that caused the event, where there is one. Attempts may have different parent ids.
                 * @example 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
                 */
                traceparent?: components["parameters"]["traceparent"];
                /**
                 * @description Id of the event, the same on every attempt and replay. Ignore an id that you have processed.
                 * @example evt_01m7xsah51f6ctt8c84t8wbh7e
                 */
                "webhook-id": components["parameters"]["webhook-id"];
                /**
                 * @description `v1,` and the base64 of HMAC-SHA256 over `<webhook-id>.<webhook-timestamp>.<body>`. The key is the 32 bytes that the signing secret encodes after `whsec_`. During a rotation of the secret there are two signatures, separated by a space. Compare in constant time.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": components["parameters"]["webhook-signature"];
                /**
                 * @description Start of this attempt, in Unix seconds.
                 * @example 1788255000
                 */
                "webhook-timestamp": components["parameters"]["webhook-timestamp"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "type": "session.created",
                 *       "timestamp": 1788255000000,
                 *       "data": {
                 *         "id": "ses_01m7xsah51f6ctt8c84t8wbh7e",
                 *         "object": "session",
                 *         "state": "active",
                 *         "activity": "idle",
                 *         "agent": {
                 *           "name": "opencode",
                 *           "title": "OpenCode",
                 *           "mode": "build"
                 *         },
                 *         "context": {
                 *           "used": 48200,
                 *           "size": 200000
                 *         },
                 *         "tag": "refactor-billing",
                 *         "machineId": "mch_01m7xsah51f6ctt8c84t8wbh7e",
                 *         "messageCount": 12,
                 *         "lastSeq": 12,
                 *         "contentGranted": false,
                 *         "createdAt": 1788255000000,
                 *         "updatedAt": 1788255000000,
                 *         "lastActiveAt": 1788255000000,
                 *         "endedAt": null
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["SessionCreatedEvent"];
            };
        };
        responses: {
            /** @description The event has been received. The service ignores the body. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The receiver no longer exists. The service disables the webhook at once. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Any other response, a redirect included, is a failure, and so is none within 20 seconds. The delivery is attempted up to ten times over more than three days; `Retry-After` lengthens the wait. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onSessionDeleted: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description W3C Trace Context of the request that caused the event, where there is one. Attempts may have different parent ids.
                 * @example 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
                 */
                traceparent?: components["parameters"]["traceparent"];
                /**
                 * @description Id of the event, the same on every attempt and replay. Ignore an id that you have processed.
                 * @example evt_01m7xsah51f6ctt8c84t8wbh7e
                 */
                "webhook-id": components["parameters"]["webhook-id"];
                /**
                 * @description `v1,` and the base64 of HMAC-SHA256 over `<webhook-id>.<webhook-timestamp>.<body>`. The key is the 32 bytes that the signing secret encodes after `whsec_`. During a rotation of the secret there are two signatures, separated by a space. Compare in constant time.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": components["parameters"]["webhook-signature"];
                /**
                 * @description Start of this attempt, in Unix seconds.
                 * @example 1788255000
                 */
                "webhook-timestamp": components["parameters"]["webhook-timestamp"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "type": "session.deleted",
                 *       "timestamp": 1788255000000,
                 *       "data": {
                 *         "id": "ses_01m7xsah51f6ctt8c84t8wbh7e",
                 *         "object": "session",
                 *         "state": "active",
                 *         "activity": "idle",
                 *         "agent": {
                 *           "name": "opencode",
                 *           "title": "OpenCode",
                 *           "mode": "build"
                 *         },
                 *         "context": {
                 *           "used": 48200,
                 *           "size": 200000
                 *         },
                 *         "tag": "refactor-billing",
                 *         "machineId": "mch_01m7xsah51f6ctt8c84t8wbh7e",
                 *         "messageCount": 12,
                 *         "lastSeq": 12,
                 *         "contentGranted": false,
                 *         "createdAt": 1788255000000,
                 *         "updatedAt": 1788255000000,
                 *         "lastActiveAt": 1788255000000,
                 *         "endedAt": null
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["SessionDeletedEvent"];
            };
        };
        responses: {
            /** @description The event has been received. The service ignores the body. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The receiver no longer exists. The service disables the webhook at once. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Any other response, a redirect included, is a failure, and so is none within 20 seconds. The delivery is attempted up to ten times over more than three days; `Retry-After` lengthens the wait. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onSessionEnded: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description W3C Trace Context of the request that caused the event, where there is one. Attempts may have different parent ids.
                 * @example 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
                 */
                traceparent?: components["parameters"]["traceparent"];
                /**
                 * @description Id of the event, the same on every attempt and replay. Ignore an id that you have processed.
                 * @example evt_01m7xsah51f6ctt8c84t8wbh7e
                 */
                "webhook-id": components["parameters"]["webhook-id"];
                /**
                 * @description `v1,` and the base64 of HMAC-SHA256 over `<webhook-id>.<webhook-timestamp>.<body>`. The key is the 32 bytes that the signing secret encodes after `whsec_`. During a rotation of the secret there are two signatures, separated by a space. Compare in constant time.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": components["parameters"]["webhook-signature"];
                /**
                 * @description Start of this attempt, in Unix seconds.
                 * @example 1788255000
                 */
                "webhook-timestamp": components["parameters"]["webhook-timestamp"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "type": "session.ended",
                 *       "timestamp": 1788255000000,
                 *       "data": {
                 *         "id": "ses_01m7xsah51f6ctt8c84t8wbh7e",
                 *         "object": "session",
                 *         "state": "active",
                 *         "activity": "idle",
                 *         "agent": {
                 *           "name": "opencode",
                 *           "title": "OpenCode",
                 *           "mode": "build"
                 *         },
                 *         "context": {
                 *           "used": 48200,
                 *           "size": 200000
                 *         },
                 *         "tag": "refactor-billing",
                 *         "machineId": "mch_01m7xsah51f6ctt8c84t8wbh7e",
                 *         "messageCount": 12,
                 *         "lastSeq": 12,
                 *         "contentGranted": false,
                 *         "createdAt": 1788255000000,
                 *         "updatedAt": 1788255000000,
                 *         "lastActiveAt": 1788255000000,
                 *         "endedAt": null
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["SessionEndedEvent"];
            };
        };
        responses: {
            /** @description The event has been received. The service ignores the body. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The receiver no longer exists. The service disables the webhook at once. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Any other response, a redirect included, is a failure, and so is none within 20 seconds. The delivery is attempted up to ten times over more than three days; `Retry-After` lengthens the wait. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onSessionUpdated: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description W3C Trace Context of the request that caused the event, where there is one. Attempts may have different parent ids.
                 * @example 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
                 */
                traceparent?: components["parameters"]["traceparent"];
                /**
                 * @description Id of the event, the same on every attempt and replay. Ignore an id that you have processed.
                 * @example evt_01m7xsah51f6ctt8c84t8wbh7e
                 */
                "webhook-id": components["parameters"]["webhook-id"];
                /**
                 * @description `v1,` and the base64 of HMAC-SHA256 over `<webhook-id>.<webhook-timestamp>.<body>`. The key is the 32 bytes that the signing secret encodes after `whsec_`. During a rotation of the secret there are two signatures, separated by a space. Compare in constant time.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": components["parameters"]["webhook-signature"];
                /**
                 * @description Start of this attempt, in Unix seconds.
                 * @example 1788255000
                 */
                "webhook-timestamp": components["parameters"]["webhook-timestamp"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "type": "session.updated",
                 *       "timestamp": 1788255000000,
                 *       "data": {
                 *         "id": "ses_01m7xsah51f6ctt8c84t8wbh7e",
                 *         "object": "session",
                 *         "state": "active",
                 *         "activity": "idle",
                 *         "agent": {
                 *           "name": "opencode",
                 *           "title": "OpenCode",
                 *           "mode": "build"
                 *         },
                 *         "context": {
                 *           "used": 48200,
                 *           "size": 200000
                 *         },
                 *         "tag": "refactor-billing",
                 *         "machineId": "mch_01m7xsah51f6ctt8c84t8wbh7e",
                 *         "messageCount": 12,
                 *         "lastSeq": 12,
                 *         "contentGranted": false,
                 *         "createdAt": 1788255000000,
                 *         "updatedAt": 1788255000000,
                 *         "lastActiveAt": 1788255000000,
                 *         "endedAt": null
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["SessionUpdatedEvent"];
            };
        };
        responses: {
            /** @description The event has been received. The service ignores the body. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The receiver no longer exists. The service disables the webhook at once. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Any other response, a redirect included, is a failure, and so is none within 20 seconds. The delivery is attempted up to ten times over more than three days; `Retry-After` lengthens the wait. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onTokenCreated: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description W3C Trace Context of the request that caused the event, where there is one. Attempts may have different parent ids.
                 * @example 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
                 */
                traceparent?: components["parameters"]["traceparent"];
                /**
                 * @description Id of the event, the same on every attempt and replay. Ignore an id that you have processed.
                 * @example evt_01m7xsah51f6ctt8c84t8wbh7e
                 */
                "webhook-id": components["parameters"]["webhook-id"];
                /**
                 * @description `v1,` and the base64 of HMAC-SHA256 over `<webhook-id>.<webhook-timestamp>.<body>`. The key is the 32 bytes that the signing secret encodes after `whsec_`. During a rotation of the secret there are two signatures, separated by a space. Compare in constant time.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": components["parameters"]["webhook-signature"];
                /**
                 * @description Start of this attempt, in Unix seconds.
                 * @example 1788255000
                 */
                "webhook-timestamp": components["parameters"]["webhook-timestamp"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "type": "token.created",
                 *       "timestamp": 1788255000000,
                 *       "data": {
                 *         "id": "tok_01m7xsah51f6ctt8c84t8wbh7e",
                 *         "object": "token",
                 *         "name": "ci",
                 *         "scopes": [
                 *           "sessions:read",
                 *           "usage:read"
                 *         ],
                 *         "machineIds": [
                 *           "mch_01m7xsah51f6ctt8c84t8wbh7e"
                 *         ],
                 *         "prefix": "svc_pat_0123",
                 *         "last4": "1b2c",
                 *         "state": "active",
                 *         "createdAt": 1788255000000,
                 *         "expiresAt": 1796031000000,
                 *         "lastUsedAt": null
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["TokenCreatedEvent"];
            };
        };
        responses: {
            /** @description The event has been received. The service ignores the body. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The receiver no longer exists. The service disables the webhook at once. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Any other response, a redirect included, is a failure, and so is none within 20 seconds. The delivery is attempted up to ten times over more than three days; `Retry-After` lengthens the wait. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onTokenExpiring: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description W3C Trace Context of the request that caused the event, where there is one. Attempts may have different parent ids.
                 * @example 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
                 */
                traceparent?: components["parameters"]["traceparent"];
                /**
                 * @description Id of the event, the same on every attempt and replay. Ignore an id that you have processed.
                 * @example evt_01m7xsah51f6ctt8c84t8wbh7e
                 */
                "webhook-id": components["parameters"]["webhook-id"];
                /**
                 * @description `v1,` and the base64 of HMAC-SHA256 over `<webhook-id>.<webhook-timestamp>.<body>`. The key is the 32 bytes that the signing secret encodes after `whsec_`. During a rotation of the secret there are two signatures, separated by a space. Compare in constant time.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": components["parameters"]["webhook-signature"];
                /**
                 * @description Start of this attempt, in Unix seconds.
                 * @example 1788255000
                 */
                "webhook-timestamp": components["parameters"]["webhook-timestamp"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "type": "token.expiring",
                 *       "timestamp": 1788255000000,
                 *       "data": {
                 *         "id": "tok_01m7xsah51f6ctt8c84t8wbh7e",
                 *         "object": "token",
                 *         "name": "ci",
                 *         "scopes": [
                 *           "sessions:read",
                 *           "usage:read"
                 *         ],
                 *         "machineIds": [
                 *           "mch_01m7xsah51f6ctt8c84t8wbh7e"
                 *         ],
                 *         "prefix": "svc_pat_0123",
                 *         "last4": "1b2c",
                 *         "state": "active",
                 *         "createdAt": 1788255000000,
                 *         "expiresAt": 1796031000000,
                 *         "lastUsedAt": null
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["TokenExpiringEvent"];
            };
        };
        responses: {
            /** @description The event has been received. The service ignores the body. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The receiver no longer exists. The service disables the webhook at once. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Any other response, a redirect included, is a failure, and so is none within 20 seconds. The delivery is attempted up to ten times over more than three days; `Retry-After` lengthens the wait. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onTokenRevoked: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description W3C Trace Context of the request that caused the event, where there is one. Attempts may have different parent ids.
                 * @example 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
                 */
                traceparent?: components["parameters"]["traceparent"];
                /**
                 * @description Id of the event, the same on every attempt and replay. Ignore an id that you have processed.
                 * @example evt_01m7xsah51f6ctt8c84t8wbh7e
                 */
                "webhook-id": components["parameters"]["webhook-id"];
                /**
                 * @description `v1,` and the base64 of HMAC-SHA256 over `<webhook-id>.<webhook-timestamp>.<body>`. The key is the 32 bytes that the signing secret encodes after `whsec_`. During a rotation of the secret there are two signatures, separated by a space. Compare in constant time.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": components["parameters"]["webhook-signature"];
                /**
                 * @description Start of this attempt, in Unix seconds.
                 * @example 1788255000
                 */
                "webhook-timestamp": components["parameters"]["webhook-timestamp"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "type": "token.revoked",
                 *       "timestamp": 1788255000000,
                 *       "data": {
                 *         "id": "tok_01m7xsah51f6ctt8c84t8wbh7e",
                 *         "object": "token",
                 *         "name": "ci",
                 *         "scopes": [
                 *           "sessions:read",
                 *           "usage:read"
                 *         ],
                 *         "machineIds": [
                 *           "mch_01m7xsah51f6ctt8c84t8wbh7e"
                 *         ],
                 *         "prefix": "svc_pat_0123",
                 *         "last4": "1b2c",
                 *         "state": "active",
                 *         "createdAt": 1788255000000,
                 *         "expiresAt": 1796031000000,
                 *         "lastUsedAt": null
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["TokenRevokedEvent"];
            };
        };
        responses: {
            /** @description The event has been received. The service ignores the body. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The receiver no longer exists. The service disables the webhook at once. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Any other response, a redirect included, is a failure, and so is none within 20 seconds. The delivery is attempted up to ten times over more than three days; `Retry-After` lengthens the wait. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onTurnEnded: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description W3C Trace Context of the request that caused the event, where there is one. Attempts may have different parent ids.
                 * @example 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
                 */
                traceparent?: components["parameters"]["traceparent"];
                /**
                 * @description Id of the event, the same on every attempt and replay. Ignore an id that you have processed.
                 * @example evt_01m7xsah51f6ctt8c84t8wbh7e
                 */
                "webhook-id": components["parameters"]["webhook-id"];
                /**
                 * @description `v1,` and the base64 of HMAC-SHA256 over `<webhook-id>.<webhook-timestamp>.<body>`. The key is the 32 bytes that the signing secret encodes after `whsec_`. During a rotation of the secret there are two signatures, separated by a space. Compare in constant time.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": components["parameters"]["webhook-signature"];
                /**
                 * @description Start of this attempt, in Unix seconds.
                 * @example 1788255000
                 */
                "webhook-timestamp": components["parameters"]["webhook-timestamp"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "type": "turn.ended",
                 *       "timestamp": 1788255000000,
                 *       "data": {
                 *         "id": "turn_01m7xsah51f6ctt8c84t8wbh7e",
                 *         "object": "turn",
                 *         "sessionId": "ses_01m7xsah51f6ctt8c84t8wbh7e",
                 *         "origin": "message",
                 *         "requestId": "req_01m7xsah51f6ctt8c84t8wbh7e",
                 *         "deviceId": "dev_01m7xsah51f6ctt8c84t8wbh7e",
                 *         "version": 4,
                 *         "state": "completed",
                 *         "stopReason": "end_turn",
                 *         "errorCode": null,
                 *         "firstSeq": 11,
                 *         "lastSeq": 14,
                 *         "pendingPermissions": 0,
                 *         "usage": {
                 *           "inputTokens": 5120,
                 *           "outputTokens": 860,
                 *           "totalTokens": 9320,
                 *           "cachedInputTokens": 3340
                 *         },
                 *         "cost": {
                 *           "amount": 0.0425,
                 *           "currency": "USD"
                 *         },
                 *         "createdAt": 1788255000000,
                 *         "startedAt": 1788255000000,
                 *         "lastActivityAt": 1788255000000,
                 *         "endedAt": 1788255000000,
                 *         "updatedAt": 1788255000000
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["TurnEndedEvent"];
            };
        };
        responses: {
            /** @description The event has been received. The service ignores the body. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The receiver no longer exists. The service disables the webhook at once. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Any other response, a redirect included, is a failure, and so is none within 20 seconds. The delivery is attempted up to ten times over more than three days; `Retry-After` lengthens the wait. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onTurnRequiresAction: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description W3C Trace Context of the request that caused the event, where there is one. Attempts may have different parent ids.
                 * @example 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
                 */
                traceparent?: components["parameters"]["traceparent"];
                /**
                 * @description Id of the event, the same on every attempt and replay. Ignore an id that you have processed.
                 * @example evt_01m7xsah51f6ctt8c84t8wbh7e
                 */
                "webhook-id": components["parameters"]["webhook-id"];
                /**
                 * @description `v1,` and the base64 of HMAC-SHA256 over `<webhook-id>.<webhook-timestamp>.<body>`. The key is the 32 bytes that the signing secret encodes after `whsec_`. During a rotation of the secret there are two signatures, separated by a space. Compare in constant time.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": components["parameters"]["webhook-signature"];
                /**
                 * @description Start of this attempt, in Unix seconds.
                 * @example 1788255000
                 */
                "webhook-timestamp": components["parameters"]["webhook-timestamp"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "type": "turn.requires_action",
                 *       "timestamp": 1788255000000,
                 *       "data": {
                 *         "id": "turn_01m7xsah51f6ctt8c84t8wbh7e",
                 *         "object": "turn",
                 *         "sessionId": "ses_01m7xsah51f6ctt8c84t8wbh7e",
                 *         "origin": "message",
                 *         "requestId": "req_01m7xsah51f6ctt8c84t8wbh7e",
                 *         "deviceId": "dev_01m7xsah51f6ctt8c84t8wbh7e",
                 *         "version": 4,
                 *         "state": "completed",
                 *         "stopReason": "end_turn",
                 *         "errorCode": null,
                 *         "firstSeq": 11,
                 *         "lastSeq": 14,
                 *         "pendingPermissions": 0,
                 *         "usage": {
                 *           "inputTokens": 5120,
                 *           "outputTokens": 860,
                 *           "totalTokens": 9320,
                 *           "cachedInputTokens": 3340
                 *         },
                 *         "cost": {
                 *           "amount": 0.0425,
                 *           "currency": "USD"
                 *         },
                 *         "createdAt": 1788255000000,
                 *         "startedAt": 1788255000000,
                 *         "lastActivityAt": 1788255000000,
                 *         "endedAt": 1788255000000,
                 *         "updatedAt": 1788255000000
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["TurnRequiresActionEvent"];
            };
        };
        responses: {
            /** @description The event has been received. The service ignores the body. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The receiver no longer exists. The service disables the webhook at once. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Any other response, a redirect included, is a failure, and so is none within 20 seconds. The delivery is attempted up to ten times over more than three days; `Retry-After` lengthens the wait. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onTurnStarted: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description W3C Trace Context of the request that caused the event, where there is one. Attempts may have different parent ids.
                 * @example 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
                 */
                traceparent?: components["parameters"]["traceparent"];
                /**
                 * @description Id of the event, the same on every attempt and replay. Ignore an id that you have processed.
                 * @example evt_01m7xsah51f6ctt8c84t8wbh7e
                 */
                "webhook-id": components["parameters"]["webhook-id"];
                /**
                 * @description `v1,` and the base64 of HMAC-SHA256 over `<webhook-id>.<webhook-timestamp>.<body>`. The key is the 32 bytes that the signing secret encodes after `whsec_`. During a rotation of the secret there are two signatures, separated by a space. Compare in constant time.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": components["parameters"]["webhook-signature"];
                /**
                 * @description Start of this attempt, in Unix seconds.
                 * @example 1788255000
                 */
                "webhook-timestamp": components["parameters"]["webhook-timestamp"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "type": "turn.started",
                 *       "timestamp": 1788255000000,
                 *       "data": {
                 *         "id": "turn_01m7xsah51f6ctt8c84t8wbh7e",
                 *         "object": "turn",
                 *         "sessionId": "ses_01m7xsah51f6ctt8c84t8wbh7e",
                 *         "origin": "message",
                 *         "requestId": "req_01m7xsah51f6ctt8c84t8wbh7e",
                 *         "deviceId": "dev_01m7xsah51f6ctt8c84t8wbh7e",
                 *         "version": 4,
                 *         "state": "completed",
                 *         "stopReason": "end_turn",
                 *         "errorCode": null,
                 *         "firstSeq": 11,
                 *         "lastSeq": 14,
                 *         "pendingPermissions": 0,
                 *         "usage": {
                 *           "inputTokens": 5120,
                 *           "outputTokens": 860,
                 *           "totalTokens": 9320,
                 *           "cachedInputTokens": 3340
                 *         },
                 *         "cost": {
                 *           "amount": 0.0425,
                 *           "currency": "USD"
                 *         },
                 *         "createdAt": 1788255000000,
                 *         "startedAt": 1788255000000,
                 *         "lastActivityAt": 1788255000000,
                 *         "endedAt": 1788255000000,
                 *         "updatedAt": 1788255000000
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["TurnStartedEvent"];
            };
        };
        responses: {
            /** @description The event has been received. The service ignores the body. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The receiver no longer exists. The service disables the webhook at once. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Any other response, a redirect included, is a failure, and so is none within 20 seconds. The delivery is attempted up to ten times over more than three days; `Retry-After` lengthens the wait. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onWebhookDisabled: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description W3C Trace Context of the request that caused the event, where there is one. Attempts may have different parent ids.
                 * @example 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
                 */
                traceparent?: components["parameters"]["traceparent"];
                /**
                 * @description Id of the event, the same on every attempt and replay. Ignore an id that you have processed.
                 * @example evt_01m7xsah51f6ctt8c84t8wbh7e
                 */
                "webhook-id": components["parameters"]["webhook-id"];
                /**
                 * @description `v1,` and the base64 of HMAC-SHA256 over `<webhook-id>.<webhook-timestamp>.<body>`. The key is the 32 bytes that the signing secret encodes after `whsec_`. During a rotation of the secret there are two signatures, separated by a space. Compare in constant time.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": components["parameters"]["webhook-signature"];
                /**
                 * @description Start of this attempt, in Unix seconds.
                 * @example 1788255000
                 */
                "webhook-timestamp": components["parameters"]["webhook-timestamp"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "type": "webhook.disabled",
                 *       "timestamp": 1788255000000,
                 *       "data": {
                 *         "id": "whk_01m7xsah51f6ctt8c84t8wbh7e",
                 *         "object": "webhook",
                 *         "url": "https://example.com/hooks",
                 *         "events": [
                 *           "session.created",
                 *           "session.ended"
                 *         ],
                 *         "description": "Posts to the release channel",
                 *         "format": "standard",
                 *         "headerNames": [
                 *           "authorization"
                 *         ],
                 *         "state": "active",
                 *         "disabledReason": null,
                 *         "failingSince": null,
                 *         "lastDeliveryAt": 1788255000000,
                 *         "lastDeliveryStatus": 200,
                 *         "createdBy": {
                 *           "tokenId": "tok_01m7xsah51f6ctt8c84t8wbh7e",
                 *           "appId": null
                 *         },
                 *         "createdAt": 1788255000000,
                 *         "updatedAt": 1788255000000
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["WebhookDisabledEvent"];
            };
        };
        responses: {
            /** @description The event has been received. The service ignores the body. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The receiver no longer exists. The service disables the webhook at once. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Any other response, a redirect included, is a failure, and so is none within 20 seconds. The delivery is attempted up to ten times over more than three days; `Retry-After` lengthens the wait. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onWebhookTest: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description W3C Trace Context of the request that caused the event, where there is one. Attempts may have different parent ids.
                 * @example 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
                 */
                traceparent?: components["parameters"]["traceparent"];
                /**
                 * @description Id of the event, the same on every attempt and replay. Ignore an id that you have processed.
                 * @example evt_01m7xsah51f6ctt8c84t8wbh7e
                 */
                "webhook-id": components["parameters"]["webhook-id"];
                /**
                 * @description `v1,` and the base64 of HMAC-SHA256 over `<webhook-id>.<webhook-timestamp>.<body>`. The key is the 32 bytes that the signing secret encodes after `whsec_`. During a rotation of the secret there are two signatures, separated by a space. Compare in constant time.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": components["parameters"]["webhook-signature"];
                /**
                 * @description Start of this attempt, in Unix seconds.
                 * @example 1788255000
                 */
                "webhook-timestamp": components["parameters"]["webhook-timestamp"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "type": "webhook.test",
                 *       "timestamp": 1788255000000,
                 *       "data": {
                 *         "id": "whk_01m7xsah51f6ctt8c84t8wbh7e",
                 *         "object": "webhook",
                 *         "url": "https://example.com/hooks",
                 *         "events": [
                 *           "session.created",
                 *           "session.ended"
                 *         ],
                 *         "description": "Posts to the release channel",
                 *         "format": "standard",
                 *         "headerNames": [
                 *           "authorization"
                 *         ],
                 *         "state": "active",
                 *         "disabledReason": null,
                 *         "failingSince": null,
                 *         "lastDeliveryAt": 1788255000000,
                 *         "lastDeliveryStatus": 200,
                 *         "createdBy": {
                 *           "tokenId": "tok_01m7xsah51f6ctt8c84t8wbh7e",
                 *           "appId": null
                 *         },
                 *         "createdAt": 1788255000000,
                 *         "updatedAt": 1788255000000
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["WebhookTestEvent"];
            };
        };
        responses: {
            /** @description The event has been received. The service ignores the body. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The receiver no longer exists. The service disables the webhook at once. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Any other response, a redirect included, is a failure, and so is none within 20 seconds. The delivery is attempted up to ten times over more than three days; `Retry-After` lengthens the wait. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
}
