import { TokenVerifierRegistry, type LastUsedRecorder } from '../../access/auth';
import { Clock } from '../../common/clock';
import { generateSecretToken, hashSecretToken } from '../../common/secret-token';
import { PersonalAccessTokenVerifier } from './personal-access-token-verifier';
import type { PersonalAccessTokensRepository, PresentedSecretRow } from './personal-access-tokens.repository';

const NOW = Date.parse('2026-01-01T00:00:00Z');
const at = (offsetMs: number) => new Date(NOW + offsetMs);
const ROW = {
  id: 'tok_1',
  account_id: 'acc_1',
  username: 'ada',
  account_created_at: at(-10),
  suspended: false,
  account_limits: {},
  scopes: ['sessions:read'],
  name: 'ci',
  created_at: at(-5),
  expires_at: null,
  revoked_at: null,
  last_used_at: null,
  superseded: false,
  ends_at: null,
} as unknown as PresentedSecretRow;

describe('PersonalAccessTokenVerifier', () => {
  let row: PresentedSecretRow | undefined;
  let uses: string[];

  const createVerifier = (changes: Partial<PresentedSecretRow>, verifiers: TokenVerifierRegistry) => {
    row = { ...ROW, ...changes };
    uses = [];
    return new PersonalAccessTokenVerifier(
      { findBySecrets: () => Promise.resolve(row ? [row] : []) } as unknown as PersonalAccessTokensRepository,
      { record: ({ id }: { id: string }) => uses.push(id) } as unknown as LastUsedRecorder,
      verifiers,
      Object.assign(new Clock(), { now: () => NOW }),
    );
  };
  const verify = async (changes: Partial<PresentedSecretRow> = {}) => {
    const verifier = createVerifier(changes, { registerVerifier: () => undefined } as never);
    const known = await verifier.findToken(Buffer.alloc(32));
    const verification = known!.evaluate();
    return verification.ok ? 'ok' : verification.reason;
  };

  it.each<[name: string, changes: Partial<PresentedSecretRow>, result: string]>([
    ['without an expiry', {}, 'ok'],
    ['a millisecond before its expiry', { expires_at: at(1) }, 'ok'],
    ['at its expiry', { expires_at: at(0) }, 'expired'],
    ['after its expiry', { expires_at: at(-1) }, 'expired'],
    ['that was revoked', { revoked_at: at(-1) }, 'revoked'],
    ['that was revoked and has expired', { revoked_at: at(-2), expires_at: at(-1) }, 'revoked'],
    ['superseded at once', { superseded: true }, 'revoked'],
    ['superseded, a millisecond before the overlap ends', { superseded: true, ends_at: at(1) }, 'ok'],
    ['superseded, when the overlap ends', { superseded: true, ends_at: at(0) }, 'revoked'],
    [
      'superseded, in an overlap that outlasts its expiry',
      { superseded: true, ends_at: at(5), expires_at: at(0) },
      'expired',
    ],
  ])('evaluates a token %s', async (_name, changes, result) => {
    expect(await verify(changes)).toBe(result);
    expect(uses).toEqual(result === 'ok' ? ['tok_1'] : []);
  });

  it('takes the checks of open streams for no uses of their tokens', async () => {
    const token = generateSecretToken('svc_pat_');
    const verifiers = new TokenVerifierRegistry({} as never);
    createVerifier({ hash: hashSecretToken(token) }, verifiers).onModuleInit();
    expect((await verifiers.verifyTokens(new Set([token]))).get(token)).toMatchObject({ ok: true });
    expect(uses).toEqual([]);
    expect(await verifiers.verifyToken(token, 'token')).toMatchObject({ ok: true });
    expect(uses).toEqual(['tok_1']);
  });
});
