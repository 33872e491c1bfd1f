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
         * @description The account's artifacts, newest first.
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
         * @description What is in the artifact, where a device has granted it, or its session, to this caller: in plaintext through a grant to the service, or sealed to a key of the caller's own. `Accept: application/octet-stream` gives the plaintext as raw bytes.
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
    "/machines": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List machines
         * @description The account's machines, newest first, with their state.
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
         * @description One machine of the account.
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
         * @description Relayed to the device that registered the machine; blocks for up to 30 seconds. The command runs at most once: every error says in `outcome` what is known of the call. It is run with its argument vector, never through a shell. An exit code other than 0 is still a 200. For personal access tokens only.
         */
        post: operations["invokeMachine"];
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
         * Who this token is
         * @description Validates a token: the account it acts for, its scopes, the plan's limits, what is left in both rate buckets, and routes on their way out. Any valid token may ask.
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
         * Ask a person
         * @description An app sends a person's browser here (RFC 6749 §4.1.1); it comes back to the app's redirect URI with `code`, or with `error`, and with `state` and `iss` (RFC 9207). Unknown parameters are ignored.
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
         * Ask about a token
         * @description RFC 7662, for a client's own tokens; all others are not active.
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
         * @description RFC 7009. A refresh token, even one that was used, takes all tokens of its sign-in along; an access token goes alone. Tokens that are unknown, dead or another client's are answered alike.
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
         * Get tokens
         * @description A code, or the newest refresh token, for the next two tokens (RFC 6749 §4.1.3, §6). A code that comes twice ends all tokens that it gave; so does a refresh token that comes again more than 10 seconds after it was used. A refresh token lives 30 days, a sign-in 90.
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
         * @description The account's sessions, newest first.
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
         * @description One session of the account.
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
    "/sessions/{id}/messages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the messages of a session
         * @description Metadata of its messages by `seq`, newest first. Content is never in it.
         */
        get: operations["listMessages"];
        put?: never;
        /**
         * Send a message into a session
         * @description Relayed to the session's host device, else the device of its machine, else the account device that connected last and serves messages; blocks for up to 30 seconds. The message is delivered at most once: every error says in `outcome` what is known of the call.
         */
        post: operations["sendMessage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{id}/messages/{messageId}/content": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a message's content
         * @description What the message says, where a device has granted it to this caller: in plaintext through a grant to the service, or sealed to a key of the caller's own.
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
    "/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Count calls
         * @description Every authenticated call once, in periods of UTC; the last 30 days by day and ungrouped unless asked. Counts are kept for 400 days. A crash of the service loses at most the last second.
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
    "/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List webhooks
         * @description The account's webhooks, newest first, and every event type that there is. An app sees those alone that it made.
         */
        get: operations["listWebhooks"];
        put?: never;
        /**
         * Create a webhook
         * @description Deliveries are signed by Standard Webhooks 1.0.0 with `signingSecret`, which is shown this once. An event type is subscribed to with the read scope of what it tells; those of tokens, key grants and relayed calls are not for apps. `["*"]` means all that the caller may see, now and later. What a personal access token made outlives it; what an app made ends with the person's authorization.
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
         * @description Ends the subscription; deliveries that wait are dropped.
         */
        delete: operations["deleteWebhook"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        AccountIdentity: {
            /**
             * Format: int64
             * @description null without the scope `profile:read`.
             * @example 1788255000000
             */
            createdAt: number | null;
            /** @example acc_01m7xsah51f6ctt8c84t8wbh7e */
            id: string;
            /** @example ada */
            username: string;
        };
        Artifact: {
            /**
             * @description Whether this caller could read content now.
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
             * @description The data key that its content is encrypted with.
             * @example k1
             */
            keyId: string;
            /**
             * @description Of the plaintext, as its device declared it.
             * @example text/html
             */
            mediaType: string;
            /**
             * @example artifact
             * @enum {string}
             */
            object: "artifact";
            /**
             * @description The session that it came from, if any.
             * @example ses_01m7xsah51f6ctt8c84t8wbh7e
             */
            sessionId: string | null;
            /**
             * @description Size of the ciphertext.
             * @example 48213
             */
            sizeBytes: number;
            /**
             * @description The name that its device gave it.
             * @example coverage-report
             */
            tag: string;
            /**
             * Format: int64
             * @example 1788255000000
             */
            updatedAt: number;
            /**
             * @description Counts replacements of its content, from 1.
             * @example 3
             */
            version: number;
        };
        /** @description Conflict: the resource is not in the state that the request expects. */
        ConflictProblem: components["schemas"]["Problem"] & {
            /** @constant */
            code: "conflict";
            /** @constant */
            status: 409;
        } & {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            code: "conflict";
        };
        CreateWebhook: {
            /** @description What it is for, in its creator's words. */
            description?: string;
            /**
             * @description Event types, or `["*"]` for all that the caller may see.
             * @example [
             *       "session.created",
             *       "session.ended"
             *     ]
             */
            events: ("session.created" | "session.updated" | "session.ended" | "session.deleted" | "message.created" | "machine.registered" | "machine.online" | "machine.offline" | "artifact.created" | "artifact.updated" | "artifact.deleted" | "key_grant.created" | "key_grant.revoked" | "token.created" | "token.revoked" | "token.expiring" | "relay.completed" | "relay.failed" | "webhook.test" | "*")[];
            /**
             * @description Where deliveries go: https, without user name or password, and to public addresses alone.
             * @example https://example.com/hooks
             */
            url: string;
        };
        DeprecationNotice: {
            /**
             * Format: int64
             * @example 1788255000000
             */
            deprecatedAt: number;
            /**
             * @description The page that explains it.
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
             * @description From the host root, with placeholders in braces.
             * @example /external/v1/sessions
             */
            path: string;
            /**
             * @description Path of what to use instead, from the host root.
             * @example /external/v2/sessions
             */
            replacement: string | null;
            /**
             * Format: int64
             * @description From when on the route answers 410; null: not decided yet.
             * @example 1803807000000
             */
            sunsetAt: number | null;
        };
        /** @description Device busy: the device has as many calls in flight as it takes. */
        DeviceBusyProblem: components["schemas"]["Problem"] & {
            /** @constant */
            code: "device_busy";
            outcome: components["schemas"]["Outcome"];
            /** @constant */
            status: 429;
        } & {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            code: "device_busy";
        };
        /** @description Device disconnected: the device, or the instance that holds it, vanished or fell silent during the call. */
        DeviceDisconnectedProblem: components["schemas"]["Problem"] & {
            /** @constant */
            code: "device_disconnected";
            outcome: components["schemas"]["Outcome"];
            /** @constant */
            status: 502;
        } & {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            code: "device_disconnected";
        };
        /** @description The error as the device worded it. */
        DeviceError: {
            /** @example command_not_found */
            code: string;
            /** @example There is no program "gti". */
            message: string;
        };
        /** @description Device error: the device answered with an error, or with what is no answer (`deviceError.code` `invalid_answer`). */
        DeviceErrorProblem: components["schemas"]["Problem"] & {
            /** @constant */
            code: "device_error";
            deviceError: components["schemas"]["DeviceError"];
            outcome: components["schemas"]["Outcome"];
            /** @constant */
            status: 502;
        } & {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            code: "device_error";
        };
        /** @description Forbidden: a credential of the wrong kind, or an account that is suspended. */
        ForbiddenProblem: components["schemas"]["Problem"] & {
            /** @constant */
            code: "forbidden";
            /** @constant */
            status: 403;
        } & {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            code: "forbidden";
        };
        /** @description Grant key mismatch: a sealed key or ciphertext that does not open, does not match or is out of place. */
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
        } & {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            code: "idempotency_in_progress";
        };
        /** @description Idempotency key reused: an Idempotency-Key that came with another request before. */
        IdempotencyKeyReusedProblem: components["schemas"]["Problem"] & {
            /** @constant */
            code: "idempotency_key_reused";
            /** @constant */
            status: 422;
        };
        /** @description Insufficient scope: a valid token without the scope. */
        InsufficientScopeProblem: components["schemas"]["Problem"] & {
            /** @constant */
            code: "insufficient_scope";
            required: ("sessions:read" | "sessions:write" | "sessions:content" | "machines:read" | "machines:invoke" | "machines:invoke:verified" | "artifacts:read" | "artifacts:content" | "artifacts:write" | "webhooks:manage" | "usage:read" | "profile:read")[];
            /** @constant */
            status: 403;
        } & {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            code: "insufficient_scope";
        };
        /** @description Internal error: a fault of the service. */
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
             * @description Unix time in seconds.
             * @example 1788258600
             */
            exp?: number;
            /**
             * @description Unix time in seconds.
             * @example 1788255000
             */
            iat?: number;
            /** @example https://api.test */
            iss?: string;
            /**
             * @description Separated by spaces.
             * @example sessions:read profile:read
             */
            scope?: string;
            /**
             * @description Id of the account that the token acts for.
             * @example acc_01m7xsah51f6ctt8c84t8wbh7e
             */
            sub?: string;
            /**
             * @description Of access tokens.
             * @example Bearer
             * @enum {string}
             */
            token_type?: "Bearer";
            /**
             * @description With the scope `profile:read`.
             * @example ada
             */
            username?: string;
        };
        /** @description Invalid cursor: a cursor changed by hand or used with other filters. */
        InvalidCursorProblem: components["schemas"]["Problem"] & {
            /** @constant */
            code: "invalid_cursor";
            /** @constant */
            status: 400;
        } & {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            code: "invalid_cursor";
        };
        /** @description Invalid request: bad JSON, a wrong type or range, an unknown field or parameter; every fault at once. */
        InvalidRequestProblem: components["schemas"]["Problem"] & {
            /** @constant */
            code: "invalid_request";
            errors: components["schemas"]["RequestFault"][];
            /** @constant */
            status: 400;
        } & {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            code: "invalid_request";
        };
        /** @description Invalid token: a credential that is malformed, unknown, expired, revoked, or of a kind that this path does not take. */
        InvalidTokenProblem: components["schemas"]["Problem"] & {
            /** @constant */
            code: "invalid_token";
            /** @enum {string} */
            reason: "malformed" | "expired" | "revoked" | "unknown";
            /** @constant */
            status: 401;
        } & {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            code: "invalid_token";
        };
        Invoke: {
            /**
             * @description Its arguments.
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
             * @description Working directory; null or absent: the device's default. The device judges it.
             * @example /srv/app
             */
            cwd?: string | null;
            /**
             * @description Time allowed for the command in ms; the device is given at most 28000 of them.
             * @default 20000
             * @example 10000
             */
            timeoutMs?: number;
        };
        Machine: {
            /** @example 1.4.2 */
            appVersion: string | null;
            /** @example x64 */
            arch: string | null;
            /**
             * @description What its device declared that it serves: `machine.invoke`, `session.message`.
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
             * @description When its device was connected last; null: never.
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
             * @description Whether its device is connected; calls reach online ones alone.
             * @example online
             * @enum {string}
             */
            state: "online" | "offline";
            /**
             * Format: int64
             * @example 1788255000000
             */
            updatedAt: number;
        };
        Me: {
            data: components["schemas"]["MeData"];
            meta: components["schemas"]["MeMeta"];
        };
        MeData: {
            account: components["schemas"]["AccountIdentity"];
            /**
             * @description Those of this API's routes that are on their way out, and not gone yet.
             * @example []
             */
            deprecations: components["schemas"]["DeprecationNotice"][];
            plan: components["schemas"]["Plan"];
            token: components["schemas"]["TokenIdentity"];
        };
        MeMeta: {
            /** @description The bucket that this call drew on. */
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
             * @description The data key that its content is encrypted with.
             * @example k1
             */
            keyId: string;
            /**
             * @description The writing device's own name for it.
             * @example m-0012
             */
            localId: string;
            /**
             * @example message
             * @enum {string}
             */
            object: "message";
            /**
             * @example assistant
             * @enum {string}
             */
            role: "user" | "assistant" | "system" | "tool";
            /**
             * @description Its place in the session: from 1, without gaps.
             * @example 12
             */
            seq: number;
            /** @example ses_01m7xsah51f6ctt8c84t8wbh7e */
            sessionId: string;
            /**
             * @description Size of the ciphertext.
             * @example 2048
             */
            sizeBytes: number;
        };
        /** @description Missing token: no credential. */
        MissingTokenProblem: components["schemas"]["Problem"] & {
            /** @constant */
            code: "missing_token";
            /** @constant */
            status: 401;
        } & {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            code: "missing_token";
        };
        /** @description No content grant: content asked for without a key grant that covers this caller. */
        NoContentGrantProblem: components["schemas"]["Problem"] & {
            /** @constant */
            code: "no_content_grant";
            /** @constant */
            status: 403;
        } & {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            code: "no_content_grant";
        };
        /** @description No online device: no device that can serve the call is online. */
        NoOnlineDeviceProblem: components["schemas"]["Problem"] & {
            /** @constant */
            code: "no_online_device";
            outcome: components["schemas"]["Outcome"];
            /** @constant */
            status: 503;
        } & {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            code: "no_online_device";
        };
        /** @description Not acceptable: `Accept` names nothing that there is. */
        NotAcceptableProblem: components["schemas"]["Problem"] & {
            /** @constant */
            code: "not_acceptable";
            /** @constant */
            status: 406;
        };
        /** @description Not found: an id that is malformed, unknown or another account's. */
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
             * @description What is wrong with this request, for the developer.
             * @example The code is unknown, used or expired.
             */
            error_description: string;
        };
        /**
         * @description What is known of the call, never guessed from silence. `not_delivered`: nothing ran, it is safe to try again. `unknown`: it may have run; try again with the same Idempotency-Key. `answered`: the device answered.
         * @example unknown
         * @enum {string}
         */
        Outcome: "not_delivered" | "unknown" | "answered";
        /** @description Payload too large: a body of more than 1 MiB. */
        PayloadTooLargeProblem: components["schemas"]["Problem"] & {
            /** @constant */
            code: "payload_too_large";
            /** @constant */
            status: 413;
        };
        PlaintextContent: {
            /** @example All 214 tests pass. */
            content: string;
            /**
             * @description `utf8` where the bytes are valid UTF-8.
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
             * @description The grant by which it is read.
             * @example grt_01m7xsah51f6ctt8c84t8wbh7e
             */
            grantId: string;
            /**
             * @description Of the message or the artifact.
             * @example msg_01m7xsah51f6ctt8c84t8wbh7e
             */
            id: string;
            /**
             * @description As the device that encrypted it declared it.
             * @example text/markdown
             */
            mediaType: string;
            /**
             * @description The session that it is of, if any.
             * @example ses_01m7xsah51f6ctt8c84t8wbh7e
             */
            sessionId: string | null;
        };
        Plan: {
            limits: components["schemas"]["PlanLimits"];
            /** @example standard */
            name: string;
        };
        /** @description Plan limit exceeded: the plan's limit is reached. */
        PlanLimitExceededProblem: components["schemas"]["Problem"] & {
            /** @constant */
            code: "plan_limit_exceeded";
            limit: number;
            /** @constant */
            status: 403;
        } & {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            code: "plan_limit_exceeded";
        };
        PlanLimits: {
            /** @example 20 */
            maxApps: number;
            /**
             * @description The longest that a command is given.
             * @example 28000
             */
            maxInvokeTimeoutMs: number;
            /** @example 200 */
            maxPageSize: number;
            /**
             * @description The longest that a relayed call takes.
             * @example 30000
             */
            maxRelayWaitMs: number;
            /** @example 1048576 */
            maxRequestBytes: number;
            /** @example 1073741824 */
            maxStorageBytes: number;
            /** @example 50 */
            maxTokens: number;
            /** @example 20 */
            maxWebhooks: number;
            /**
             * @description Calls per minute that are not relayed.
             * @example 600
             */
            metadataPerMinute: number;
            /**
             * @description Relayed calls per minute.
             * @example 60
             */
            relayPerMinute: number;
        };
        /** @description RFC 9457 problem details. `code` is the stable part that programs match on. */
        Problem: {
            /**
             * @description Stable; one of the codes documented.
             * @example not_found
             */
            code: string;
            /**
             * @description What is wrong with this request, for people.
             * @example There is no such session.
             */
            detail: string;
            /**
             * @description To be quoted when asking for help. A replayed answer keeps the first call's.
             * @example req_01m7xsah51f6ctt8c84t8wbh7e
             */
            requestId: string;
            /** @example 404 */
            status: number;
            /** @example Not found */
            title: string;
            /**
             * Format: uri
             * @description Page of this kind of error.
             * @example https://api.test/docs/errors#not_found
             */
            type: string;
        };
        /** @description Rate limited: the account's bucket is empty, or the address has sent too many bad credentials. */
        RateLimitedProblem: components["schemas"]["Problem"] & {
            /** @enum {string} */
            bucket: "metadata" | "relay" | "address";
            /** @constant */
            code: "rate_limited";
            /** @constant */
            status: 429;
        } & {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            code: "rate_limited";
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
             * @description Whole seconds until the window ends; the window's length when none has begun.
             * @example 37
             */
            reset: number;
        };
        RelayReply: {
            /**
             * @description To be quoted when asking for help.
             * @example req_01m7xsah51f6ctt8c84t8wbh7e
             */
            requestId: string;
            /** @description What the device replied, as it sent it: an object of at most 64 levels and 3 MiB. */
            result: {
                [key: string]: unknown;
            };
        };
        /** @description Relay unavailable: the relay cannot take the call now. */
        RelayUnavailableProblem: components["schemas"]["Problem"] & {
            /** @constant */
            code: "relay_unavailable";
            outcome: components["schemas"]["Outcome"];
            /** @constant */
            status: 503;
        } & {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            code: "relay_unavailable";
        };
        /** @description One fault of a request. */
        RequestFault: {
            /**
             * @description Among them `required`, `invalid_type`, `invalid_format`, `out_of_range`, `not_allowed`, `unknown_field` and `unknown_parameter`.
             * @example out_of_range
             */
            code: string;
            /**
             * @example query
             * @enum {string}
             */
            in: "body" | "query" | "header";
            /** @example /limit must not be less than 1. */
            message: string;
            /**
             * @description JSON pointer (RFC 6901), for query parameters too; empty: the whole body.
             * @example /limit
             */
            path: string;
        };
        RevocationAnswer: Record<string, never>;
        SealedContent: {
            /**
             * @description Compact JWE, `dir` and `A256GCM`, under the data key.
             * @example eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIiwuLi59..aXY.dGV4dA.dGFn
             */
            content: string;
            /**
             * @example sealed
             * @enum {string}
             */
            encoding: "sealed";
            /**
             * @description The grant by which it is read.
             * @example grt_01m7xsah51f6ctt8c84t8wbh7e
             */
            grantId: string;
            /**
             * @description Of the message or the artifact.
             * @example msg_01m7xsah51f6ctt8c84t8wbh7e
             */
            id: string;
            key: components["schemas"]["SealedKey"];
            /**
             * @description The session that it is of, if any.
             * @example ses_01m7xsah51f6ctt8c84t8wbh7e
             */
            sessionId: string | null;
        };
        SealedKey: {
            /**
             * @description `kid` of the key that it is sealed to, else its RFC 7638 thumbprint.
             * @example reader-1
             */
            recipientKeyId: string;
            /**
             * @description Compact JWE, `ECDH-ES+A256KW` and `A256GCM`: the data key as an `oct` JWK.
             * @example eyJhbGciOiJFQ0RILUVTK0EyNTZLVyIsLi4ufQ.d3JhcHBlZA.aXY.a2V5.dGFn
             */
            sealed: string;
        };
        SendMessage: {
            /**
             * @description The message's text, not blank.
             * @example Please also update the changelog.
             */
            content: string;
        };
        /** @description Service unavailable: the instance is shutting down, or cannot reach its database. */
        ServiceUnavailableProblem: components["schemas"]["Problem"] & {
            /** @constant */
            code: "service_unavailable";
            outcome: components["schemas"]["Outcome"];
            /** @constant */
            status: 503;
        } & {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            code: "service_unavailable";
        };
        Session: {
            /**
             * @description Whether this caller could read content now.
             * @example false
             */
            contentGranted: boolean;
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
             * @description `seq` of the newest message; 0: none yet.
             * @example 12
             */
            lastSeq: number;
            /**
             * @description The machine that it runs on, where it has said so.
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
             * @description Messages can be sent into active ones alone.
             * @example active
             * @enum {string}
             */
            state: "active" | "ended";
            /**
             * @description The name that its device gave it, unique among the account's.
             * @example refactor-billing
             */
            tag: string;
            /**
             * Format: int64
             * @example 1788255000000
             */
            updatedAt: number;
        };
        /** @description Session not active: the session has ended. */
        SessionNotActiveProblem: components["schemas"]["Problem"] & {
            /** @constant */
            code: "session_not_active";
            /** @constant */
            status: 409;
        } & {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            code: "session_not_active";
        };
        /** @description Timeout: the device did not answer in time. */
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
             * @description Seconds.
             * @example 3600
             * @enum {integer}
             */
            expires_in: 3600;
            /** @example svc_ort_0123456789ABCDEFGHIJKLMNOPQRST0a1b2c */
            refresh_token: string;
            /**
             * @description Those of the access token, separated by spaces.
             * @example sessions:read usage:read
             */
            scope: string;
            /**
             * @example Bearer
             * @enum {string}
             */
            token_type: "Bearer";
        };
        TokenForm: {
            /**
             * @description Unless the client authenticates by HTTP Basic.
             * @example svc_oapp_0123456789ABCDEFGHIJKLMNOPQRST0a1b2c
             */
            client_id?: string;
            /**
             * @description Unless the client authenticates by HTTP Basic.
             * @example svc_ocs_0123456789ABCDEFGHIJKLMNOPQRST0a1b2c
             */
            client_secret?: string;
            /**
             * @description With `authorization_code`: good for 60 seconds and one use.
             * @example 2YotnFZFEjr1zCsicMWpAA
             */
            code?: string;
            /**
             * @description With `authorization_code`: what the challenge was made of (RFC 7636 §4.1).
             * @example dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk
             */
            code_verifier?: string;
            /**
             * @example authorization_code
             * @enum {string}
             */
            grant_type: "authorization_code" | "refresh_token";
            /**
             * @description With `authorization_code`: that of the authorization request.
             * @example https://app.example/callback
             */
            redirect_uri?: string;
            /**
             * @description With `refresh_token`: the newest one; each works once.
             * @example svc_ort_0123456789ABCDEFGHIJKLMNOPQRST0a1b2c
             */
            refresh_token?: string;
            /**
             * @description With `refresh_token`: fewer scopes for the access token than were granted.
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
             * @description null: it does not expire.
             * @example 1796031000000
             */
            expiresAt: number | null;
            /** @example tok_01m7xsah51f6ctt8c84t8wbh7e */
            id: string;
            /**
             * Format: int64
             * @description Written at most once a minute.
             * @example 1788255000000
             */
            lastUsedAt: number | null;
            /** @example ci */
            name: string;
            /**
             * @example [
             *       "sessions:read",
             *       "usage:read"
             *     ]
             */
            scopes: ("sessions:read" | "sessions:write" | "sessions:content" | "machines:read" | "machines:invoke" | "machines:invoke:verified" | "artifacts:read" | "artifacts:content" | "artifacts:write" | "webhooks:manage" | "usage:read" | "profile:read")[];
            /**
             * @description A personal access token, or the token of an app acting for a person.
             * @example pat
             * @enum {string}
             */
            type: "pat" | "oauth";
        };
        TokenReferenceForm: {
            /**
             * @description Unless the client authenticates by HTTP Basic.
             * @example svc_oapp_0123456789ABCDEFGHIJKLMNOPQRST0a1b2c
             */
            client_id?: string;
            /**
             * @description Unless the client authenticates by HTTP Basic.
             * @example svc_ocs_0123456789ABCDEFGHIJKLMNOPQRST0a1b2c
             */
            client_secret?: string;
            /**
             * @description An access or refresh token.
             * @example svc_ort_0123456789ABCDEFGHIJKLMNOPQRST0a1b2c
             */
            token: string;
            /**
             * @description Not needed: a token's prefix says what it is.
             * @example refresh_token
             */
            token_type_hint?: string;
        };
        /** @description Unsupported media type: a body that is not application/json in UTF-8. */
        UnsupportedMediaTypeProblem: components["schemas"]["Problem"] & {
            /** @constant */
            code: "unsupported_media_type";
            /** @constant */
            status: 415;
        };
        Usage: {
            /**
             * @description Rate bucket; null where not grouped by.
             * @example metadata
             */
            bucket: string | null;
            /**
             * Format: int64
             * @description Exclusive.
             * @example 1788307200000
             */
            end: number;
            /**
             * @description Those of `requests` with status 400 and above.
             * @example 7
             */
            errors: number;
            /**
             * @example usage
             * @enum {string}
             */
            object: "usage";
            /**
             * @description Operation id of this document; null where not grouped by.
             * @example listSessions
             */
            operation: string | null;
            /**
             * @description Those of `requests` with status 429.
             * @example 2
             */
            rateLimited: number;
            /** @example 1204 */
            requests: number;
            /**
             * Format: int64
             * @description Beginning of the hour or day, UTC.
             * @example 1788220800000
             */
            start: number;
            /**
             * @description null where not grouped by.
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
             * @description `gone`: the endpoint answered 410; `failing`: it failed for five days.
             * @example null
             * @enum {string|null}
             */
            disabledReason: "gone" | "failing" | null;
            /**
             * @description Event types; `*`: all that its creator may see.
             * @example [
             *       "session.created",
             *       "session.ended"
             *     ]
             */
            events: ("session.created" | "session.updated" | "session.ended" | "session.deleted" | "message.created" | "machine.registered" | "machine.online" | "machine.offline" | "artifact.created" | "artifact.updated" | "artifact.deleted" | "key_grant.created" | "key_grant.revoked" | "token.created" | "token.revoked" | "token.expiring" | "relay.completed" | "relay.failed" | "webhook.test" | "*")[];
            /**
             * Format: int64
             * @description Since when every try has failed.
             * @example null
             */
            failingSince: number | null;
            /** @example whk_01m7xsah51f6ctt8c84t8wbh7e */
            id: string;
            /**
             * Format: int64
             * @description When the last try ended.
             * @example 1788255000000
             */
            lastDeliveryAt: number | null;
            /**
             * @description The HTTP status that it was answered with; null without an answer.
             * @example 200
             */
            lastDeliveryStatus: number | null;
            /**
             * @example webhook
             * @enum {string}
             */
            object: "webhook";
            /**
             * @description Deliveries go out while it is active, and wait while it is paused or disabled. A disabled one gathers no new ones.
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
             * @description Client id of the app.
             * @example null
             */
            appId: string | null;
            /** @example tok_01m7xsah51f6ctt8c84t8wbh7e */
            tokenId: string | null;
        };
        WebhookPage: {
            /**
             * @description Every event type there is.
             * @example [
             *       "session.created",
             *       "session.updated",
             *       "session.ended",
             *       "session.deleted",
             *       "message.created",
             *       "machine.registered",
             *       "machine.online",
             *       "machine.offline",
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
             *       "webhook.test"
             *     ]
             */
            availableEvents: ("session.created" | "session.updated" | "session.ended" | "session.deleted" | "message.created" | "machine.registered" | "machine.online" | "machine.offline" | "artifact.created" | "artifact.updated" | "artifact.deleted" | "key_grant.created" | "key_grant.revoked" | "token.created" | "token.revoked" | "token.expiring" | "relay.completed" | "relay.failed" | "webhook.test")[];
            data: components["schemas"]["Webhook"][];
            /**
             * @description For the next page; null on the last one.
             * @example eyJ2IjoxfQ.b3BhcXVl
             */
            nextCursor: string | null;
        };
        WebhookWithSecret: {
            data: components["schemas"]["Webhook"];
            /**
             * @description The key of its signatures, shown this once; null where the answer is a replay.
             * @example whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD5mXZLSpTyWQ=
             */
            signingSecret: string | null;
        };
    };
    responses: {
        /**
         * @description `device_error`: the device answered with an error, or with what is no answer (`deviceError.code` `invalid_answer`).
         *
         *     `device_disconnected`: the device, or the instance that holds it, vanished or fell silent during the call.
         */
        DeviceErrorOrDeviceDisconnected: {
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
        /** @description `forbidden`: a credential of the wrong kind, or an account that is suspended. */
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
        /** @description `grant_key_mismatch`: a sealed key or ciphertext that does not open, does not match or is out of place. */
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
        /** @description `idempotency_in_progress`: the first call with this Idempotency-Key is still running. */
        IdempotencyInProgress: {
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
                "application/problem+json": components["schemas"]["IdempotencyInProgressProblem"];
            };
        };
        /**
         * @description `idempotency_in_progress`: the first call with this Idempotency-Key is still running.
         *
         *     `conflict`: the resource is not in the state that the request expects.
         */
        IdempotencyInProgressOrConflict: {
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
                "application/problem+json": components["schemas"]["IdempotencyInProgressProblem"] | components["schemas"]["ConflictProblem"];
            };
        };
        /**
         * @description `idempotency_in_progress`: the first call with this Idempotency-Key is still running.
         *
         *     `session_not_active`: the session has ended.
         */
        IdempotencyInProgressOrSessionNotActive: {
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
                "application/problem+json": components["schemas"]["IdempotencyInProgressProblem"] | components["schemas"]["SessionNotActiveProblem"];
            };
        };
        /** @description `idempotency_key_reused`: an Idempotency-Key that came with another request before. */
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
         * @description `insufficient_scope`: a valid token without the scope.
         *
         *     `forbidden`: a credential of the wrong kind, or an account that is suspended.
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
         * @description `insufficient_scope`: a valid token without the scope.
         *
         *     `forbidden`: a credential of the wrong kind, or an account that is suspended.
         *
         *     `no_content_grant`: content asked for without a key grant that covers this caller.
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
         * @description `insufficient_scope`: a valid token without the scope.
         *
         *     `forbidden`: a credential of the wrong kind, or an account that is suspended.
         *
         *     `plan_limit_exceeded`: the plan's limit is reached.
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
        /** @description `internal_error`: a fault of the service. */
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
        /** @description `internal_error`: a fault of the service. */
        InternalErrorAnonymous: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["InternalErrorProblem"];
            };
        };
        /** @description `invalid_request`: bad JSON, a wrong type or range, an unknown field or parameter; every fault at once. */
        InvalidRequest: {
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
                "application/problem+json": components["schemas"]["InvalidRequestProblem"];
            };
        };
        /** @description `invalid_request`: bad JSON, a wrong type or range, an unknown field or parameter; every fault at once. */
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
         * @description `invalid_request`: bad JSON, a wrong type or range, an unknown field or parameter; every fault at once.
         *
         *     `invalid_cursor`: a cursor changed by hand or used with other filters.
         */
        InvalidRequestOrInvalidCursor: {
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
                "application/problem+json": components["schemas"]["InvalidRequestProblem"] | components["schemas"]["InvalidCursorProblem"];
            };
        };
        /**
         * @description `missing_token`: no credential.
         *
         *     `invalid_token`: a credential that is malformed, unknown, expired, revoked, or of a kind that this path does not take.
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
         *     `relay_unavailable`: the relay cannot take the call now.
         *
         *     `service_unavailable`: the instance is shutting down, or cannot reach its database.
         */
        NoOnlineDeviceOrRelayUnavailableOrServiceUnavailable: {
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
                "application/problem+json": components["schemas"]["NoOnlineDeviceProblem"] | components["schemas"]["RelayUnavailableProblem"] | components["schemas"]["ServiceUnavailableProblem"];
            };
        };
        /** @description `not_acceptable`: `Accept` names nothing that there is. */
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
        /** @description `not_acceptable`: `Accept` names nothing that there is. */
        NotAcceptableAnonymous: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["NotAcceptableProblem"];
            };
        };
        /** @description `not_found`: an id that is malformed, unknown or another account's. */
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
        /** @description What was sent is no form, lacks a parameter, has one twice, or is refused for what `error` says. */
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
        /** @description There is no such client, or its secret is another one. */
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
                 *       "error_description": "The body may hold at most 65536 bytes."
                 *     }
                 */
                "application/json": components["schemas"]["OAuthError"] & {
                    /** @enum {string} */
                    error?: "invalid_request";
                };
            };
        };
        /** @description This client has failed to authenticate too often from this address; a right secret is served all the same. */
        OAuthError429: {
            headers: {
                "Retry-After": components["headers"]["Retry-After"];
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
        /** @description A fault of the service. */
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
        /** @description What was sent is no form, lacks a parameter, has one twice, or is refused for what `error` says. */
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
                    /** @enum {string} */
                    error?: "invalid_request" | "invalid_grant" | "invalid_scope" | "unsupported_grant_type";
                };
            };
        };
        /** @description The client or the redirect URI is missing, repeated or unknown: the person is told, nobody else. */
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
        /** @description A fault of the service. */
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
        /** @description Whatever else goes wrong is a page for the person. */
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
        /** @description `payload_too_large`: a body of more than 1 MiB. */
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
        /** @description `rate_limited`: the account's bucket is empty, or the address has sent too many bad credentials. */
        RateLimited: {
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
                "application/problem+json": components["schemas"]["RateLimitedProblem"];
            };
        };
        /**
         * @description `rate_limited`: the account's bucket is empty, or the address has sent too many bad credentials.
         *
         *     `device_busy`: the device has as many calls in flight as it takes.
         */
        RateLimitedOrDeviceBusy: {
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
                "application/problem+json": components["schemas"]["RateLimitedProblem"] | components["schemas"]["DeviceBusyProblem"];
            };
        };
        /** @description `service_unavailable`: the instance is shutting down, or cannot reach its database. */
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
        /** @description `service_unavailable`: the instance is shutting down, or cannot reach its database. */
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
        /** @description `timeout`: the device did not answer in time. */
        Timeout: {
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
        /** @description `unsupported_media_type`: a body that is not application/json in UTF-8. */
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
        /** @description `nextCursor` of the page before, unchanged. It carries the filters it was made with: they may be left out, and given they must be equal. It does not expire. */
        cursor: string;
        /**
         * @description One execution for all calls of this credential with the same key, method and path: for 24 hours the first answer that shows that something happened is given again, with `Idempotency-Replayed: true`.
         * @example 5f1c7f0e-8a57-4c0e-9d3e-0d8f5f0a3b61
         */
        "Idempotency-Key": string;
        /**
         * @description An ETag of this resource: 304 while it is the same (RFC 9110 §13.1.2).
         * @example W/"1f4-2jmj7l5rSw0yVb"
         */
        "If-None-Match": string;
        /**
         * @description How many on a page: 1 or more; above 200 it is clamped to 200.
         * @example 20
         */
        limit: number;
        /** @description Which end the list begins at: `desc`, the newest first, or `asc`. */
        order: "asc" | "desc";
    };
    requestBodies: never;
    headers: {
        /**
         * @description Weak validator for If-None-Match (RFC 9110 §8.8.3).
         * @example W/"1f4-2jmj7l5rSw0yVb"
         */
        ETag: string;
        /**
         * @description Where the browser goes next (RFC 9110 §10.2.2).
         * @example https://app.example/callback?code=2YotnFZFEjr1zCsicMWpAA&iss=https%3A%2F%2Fapi.test&state=xyz
         */
        Location: string;
        /**
         * @description Present when this is the kept answer of an earlier call with the same Idempotency-Key.
         * @example true
         */
        "Optional-Idempotency-Replayed": "true";
        /**
         * @description The bucket, what is left and the seconds until its window ends (same draft).
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
         * @description Calls per window of the bucket that this call drew on.
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
         * @description The bucket, what is left and the seconds until its window ends (same draft).
         * @example "metadata";r=599;t=37
         */
        RateLimit: string;
        /**
         * @description The bucket, its quota and its window in seconds (IETF draft-ietf-httpapi-ratelimit-headers).
         * @example "metadata";q=600;w=60
         */
        "RateLimit-Policy": string;
        /**
         * @description Whole seconds after which to try again (RFC 9110 §10.2.3).
         * @example 37
         */
        "Retry-After": number;
        /**
         * @description The challenge (RFC 6750 §3).
         * @example Bearer realm="external-api", error="invalid_token", error_description="The token has expired."
         */
        "WWW-Authenticate": string;
        /**
         * @description Calls per window of the bucket that this call drew on.
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
         * @description Names this call, in logs too; to be quoted when asking for help.
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
                /** @description Unix ms, inclusive. */
                createdSince?: number;
                /** @description `nextCursor` of the page before, unchanged. It carries the filters it was made with: they may be left out, and given they must be equal. It does not expire. */
                cursor?: components["parameters"]["cursor"];
                /**
                 * @description How many on a page: 1 or more; above 200 it is clamped to 200.
                 * @example 20
                 */
                limit?: components["parameters"]["limit"];
                /** @description Only those of exactly this media type. */
                mediaType?: string;
                /** @description Which end the list begins at: `desc`, the newest first, or `asc`. */
                order?: components["parameters"]["order"];
                /** @description Only those of this session. */
                sessionId?: string;
                /** @description Unix ms, inclusive. */
                updatedSince?: number;
            };
            header?: {
                /**
                 * @description An ETag of this resource: 304 while it is the same (RFC 9110 §13.1.2).
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
                         * @description For the next page; null on the last one.
                         * @example eyJ2IjoxfQ.b3BhcXVl
                         */
                        nextCursor: string | null;
                    };
                };
            };
            /** @description Not modified since the answer of that ETag. */
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
                 * @description An ETag of this resource: 304 while it is the same (RFC 9110 §13.1.2).
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
            /** @description Not modified since the answer of that ETag. */
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
                /** @description Which of the two, where both are granted; plaintext where there is one, unless asked otherwise. */
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
    listMachines: {
        parameters: {
            query?: {
                /** @description `nextCursor` of the page before, unchanged. It carries the filters it was made with: they may be left out, and given they must be equal. It does not expire. */
                cursor?: components["parameters"]["cursor"];
                /**
                 * @description How many on a page: 1 or more; above 200 it is clamped to 200.
                 * @example 20
                 */
                limit?: components["parameters"]["limit"];
                /** @description Which end the list begins at: `desc`, the newest first, or `asc`. */
                order?: components["parameters"]["order"];
                /** @description Only those in this state. */
                state?: "online" | "offline";
            };
            header?: {
                /**
                 * @description An ETag of this resource: 304 while it is the same (RFC 9110 §13.1.2).
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
                         * @description For the next page; null on the last one.
                         * @example eyJ2IjoxfQ.b3BhcXVl
                         */
                        nextCursor: string | null;
                    };
                };
            };
            /** @description Not modified since the answer of that ETag. */
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
                 * @description An ETag of this resource: 304 while it is the same (RFC 9110 §13.1.2).
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
            /** @description Not modified since the answer of that ETag. */
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
    invokeMachine: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description One execution for all calls of this credential with the same key, method and path: for 24 hours the first answer that shows that something happened is given again, with `Idempotency-Replayed: true`.
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
            /** @description The command's end, as the device reports it. */
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
            403: components["responses"]["InsufficientScopeOrForbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            409: components["responses"]["IdempotencyInProgress"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["RateLimitedOrDeviceBusy"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["DeviceErrorOrDeviceDisconnected"];
            503: components["responses"]["NoOnlineDeviceOrRelayUnavailableOrServiceUnavailable"];
            504: components["responses"]["Timeout"];
        };
    };
    getMe: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description An ETag of this resource: 304 while it is the same (RFC 9110 §13.1.2).
                 * @example W/"1f4-2jmj7l5rSw0yVb"
                 */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The token, its account, its limits. */
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
                     *             "maxStorageBytes": 1073741824
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
            /** @description Not modified since the answer of that ETag. */
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
                 * @description `S256`; may be left out.
                 * @example S256
                 */
                code_challenge_method?: "S256";
                /**
                 * @description One that the app has registered, byte for byte; of http on loopback any port.
                 * @example https://app.example/callback
                 */
                redirect_uri: string;
                /**
                 * @description `code`; may be left out.
                 * @example code
                 */
                response_type?: "code";
                /**
                 * @description Separated by spaces; not `machines:invoke` and `machines:invoke:verified`.
                 * @example sessions:read usage:read
                 */
                scope: string;
                /**
                 * @description Comes back as it is, byte for byte.
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
            /** @description To the question, or back to the app with an error. */
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
            /** @description The token, or `active: false` alone. */
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
            /** @description It does not work, or never did. */
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
                 *       "code_verifier": "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk",
                 *       "refresh_token": "svc_ort_0123456789ABCDEFGHIJKLMNOPQRST0a1b2c",
                 *       "scope": "sessions:read"
                 *     }
                 */
                "application/x-www-form-urlencoded": components["schemas"]["TokenForm"];
            };
        };
        responses: {
            /** @description An access token for an hour and the next refresh token. */
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
                 * @description An ETag of this resource: 304 while it is the same (RFC 9110 §13.1.2).
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
            /** @description Not modified since the answer of that ETag. */
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
                /** @description Unix ms, inclusive. */
                createdSince?: number;
                /** @description Unix ms, exclusive. */
                createdUntil?: number;
                /** @description `nextCursor` of the page before, unchanged. It carries the filters it was made with: they may be left out, and given they must be equal. It does not expire. */
                cursor?: components["parameters"]["cursor"];
                /**
                 * @description How many on a page: 1 or more; above 200 it is clamped to 200.
                 * @example 20
                 */
                limit?: components["parameters"]["limit"];
                /** @description Only those on this machine. */
                machineId?: string;
                /** @description Which end the list begins at: `desc`, the newest first, or `asc`. */
                order?: components["parameters"]["order"];
                /** @description Only those in this state. */
                state?: "active" | "ended";
                /** @description Only the one of this name. */
                tag?: string;
                /** @description Unix ms, inclusive. */
                updatedSince?: number;
            };
            header?: {
                /**
                 * @description An ETag of this resource: 304 while it is the same (RFC 9110 §13.1.2).
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
                         * @description For the next page; null on the last one.
                         * @example eyJ2IjoxfQ.b3BhcXVl
                         */
                        nextCursor: string | null;
                    };
                };
            };
            /** @description Not modified since the answer of that ETag. */
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
                 * @description An ETag of this resource: 304 while it is the same (RFC 9110 §13.1.2).
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
            /** @description Not modified since the answer of that ETag. */
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
    listMessages: {
        parameters: {
            query?: {
                /** @description Only those with a larger `seq`. */
                afterSeq?: number;
                /** @description Only those with a smaller `seq`. */
                beforeSeq?: number;
                /** @description `nextCursor` of the page before, unchanged. It carries the filters it was made with: they may be left out, and given they must be equal. It does not expire. */
                cursor?: components["parameters"]["cursor"];
                /**
                 * @description How many on a page: 1 or more; above 200 it is clamped to 200.
                 * @example 20
                 */
                limit?: components["parameters"]["limit"];
                /** @description Which end the list begins at: `desc`, the newest first, or `asc`. */
                order?: components["parameters"]["order"];
                /** @description Only those by this author. */
                role?: "user" | "assistant" | "system" | "tool";
            };
            header?: {
                /**
                 * @description An ETag of this resource: 304 while it is the same (RFC 9110 §13.1.2).
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
                     *           "createdAt": 1788255000000
                     *         }
                     *       ],
                     *       "nextCursor": "eyJ2IjoxfQ.b3BhcXVl"
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["Message"][];
                        /**
                         * @description For the next page; null on the last one.
                         * @example eyJ2IjoxfQ.b3BhcXVl
                         */
                        nextCursor: string | null;
                    };
                };
            };
            /** @description Not modified since the answer of that ETag. */
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
                 * @description One execution for all calls of this credential with the same key, method and path: for 24 hours the first answer that shows that something happened is given again, with `Idempotency-Replayed: true`.
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
                     *         "messageId": "msg_01m7xsah51f6ctt8c84t8wbh7e"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["RelayReply"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["MissingTokenOrInvalidToken"];
            403: components["responses"]["InsufficientScopeOrForbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            409: components["responses"]["IdempotencyInProgressOrSessionNotActive"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["RateLimitedOrDeviceBusy"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["DeviceErrorOrDeviceDisconnected"];
            503: components["responses"]["NoOnlineDeviceOrRelayUnavailableOrServiceUnavailable"];
            504: components["responses"]["Timeout"];
        };
    };
    getMessageContent: {
        parameters: {
            query?: {
                /** @description Which of the two, where both are granted; plaintext where there is one, unless asked otherwise. */
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
                messageId: string;
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
    getUsage: {
        parameters: {
            query?: {
                /** @description `nextCursor` of the page before, unchanged. It carries the filters it was made with: they may be left out, and given they must be equal. It does not expire. */
                cursor?: components["parameters"]["cursor"];
                /** @description Unix ms, inclusive; 30 days before `to` unless given. */
                from?: number;
                /** @description How long a period is; a day unless given. */
                granularity?: "hour" | "day";
                /** @description A comma list of bucket, token and operation. */
                groupBy?: string;
                /**
                 * @description How many on a page: 1 or more; above 200 it is clamped to 200.
                 * @example 20
                 */
                limit?: components["parameters"]["limit"];
                /** @description Which end the list begins at: `desc`, the newest first, or `asc`. */
                order?: components["parameters"]["order"];
                /** @description Unix ms, exclusive; now unless given. */
                to?: number;
            };
            header?: {
                /**
                 * @description An ETag of this resource: 304 while it is the same (RFC 9110 §13.1.2).
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
                         * @description For the next page; null on the last one.
                         * @example eyJ2IjoxfQ.b3BhcXVl
                         */
                        nextCursor: string | null;
                    };
                };
            };
            /** @description Not modified since the answer of that ETag. */
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
    listWebhooks: {
        parameters: {
            query?: {
                /** @description `nextCursor` of the page before, unchanged. It carries the filters it was made with: they may be left out, and given they must be equal. It does not expire. */
                cursor?: components["parameters"]["cursor"];
                /** @description Only those that this event type is delivered to, `*` among them. */
                event?: "session.created" | "session.updated" | "session.ended" | "session.deleted" | "message.created" | "machine.registered" | "machine.online" | "machine.offline" | "artifact.created" | "artifact.updated" | "artifact.deleted" | "key_grant.created" | "key_grant.revoked" | "token.created" | "token.revoked" | "token.expiring" | "relay.completed" | "relay.failed" | "webhook.test" | "*";
                /**
                 * @description How many on a page: 1 or more; above 200 it is clamped to 200.
                 * @example 20
                 */
                limit?: components["parameters"]["limit"];
                /** @description Which end the list begins at: `desc`, the newest first, or `asc`. */
                order?: components["parameters"]["order"];
                /** @description Only those in this state. */
                state?: "active" | "paused" | "disabled";
            };
            header?: {
                /**
                 * @description An ETag of this resource: 304 while it is the same (RFC 9110 §13.1.2).
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
                     *         "machine.registered",
                     *         "machine.online",
                     *         "machine.offline",
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
                     *         "webhook.test"
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookPage"];
                };
            };
            /** @description Not modified since the answer of that ETag. */
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
                 * @description One execution for all calls of this credential with the same key, method and path: for 24 hours the first answer that shows that something happened is given again, with `Idempotency-Replayed: true`.
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
            409: components["responses"]["IdempotencyInProgressOrConflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getWebhook: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description An ETag of this resource: 304 while it is the same (RFC 9110 §13.1.2).
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
            /** @description Not modified since the answer of that ETag. */
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
            /** @description It is gone. */
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
            503: components["responses"]["ServiceUnavailable"];
        };
    };
}
