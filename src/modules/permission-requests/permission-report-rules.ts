import {
  isQuestion,
  QUESTION_KIND,
  type PermissionOptionKind,
  type PermissionRequestReport,
  type PermissionRequestState,
} from '@external-api/protocol';
import { DAY, MINUTE } from '../../common/clock';
import { bodyViolation, type RequestViolation } from '../../common/errors';

/** How far ahead a request may expire. The minute is for devices that know the service's time roughly. */
export const MAX_TIME_TO_EXPIRY_MS = DAY + MINUTE;

/** Kinds of options that may have led to each state. */
const SELECTABLE_KINDS: Record<PermissionRequestState, readonly PermissionOptionKind[]> = {
  pending: [],
  allowed: ['allow_once', 'allow_always'],
  rejected: ['reject_once', 'reject_always'],
  expired: ['reject_once', 'reject_always'],
  cancelled: [],
};

/** States in which somebody has selected an option. */
const DECIDED_STATES: readonly PermissionRequestState[] = ['allowed', 'rejected'];

/**
 * Returns a violation for each member that doesn't fit the others
 * (docs/protocol/agents.md#reports-of-permission-requests).
 */
export function findPermissionReportViolations(report: PermissionRequestReport): RequestViolation[] {
  const { state, options, optionId, decidedAt } = report;
  const violations: RequestViolation[] = [];
  const addViolation = (path: string, rule: string) => violations.push(bodyViolation(path, 'not_allowed', rule));
  if (options.length === 0 && !isQuestion(report))
    addViolation('/options', `must not be empty, except for the kind ${QUESTION_KIND}`);
  if (optionId !== null) {
    const option = options.find((offered) => offered.optionId === optionId);
    if (!option) addViolation('/optionId', 'must be one of the options');
    else if (!SELECTABLE_KINDS[state].includes(option.kind))
      addViolation('/optionId', `must not be of the kind ${option.kind} in the state ${state}`);
  } else if (DECIDED_STATES.includes(state) && options.length > 0) {
    addViolation('/optionId', 'must name the option that was selected');
  }
  if (DECIDED_STATES.includes(state) && decidedAt === null)
    addViolation('/decidedAt', 'must not be null once the request is decided');
  if (state === 'pending' && decidedAt !== null) addViolation('/decidedAt', 'must be null for a pending request');
  return violations;
}
