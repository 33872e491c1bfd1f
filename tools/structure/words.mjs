/** Words that tools/check-structure.mjs checks names for (docs/glossary.md#rules-for-names). */

/** Role words, one of which must be the last word of an injectable's name. */
export const ROLE_WORDS = new Set(
  `Adapter Agent Authorizer Builder Bus Cache Cipher Cleanup Client Clock Codec Collector Config Controller Detector
   Dispatcher Exporter Factory Filter Gateway Guard Handler Interceptor Lease Limiter Metrics Middleware Module
   Monitor Pipe Policy Provider Publisher Quota Reader Reconciler Recorder Registry Repository Resolver Runner
   Scheduler Sender Server Service Store Strategy Task Validator Verifier Watcher Worker Writer`.split(/\s+/),
);

/** Words that the glossary retired. Only declared names are checked, not prose, strings or names on the wire. */
export const RETIRED_WORDS = new Set(
  `lane lanes tries finisher remains sweep viewers standing turnstile ticker nudge unhurried shape fault faults draw
   keyed vault reseal renewall ownerwatch originwatch hint hints judge told kept answerers seam mendable patience
   yardstick lab deed rig hardships`.split(/\s+/),
);

/**
 * Names on the wire and of others: a limit and its setting, an error code, a field of calls between instances, a field
 * of `xapi-device read --json`, RFC 7009 §2.1, the usual hint below a form field, and an option of Node.js's resolver.
 */
export const WIRE_NAMES = new Set([
  'answer_not_kept',
  'fault',
  'hint',
  'keyed',
  'maxKeptAnswerBytes',
  'PLAN_MAX_KEPT_ANSWER_BYTES',
  'token_type_hint',
  'tries',
]);
