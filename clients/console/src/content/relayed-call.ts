import { shortenText } from '@external-api/protocol/portable';
import { formatRetryTime, ServiceError, UnreachableError } from '../lib/api-client';
import { showInvisibleCharacters } from '../lib/visible-text';
import type { AccountApi } from './account-api';

const SIGNED_OUT = 'You are signed out. Reload the page to sign in.';

/** Sentences for the codes of errors after which nothing has happened. */
const REFUSALS: Record<string, string> = {
  no_online_device: 'The machine is offline, so nothing was sent to it. Try again when it is online.',
  device_busy: 'The machine has too much to do, so nothing was sent to it. Try again in a few seconds.',
  too_many_streams: 'Too many pages of your account are open. Close one of them and try again.',
  session_busy: 'The agent is working, so nothing was sent. Try again when its turn has ended.',
  steer_unsupported:
    'This agent takes no messages while it works, so nothing was sent. Queue the message, or interrupt the turn.',
  relay_unavailable: 'The service can’t reach machines at the moment, so nothing was sent. Try again in a few seconds.',
  idempotency_in_progress: 'The first attempt is still running. Wait a moment and try again.',
  answer_not_kept: 'It was done before, but the answer was not stored. Reload the page.',
};

/** Sentences for errors that the machine's device reports. */
const DEVICE_ERRORS: Record<string, string> = {
  agent_not_found: 'The machine doesn’t have this agent, or its program isn’t installed.',
  agent_auth_required: 'The agent has to be signed in on the machine first.',
  agent_start_failed: 'The agent could not be started.',
  agent_unsupported: 'The agent can’t do this with its own sessions.',
  agent_session_not_found: 'The agent no longer has this session. Show the list again.',
  mode_not_found: 'The agent doesn’t have this mode.',
  option_not_found: 'The agent doesn’t have this option.',
  option_value_not_found: 'The agent’s option doesn’t have this value.',
  option_refused: 'The agent has refused this value.',
  options_unknown:
    'The agent hasn’t run since the program on its machine was started. Send a message, which starts it.',
  agent_mode_unsafe: 'The agent has no mode that is known to ask before it acts, or its owner refuses this one.',
  cwd_not_found: 'This folder doesn’t exist on the machine.',
  cwd_not_allowed: 'The machine doesn’t allow this folder. Its option --allow-cwd names those that it allows.',
  attachment_unsupported: 'The machine can’t pass the attached files on to the agent.',
  session_exists: 'There is a session with this tag, or one that continues the same session of the agent.',
  command_not_found: 'The machine doesn’t have this command.',
  permission_denied: 'The operating-system user of the machine may not run this command.',
  output_not_found: 'The machine no longer has the output. It deletes it 24 hours after the end.',
};

/** Errors whose cause only the device's own text names. */
const UNCLEAR_ERRORS = new Set(['agent_not_found', 'agent_start_failed']);
/** Maximum length of the device's own text that is shown. An agent's last lines may be long. */
const MAX_CAUSE_LENGTH = 1_000;

/** Whether a call may have taken effect although no success was reported. */
export function isOutcomeUnknown(error: unknown): boolean {
  if (error instanceof UnreachableError) return true;
  if (!(error instanceof ServiceError)) return false;
  if (error.outcome) return error.outcome === 'unknown';
  return error.code === 'idempotency_in_progress' || error.status >= 500;
}

/**
 * Returns an error of a relayed call as a sentence.
 * @param unknownText says what to do if nobody knows whether the call took effect
 */
export function explainCallError(error: unknown, unknownText: string): string {
  if (!(error instanceof ServiceError)) return isOutcomeUnknown(error) ? unknownText : toMessage(error);
  if (error.status === 401) return SIGNED_OUT;
  if (error.code === 'rate_limited')
    return `There are too many calls at the moment, so nothing was sent. Try again ${formatRetryTime(error)}.`;
  const known = REFUSALS[error.code ?? ''] ?? explainDeviceError(error);
  return known ?? (isOutcomeUnknown(error) ? unknownText : error.message);
}

function explainDeviceError({ deviceErrorCode = '', deviceErrorMessage = '' }: ServiceError): string | undefined {
  const known = DEVICE_ERRORS[deviceErrorCode];
  if (!UNCLEAR_ERRORS.has(deviceErrorCode) || deviceErrorMessage === '') return known;
  return `${known} The machine says: ${showInvisibleCharacters(shortenText(deviceErrorMessage, MAX_CAUSE_LENGTH))}`;
}

const toMessage = (error: unknown): string =>
  error instanceof Error ? error.message : 'Something went wrong. Reload the page.';

/**
 * Whether the service repeats this answer to the same key, so that another attempt needs another one. Any other error
 * frees the key, or comes from an earlier check, such as the rate limit, and says nothing about an earlier attempt.
 */
const isStoredAnswer = (error: unknown): boolean =>
  error instanceof ServiceError && (error.outcome === 'answered' || error.outcome === 'unknown');

/**
 * A call that a person may repeat: with the same body it has the same Idempotency-Key until the service has an answer
 * to it, so that a lost response doesn't make it run twice.
 */
export class RepeatableCall {
  private request = '';
  private idempotencyKey = '';

  /** @throws ServiceError @throws UnreachableError */
  async post<T>(api: AccountApi, path: string, body: object): Promise<T> {
    const request = JSON.stringify([path, body]);
    if (request !== this.request) this.idempotencyKey = crypto.randomUUID();
    this.request = request;
    try {
      const response = await api.post<T>(path, body, this.idempotencyKey);
      this.request = '';
      return response;
    } catch (error) {
      if (isStoredAnswer(error)) this.request = '';
      throw error;
    }
  }
}
