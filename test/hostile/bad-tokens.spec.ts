import { computeSlowdown } from './support/bystander';
import { AttackTarget } from './support/attack-target';

const FLOOD = 400;
const AT_ONCE = 16;

describe('a flood of malformed and unknown tokens', () => {
  let attackTarget: AttackTarget;
  beforeAll(async () => {
    attackTarget = await AttackTarget.start({ RATE_LIMIT_ADDRESS: '60' });
  });
  afterAll(() => attackTarget?.stop());

  it('is rejected without slowing other callers', async () => {
    const calm = await attackTarget.bystander.measureBaseline();
    const statuses = new Set<number>();
    const attacked = await attackTarget.bystander.measureDuring(async () => {
      const flooders = Array.from({ length: AT_ONCE }, async () => {
        for (let n = 0; n < FLOOD / AT_ONCE; n++) {
          const { status } = await attackTarget.http.get('/external/v1/me', `svc_pat_${'x'.repeat(36)}`);
          statuses.add(status);
        }
      });
      await Promise.all(flooders);
    });
    expect([...statuses].sort()).toEqual([401, 429]);
    expect(attacked.failures).toBe(0);
    expect(computeSlowdown(calm, attacked)).toBeLessThan(10);
  });
});
