const CHALLENGE = 'e2e-embedded test/e2e/identity/challenge.spec.ts';
const ENROLLMENT = 'e2e-embedded test/e2e/identity/enrollment.spec.ts';
const CHALLENGES = 'src/modules/devices/identity/challenge.service.ts';
const ENROLLMENTS = 'src/modules/devices/pairing/enrollment-validation.ts';

/** Challenges, pairing and enrollment of devices. */
export default [
  {
    id: 'D1',
    breaks: 'A pairing code never expires.',
    file: 'src/modules/devices/pairing/pairings.repository.ts',
    find: ".andWhere('p.expiresAt > :now', { now })",
    replace: '',
    suites: ['e2e-embedded test/e2e/identity/pairing.spec.ts'],
  },
  {
    id: 'D2',
    breaks: 'An enrollment may hand over another content key.',
    file: ENROLLMENTS,
    find: 'if (!isSameKey(payload.contentPublicKey, account.contentPublicKey))',
    replace: 'if (false)',
    suites: [ENROLLMENT],
  },
  {
    id: 'D3',
    breaks: 'A signed challenge can be used again.',
    file: CHALLENGES,
    find: "return isFirstUse ? null : 'invalid_challenge';",
    replace: 'return null;',
    suites: [CHALLENGE],
  },
  {
    id: 'D4',
    breaks: 'A used challenge works again with a suffix.',
    file: CHALLENGES,
    find: 'rest.length === 0 &&',
    replace: '',
    suites: [CHALLENGE],
  },
  {
    id: 'D5',
    breaks: 'A challenge never expires.',
    file: CHALLENGES,
    find: 'if (Number(expiry) <= this.clock.now())',
    replace: 'if (false)',
    suites: [CHALLENGE],
  },
  {
    id: 'D6',
    breaks: 'The enrollment of another account is accepted.',
    file: ENROLLMENTS,
    find: 'if (payload.accountId !== account.id)',
    replace: 'if (false)',
    suites: [ENROLLMENT],
  },
  {
    id: 'D7',
    breaks: 'A machine gets the account’s content key.',
    file: ENROLLMENTS,
    find: "if (pairing.kind === 'machine')",
    replace: 'if (false)',
    suites: [ENROLLMENT],
  },
  {
    id: 'D8',
    breaks: 'A device that asks late is told that its approved pairing has expired.',
    file: 'src/modules/devices/pairing/pairings.service.ts',
    find: "pairing.state === 'pending' && pairing.expiresAt",
    replace: "pairing.state !== 'denied' && pairing.expiresAt",
    suites: ['e2e-embedded test/e2e/identity/pairing.spec.ts'],
  },
  {
    id: 'D9',
    breaks: 'A sign-in that the service has failed counts as one with wrong keys.',
    file: 'src/modules/devices/identity/sign-in.service.ts',
    find: 'if (!isRejected) await this.addressLimiter.refundFailure(address);',
    replace: '',
    suites: ['e2e-embedded test/e2e/rate-limits/address.spec.ts'],
  },
];
