import type { PermissionRequestReport } from '@external-api/protocol';
import { findPermissionReportViolations } from './permission-report-rules';

const pending: PermissionRequestReport = {
  revision: 1,
  turnLocalId: 'req_1',
  kind: 'execute',
  options: [
    { optionId: 'o1', kind: 'allow_once' },
    { optionId: 'o2', kind: 'allow_always' },
    { optionId: 'o3', kind: 'reject_once' },
  ],
  content: 'jwe',
  expiresAt: 2_000,
  state: 'pending',
  optionId: null,
  decidedAt: null,
};
const allowed: PermissionRequestReport = { ...pending, state: 'allowed', optionId: 'o1', decidedAt: 1_000 };
const rejected: PermissionRequestReport = { ...allowed, state: 'rejected', optionId: 'o3' };
const question: PermissionRequestReport = { ...pending, kind: 'question', options: [] };
const answered: PermissionRequestReport = { ...question, state: 'allowed', decidedAt: 1_000 };

describe('a report of a permission request', () => {
  it.each<[string, PermissionRequestReport]>([
    ['that is pending', pending],
    ['that was allowed once', allowed],
    ['that was allowed always', { ...allowed, optionId: 'o2' }],
    ['that was rejected', rejected],
    ['that expired', { ...pending, state: 'expired' }],
    ['that the device rejected when it expired', { ...rejected, state: 'expired' }],
    ['that was cancelled', { ...pending, state: 'cancelled' }],
    ['of a question', question],
    ['of a question that was answered', answered],
    ['of a question that was declined', { ...answered, state: 'rejected' }],
    ['of a tool call of the kind question', { ...pending, kind: 'question' }],
    ['that was cancelled at a known time', { ...pending, state: 'cancelled', decidedAt: 1_000 }],
  ])('%s is accepted', (_, report) => {
    expect(findPermissionReportViolations(report)).toEqual([]);
  });

  it.each<[string, PermissionRequestReport, string]>([
    ['no options for a tool call', { ...pending, options: [] }, '/options'],
    ['an answered question and an option', { ...answered, optionId: 'o1' }, '/optionId'],
    ['an answered question and no time', { ...answered, decidedAt: null }, '/decidedAt'],
    ['an option while it is pending', { ...pending, optionId: 'o1' }, '/optionId'],
    ['an option that was not offered', { ...allowed, optionId: 'o4' }, '/optionId'],
    ['an allowed request and no option', { ...allowed, optionId: null }, '/optionId'],
    ['a rejected request and no option', { ...rejected, optionId: null }, '/optionId'],
    ['an allowed request and an option that rejects', { ...allowed, optionId: 'o3' }, '/optionId'],
    ['a rejected request and an option that allows', { ...rejected, optionId: 'o1' }, '/optionId'],
    ['an expired request and an option that allows', { ...allowed, state: 'expired' }, '/optionId'],
    ['a cancelled request and an option', { ...rejected, state: 'cancelled' }, '/optionId'],
    ['a decision while it is pending', { ...pending, decidedAt: 1_000 }, '/decidedAt'],
    ['an allowed request and no time', { ...allowed, decidedAt: null }, '/decidedAt'],
    ['a rejected request and no time', { ...rejected, decidedAt: null }, '/decidedAt'],
  ])('with %s has a violation', (_, report, path) => {
    expect(findPermissionReportViolations(report)).toEqual([
      expect.objectContaining({ in: 'body', path, code: 'not_allowed' }),
    ]);
  });
});
