/** Generated from docs/protocol/device-openapi.json by npm run generate; not edited by hand. */
export type paths = Record<string, never>;
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        Account: {
            /** @description Version of the content key, from 1. */
            contentKeyVersion: number;
            /** @description Public X25519 key as a JWK (RFC 8037 §2). */
            contentPublicKey: {
                /** @enum {string} */
                crv: "X25519";
                /** @enum {string} */
                kty: "OKP";
                /** @description base64url of the 32 bytes of the key. */
                x: string;
            };
            createdAt: number;
            id: string;
            /** @enum {string} */
            object: "account";
            plan: components["schemas"]["Plan"];
            username: string;
        };
        AgentOption: {
            /** @description `mode`, `model`, `thought_level` or another one of the agent; null if it names none. */
            category: string | null;
            id: string;
        };
        AppSecret: {
            createdAt: number;
            /** @description When the secret expires; null if it does not expire. */
            expiresAt: number | null;
            id: string;
            /** @description Last characters of the secret. */
            last4: string;
            lastUsedAt: number | null;
        };
        Artifact: {
            /** @description Whether a key grant currently allows this caller to read the content. */
            contentGranted: boolean;
            createdAt: number;
            id: string;
            /** @description Id of the data key that encrypts the content. */
            keyId: string;
            /** @description Media type of the plaintext, as declared by its device. */
            mediaType: string;
            /** @enum {string} */
            object: "artifact";
            /** @description Session that produced the artifact, if any. */
            sessionId: string | null;
            /** @description Size of the ciphertext in bytes. */
            sizeBytes: number;
            /** @description Name given by its device, unique within the account. */
            tag: string;
            updatedAt: number;
            /** @description Version of the content, from 1. */
            version: number;
        };
        DataKey: {
            /** @description Id of the key, 1 to 128 visible ASCII characters. */
            kid: string;
            /** @description Compact JWE of the key. */
            sealed: string;
        };
        /** @description Piece of the message that an agent is writing, or what else it is doing, in the requested encoding. */
        DeltaLiveEvent: {
            /** @description Text for `message` and `thought`. JSON text for `tool` and `plan`, which replaces an earlier one. */
            content: string;
            /**
             * @description Absent for `message`. Only kinds that `deltas` asks for. Known values, to which others may be added: `message`, `thought`, `tool`, `plan`.
             * @enum {string}
             */
            kind?: "message" | "thought" | "tool" | "plan";
            localId: string;
            n: number;
            sessionId: string;
            turnId: string;
        };
        DeveloperApp: {
            /** @description Number of people who have authorized the app. */
            activeUsers: number;
            clientId: string;
            createdAt: number;
            description: string | null;
            homepageUrl: string | null;
            name: string;
            /** @enum {string} */
            object: "app";
            redirectUris: string[];
            secrets: components["schemas"]["AppSecret"][];
            /**
             * @description `suspended`: an operator of the service has stopped the app. Its developer cannot enable it. Known values, to which others may be added: `active`, `disabled`, `suspended`.
             * @enum {string}
             */
            state: "active" | "disabled" | "suspended";
            updatedAt: number;
        };
        Device: {
            createdAt: number;
            /** @description What people compare when they pair the device. */
            fingerprint: string;
            id: string;
            /**
             * @description Known values, to which others may be added: `account`, `machine`.
             * @enum {string}
             */
            kind: "account" | "machine";
            /** @description Time of the last sign-in, connection or call. For calls it is updated at most once a minute. */
            lastSeenAt: number | null;
            name: string;
            /** @enum {string} */
            object: "device";
            platform: string;
            /**
             * @description Known values, to which others may be added: `online`, `offline`, `revoked`.
             * @enum {string}
             */
            state: "online" | "offline" | "revoked";
        };
        DeviceArtifact: {
            /** @description Compact JWE. */
            content: string;
            /** @description Whether a key grant currently allows this caller to read the content. */
            contentGranted: boolean;
            createdAt: number;
            dataKey: components["schemas"]["DataKey"];
            /** @description Device that created the artifact. */
            hostDeviceId: string | null;
            id: string;
            /** @description Id of the data key that encrypts the content. */
            keyId: string;
            /** @description Media type of the plaintext, as declared by its device. */
            mediaType: string;
            /** @enum {string} */
            object: "artifact";
            /** @description Session that produced the artifact, if any. */
            sessionId: string | null;
            /** @description Size of the ciphertext in bytes. */
            sizeBytes: number;
            /** @description Name given by its device, unique within the account. */
            tag: string;
            updatedAt: number;
            /** @description Version of the content, from 1. */
            version: number;
        };
        DeviceMessage: {
            /** @description Compact JWE. */
            content: string;
            createdAt: number;
            id: string;
            /** @description Id of the data key that encrypts the content. */
            keyId: string;
            /** @description Id chosen by the writing device. */
            localId: string;
            /** @enum {string} */
            object: "message";
            /**
             * @description Known values, to which others may be added: `tool`, `user`, `assistant`, `system`.
             * @enum {string}
             */
            role: "tool" | "user" | "assistant" | "system";
            /** @description Sequence number within the session, from 1 without gaps. */
            seq: number;
            sessionId: string;
            /** @description Size of the ciphertext in bytes. */
            sizeBytes: number;
            /** @description Turn of the agent that the message belongs to, if declared. */
            turnId: string | null;
        };
        DevicePermissionRequest: {
            /** @description Compact JWE; null once it is deleted. */
            content: string | null;
            createdAt: number;
            decidedAt: number | null;
            /** @description Who decided; null if nobody has, or if the device decided by itself. */
            decidedBy: components["schemas"]["PermissionDecider"] | null;
            /** @description From then on the request counts as rejected. */
            expiresAt: number;
            id: string;
            /** @description Id of the data key that encrypts the content. */
            keyId: string;
            /** @description Kind of the tool call, as the agent declares it. `question` without `options`: a question, which is answered. */
            kind: string;
            /** @description Id chosen by the device of the turn. */
            localId: string;
            /** @enum {string} */
            object: "permission_request";
            /** @description Option that was chosen, if any. */
            optionId: string | null;
            /** @description What the agent offers, in its order. Empty for a question. */
            options: components["schemas"]["PermissionOption"][];
            /** @description Highest revision that the device has reported. */
            revision: number;
            sessionId: string;
            /**
             * @description `expired` as soon as `expiresAt` is past. An answered question is `allowed`, a declined one `rejected`. Known values, to which others may be added: `pending`, `allowed`, `rejected`, `expired`, `cancelled`.
             * @enum {string}
             */
            state: "pending" | "allowed" | "rejected" | "expired" | "cancelled";
            turnId: string;
        };
        DeviceSession: {
            /**
             * @description What the session's agent does, from its open turns. Known values, to which others may be added: `running`, `idle`, `requires_action`.
             * @enum {string}
             */
            activity: "running" | "idle" | "requires_action";
            /** @description Agent that works in the session, if declared. */
            agent: components["schemas"]["SessionAgent"] | null;
            /** @description Whether a key grant currently allows this caller to read the content. */
            contentGranted: boolean;
            /** @description How full the context of the agent's model was after the last turn; null if the agent doesn't say. */
            context: components["schemas"]["SessionContext"] | null;
            createdAt: number;
            dataKey: components["schemas"]["DataKey"];
            endedAt: number | null;
            /** @description Device that created the session. */
            hostDeviceId: string | null;
            id: string;
            lastActiveAt: number;
            /** @description `seq` of the newest message; 0 if there is none. */
            lastSeq: number;
            /** @description Machine that the session runs on, if declared. */
            machineId: string | null;
            messageCount: number;
            /** @description Compact JWE; null if the device stored none. */
            metadata: string | null;
            /** @enum {string} */
            object: "session";
            /**
             * @description State of the session. Messages can only be sent to active sessions. Known values, to which others may be added: `active`, `ended`.
             * @enum {string}
             */
            state: "active" | "ended";
            /** @description Name given by its device, unique within the account. */
            tag: string;
            updatedAt: number;
            /** @description Version of `metadata`, from 1. */
            version: number;
        };
        ExternalToken: {
            createdAt: number;
            /** @description When the token expires; null if it does not expire. */
            expiresAt: number | null;
            id: string;
            /** @description Last characters of the secret. */
            last4: string;
            /** @description When the token was last used. Updated at most once a minute. */
            lastUsedAt: number | null;
            /** @description Machines that the token is limited to; null if it may act on all machines of the account. */
            machineIds: string[] | null;
            name: string;
            /** @enum {string} */
            object: "token";
            /** @description First characters of the secret. */
            prefix: string;
            scopes: ("sessions:read" | "sessions:write" | "sessions:content" | "sessions:approve" | "machines:read" | "machines:invoke" | "machines:invoke:verified" | "artifacts:read" | "artifacts:content" | "artifacts:write" | "webhooks:manage" | "usage:read" | "profile:read")[];
            /**
             * @description Known values, to which others may be added: `expired`, `revoked`, `active`.
             * @enum {string}
             */
            state: "expired" | "revoked" | "active";
        };
        Invocation: {
            createdAt: number;
            endedAt: number | null;
            /**
             * @description Why the invocation failed, if it did. Known values, to which others may be added: `command_not_found`, `permission_denied`, `cwd_not_found`, `cwd_not_allowed`, `process_lost`, `internal`.
             * @enum {string|null}
             */
            errorCode: "command_not_found" | "permission_denied" | "cwd_not_found" | "cwd_not_allowed" | "process_lost" | "internal" | null;
            /** @description Exit code of the command; null while it runs, and if a signal ended it. */
            exitCode: number | null;
            id: string;
            machineId: string;
            /** @enum {string} */
            object: "invocation";
            /** @description Relayed call that began the invocation. */
            requestId: string;
            /** @description Signal that ended the command. */
            signal: string | null;
            startedAt: number | null;
            /**
             * @description Known values, to which others may be added: `starting`, `running`, `completed`, `cancelled`, `timed_out`, `failed`, `lost`.
             * @enum {string}
             */
            state: "starting" | "running" | "completed" | "cancelled" | "timed_out" | "failed" | "lost";
            /** @description Bytes that the command wrote to its standard error, known when it has ended. */
            stderrBytes: number;
            /** @description Bytes that the command wrote to its standard output, known when it has ended. */
            stdoutBytes: number;
            /** @description Whether the device ended the command because its time was up. */
            timedOut: boolean;
            /** @description Number of changes, from 1. */
            version: number;
        };
        KeyGrant: {
            /** @description Client id of the app that the grant is limited to, if any. */
            appId: string | null;
            /** @description Artifact of the grant; null for a grant of a session. */
            artifactId: string | null;
            createdAt: number;
            /** @description When the grant expires; null if it lasts until it is revoked. */
            expiresAt: number | null;
            id: string;
            /** @enum {string} */
            object: "key_grant";
            /** @description Recipient that can decrypt the sealed key. */
            recipient: "service" | components["schemas"]["RecipientKey"];
            /** @description `kid` of the recipient's key, else its thumbprint (RFC 7638). */
            recipientKeyId: string;
            /** @description Session of the grant; null for a grant of an artifact. */
            sessionId: string | null;
            /** @description Personal access token that the grant is limited to, if any. */
            tokenId: string | null;
        };
        Machine: {
            /** @description Agents that can be started on the machine. */
            agents: components["schemas"]["MachineAgent"][];
            appVersion: string | null;
            arch: string | null;
            /** @description Calls that its device serves: `session.message`, `session.cancel`, `session.permission`, `session.start`, `session.end`, `agent.sessions`, `machine.invoke`, `invocation`; and abilities such as `session.grant`, `session.options` and `session.busy`. */
            capabilities: string[];
            createdAt: number;
            id: string;
            /** @description When its device was last connected; null if it never was. */
            lastSeenAt: number | null;
            name: string;
            /** @enum {string} */
            object: "machine";
            platform: string;
            /**
             * @description Whether its device is connected. Only online machines receive calls. Known values, to which others may be added: `offline`, `online`.
             * @enum {string}
             */
            state: "offline" | "online";
            updatedAt: number;
        };
        MachineAgent: {
            /** @description Modes that the agent offers, such as those that ask before each tool. */
            modes: string[];
            /** @description Name to start it by. */
            name: string;
            /** @description Options that the agent offers. A session says which values they have. */
            options: components["schemas"]["AgentOption"][];
            title: string | null;
            version: string | null;
        };
        Pairing: {
            /** @description Code that a person enters on an account device. */
            code: string;
            expiresAt: number;
            id: string;
        };
        PairingStatus: {
            /** @description Username of the account that approved the device; null unless it has. */
            accountUsername: string | null;
            /**
             * @description Known values, to which others may be added: `pending`, `approved`, `denied`, `expired`.
             * @enum {string}
             */
            state: "pending" | "approved" | "denied" | "expired";
        };
        PendingPairing: {
            /** @description Network address that requested the pairing. */
            address: string;
            createdAt: number;
            /** @description Public X25519 key as a JWK (RFC 8037 §2). */
            encryptionKey: {
                /** @enum {string} */
                crv: "X25519";
                /** @enum {string} */
                kty: "OKP";
                /** @description base64url of the 32 bytes of the key. */
                x: string;
            };
            expiresAt: number;
            fingerprint: string;
            id: string;
            /**
             * @description Known values, to which others may be added: `account`, `machine`.
             * @enum {string}
             */
            kind: "account" | "machine";
            name: string;
            platform: string;
            /** @description Public Ed25519 key as a JWK (RFC 8037 §2). */
            publicKey: {
                /** @enum {string} */
                crv: "Ed25519";
                /** @enum {string} */
                kty: "OKP";
                /** @description base64url of the 32 bytes of the key. */
                x: string;
            };
        };
        PermissionDecider: {
            /** @description Account device; null if a token decided. */
            deviceId: string | null;
            /** @description Personal access token; null if a device decided. */
            tokenId: string | null;
        };
        PermissionOption: {
            /**
             * @description Known values, to which others may be added: `allow_once`, `allow_always`, `reject_once`, `reject_always`.
             * @enum {string}
             */
            kind: "allow_once" | "allow_always" | "reject_once" | "reject_always";
            optionId: string;
        };
        Plan: {
            limits: components["schemas"]["PlanLimits"];
            name: string;
        };
        PlanLimits: {
            maxApps: number;
            /** @description Number of devices, including revoked ones. */
            maxDevices?: number;
            /** @description Bytes of events, and of their deliveries to webhooks, per day (UTC). */
            maxEventBytesPerDay?: number;
            /** @description Maximum timeout of a command in milliseconds. */
            maxInvokeTimeoutMs: number;
            /** @description Bytes of responses stored for an `Idempotency-Key`. Beyond this limit only the status is stored. */
            maxKeptAnswerBytes?: number;
            maxKeyGrants?: number;
            maxPageSize: number;
            /** @description Maximum duration of a relayed call in milliseconds. */
            maxRelayWaitMs: number;
            maxRequestBytes: number;
            /** @description Bytes of stored sessions, messages and artifacts, including their metadata and data keys. */
            maxStorageBytes: number;
            maxTokens: number;
            maxWebhooks: number;
            /** @description Calls per minute, except relayed calls. */
            metadataPerMinute: number;
            /** @description Relayed calls per minute. */
            relayPerMinute: number;
        };
        PushSubscription: {
            createdAt: number;
            deviceId: string;
            events: ("permission.requested" | "turn.completed" | "turn.failed")[];
            id: string;
            /** @enum {string} */
            object: "push_subscription";
        };
        RecipientKey: {
            /** @enum {string} */
            crv: "X25519" | "P-256";
            kid?: string;
            /** @enum {string} */
            kty: "OKP" | "EC";
            x: string;
            /** @description Only for P-256. */
            y?: string;
        };
        SessionAgent: {
            /** @description Mode of the agent; null if it has none. */
            mode: string | null;
            name: string;
            title: string;
        };
        SessionContext: {
            /** @description Most tokens that fit. */
            size: number;
            used: number;
        };
        SignedInDevice: {
            account: components["schemas"]["Account"];
            device: components["schemas"]["Device"];
            /** @description Compact JWS that the device was approved with; null for the first device of an account. */
            enrollment: string | null;
            /** @description Device token. It is returned only once. */
            token: string;
            tokenExpiresAt: number;
        };
        Turn: {
            /** @description What the turn cost; null if the agent doesn't say. */
            cost: components["schemas"]["TurnCost"] | null;
            createdAt: number;
            /** @description Device that runs the turn. Cancellations and decisions go to it alone. */
            deviceId: string;
            endedAt: number | null;
            /**
             * @description Why the turn failed, if it did. Known values, to which others may be added: `agent_auth_required`, `agent_session_unavailable`, `agent_lost`, `agent_silent`, `agent_error`, `turn_timeout`.
             * @enum {string|null}
             */
            errorCode: "agent_auth_required" | "agent_session_unavailable" | "agent_lost" | "agent_silent" | "agent_error" | "turn_timeout" | null;
            /** @description Lowest `seq` of the turn's messages. Messages of other turns may lie between. */
            firstSeq: number | null;
            id: string;
            /** @description When the agent last did something, at most 15 s ago while it works; null if its device doesn't say. It changes without a new `version`. */
            lastActivityAt: number | null;
            /** @description Highest `seq` of the turn's messages. */
            lastSeq: number | null;
            /** @enum {string} */
            object: "turn";
            /**
             * @description What began the turn: a message, or the agent by itself. Known values, to which others may be added: `message`, `agent`.
             * @enum {string}
             */
            origin: "message" | "agent";
            /** @description Permission requests that wait for a decision. */
            pendingPermissions: number;
            /** @description Relayed call that began the turn; null if the agent did. */
            requestId: string | null;
            sessionId: string;
            startedAt: number | null;
            /**
             * @description Known values, to which others may be added: `queued`, `running`, `requires_action`, `completed`, `failed`, `cancelled`, `lost`.
             * @enum {string}
             */
            state: "queued" | "running" | "requires_action" | "completed" | "failed" | "cancelled" | "lost";
            /**
             * @description Why the agent stopped, if it did. Known values, to which others may be added: `end_turn`, `max_tokens`, `max_turn_requests`, `refusal`, `cancelled`.
             * @enum {string|null}
             */
            stopReason: "end_turn" | "max_tokens" | "max_turn_requests" | "refusal" | "cancelled" | null;
            updatedAt: number;
            /** @description Tokens that the agent used; null if it doesn't say. */
            usage: components["schemas"]["TurnUsage"] | null;
            /** @description Number of changes, from 1. */
            version: number;
        };
        TurnCost: {
            amount: number;
            /** @description Code of ISO 4217. */
            currency: string;
        };
        TurnUsage: {
            /** @description Input that the model read from a cache; null if the agent doesn't say. */
            cachedInputTokens: number | null;
            inputTokens: number;
            outputTokens: number;
            /** @description May contain tokens that the agent counts apart, such as those of a cache. */
            totalTokens: number;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type Account = components['schemas']['Account'];
export type AgentOption = components['schemas']['AgentOption'];
export type AppSecret = components['schemas']['AppSecret'];
export type Artifact = components['schemas']['Artifact'];
export type DataKey = components['schemas']['DataKey'];
export type DeltaLiveEvent = components['schemas']['DeltaLiveEvent'];
export type DeveloperApp = components['schemas']['DeveloperApp'];
export type Device = components['schemas']['Device'];
export type DeviceArtifact = components['schemas']['DeviceArtifact'];
export type DeviceMessage = components['schemas']['DeviceMessage'];
export type DevicePermissionRequest = components['schemas']['DevicePermissionRequest'];
export type DeviceSession = components['schemas']['DeviceSession'];
export type ExternalToken = components['schemas']['ExternalToken'];
export type Invocation = components['schemas']['Invocation'];
export type KeyGrant = components['schemas']['KeyGrant'];
export type Machine = components['schemas']['Machine'];
export type MachineAgent = components['schemas']['MachineAgent'];
export type Pairing = components['schemas']['Pairing'];
export type PairingStatus = components['schemas']['PairingStatus'];
export type PendingPairing = components['schemas']['PendingPairing'];
export type PermissionDecider = components['schemas']['PermissionDecider'];
export type PermissionOption = components['schemas']['PermissionOption'];
export type Plan = components['schemas']['Plan'];
export type PlanLimits = components['schemas']['PlanLimits'];
export type PushSubscription = components['schemas']['PushSubscription'];
export type RecipientKey = components['schemas']['RecipientKey'];
export type SessionAgent = components['schemas']['SessionAgent'];
export type SessionContext = components['schemas']['SessionContext'];
export type SignedInDevice = components['schemas']['SignedInDevice'];
export type Turn = components['schemas']['Turn'];
export type TurnCost = components['schemas']['TurnCost'];
export type TurnUsage = components['schemas']['TurnUsage'];
export type $defs = Record<string, never>;
export type operations = Record<string, never>;
