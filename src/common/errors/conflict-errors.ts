/** Documentation of an error code. */
export interface ErrorDefinition {
  status: number;
  title: string;
  /** Clause that completes "The service returns this error when". */
  when: string;
  /** What the caller can do or should know, in full sentences. */
  advice?: string;
  /** A `detail` as the API returns it. */
  exampleDetail: string;
}

/** Errors with the status 409, in the order of the catalog. */
export const CONFLICT_ERRORS = {
  conflict: {
    status: 409,
    title: 'Conflict',
    when: 'the resource is not in the state that the request requires',
    advice: 'For versioned resources, the member `current` has the current version.',
    exampleDetail: 'The resource has changed meanwhile.',
  },
  session_not_active: {
    status: 409,
    title: 'Session not active',
    when: 'the session has ended',
    advice: 'Messages can only be sent to active sessions.',
    exampleDetail: 'The session has ended. Messages can only be sent to active sessions.',
  },
  session_busy: {
    status: 409,
    title: 'Session busy',
    when: 'a message with `ifBusy` `reject` finds the agent at work',
    advice: 'Send the message later, or with another `ifBusy`.',
    exampleDetail: 'The agent works, or another message waits for it. Nothing was sent.',
  },
  steer_unsupported: {
    status: 409,
    title: 'Steering unsupported',
    when: 'a message with `ifBusy` `steer` can not join the running turn',
    advice: 'Send it with another `ifBusy`.',
    exampleDetail: "The message can't join the running turn. Queue it, or interrupt the turn.",
  },
  permission_not_pending: {
    status: 409,
    title: 'Permission not pending',
    when: 'the permission request is decided, expired or cancelled',
    advice: 'The decision was not executed. Only the first one counts.',
    exampleDetail: 'The permission request is no longer pending.',
  },
  idempotency_in_progress: {
    status: 409,
    title: 'Idempotency in progress',
    when: 'the first call with this Idempotency-Key is still running',
    advice: 'Wait, then retry.',
    exampleDetail: 'The first call with this Idempotency-Key is still running.',
  },
  answer_not_kept: {
    status: 409,
    title: 'Answer not kept',
    when: 'the response of the first call with this Idempotency-Key was not stored; the call is not run again',
    advice: 'The member `firstStatus` has the status of that response.',
    exampleDetail:
      'The first call with this Idempotency-Key was answered with status 200. The answer was not kept, because the ' +
      'account keeps as many bytes of answers as its plan allows. The call is not run again.',
  },
} as const satisfies Record<string, ErrorDefinition>;
