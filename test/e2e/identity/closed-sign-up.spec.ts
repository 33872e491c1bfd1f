import { InvitationsService } from '../../../src/modules/accounts';
import { readTableDigests } from '../../support/database';
import { ForeignAccountDevice, expectStatus } from '../../support/device/foreign-device';
import { Service } from '../../support/service';

const DAY = 86_400_000;
const MINUTE = 60_000;

describe('closed sign-up', () => {
  let service: Service;
  const invite = async () => (await service.app.get(InvitationsService, { strict: false }).createInvitation()).code;
  const signUp = (username: string, extra: object = {}) =>
    new ForeignAccountDevice(service.http).requestSignUp(username, extra);

  beforeAll(async () => {
    service = await Service.start({ SIGNUP: 'closed' });
  });
  afterAll(() => service?.stop());

  it('rejects sign-ups without a valid invitation and stores nothing', async () => {
    const image = await readTableDigests(service);
    for (const extra of [{}, { invitation: null }, { invitation: '' }, { invitation: 'invented' }]) {
      const httpResponse = await signUp('ada', extra);
      expect(httpResponse.status).toBe(403);
      expect(httpResponse.body.code).toBe('forbidden');
    }
    expect(await readTableDigests(service)).toEqual(image);
  });

  it('checks usernames only with a valid invitation, and does not use it up', async () => {
    const invitation = await invite();
    const check = (body: object) => service.http.post('/v1/accounts/check-username', undefined, body);
    expect((await check({ username: 'carol' })).status).toBe(403);
    expect((await check({ username: 'carol', invitation: 'invented' })).status).toBe(403);
    expect(expectStatus(await check({ username: 'carol', invitation }), 200).data).toEqual({ available: true });
    expectStatus(await signUp('carol', { invitation }), 201);
  });

  it('creates one account per invitation', async () => {
    const invitation = await invite();
    expectStatus(await signUp('ada', { invitation }), 201);
    expect((await signUp('bob', { invitation })).status).toBe(403);
  });

  it('creates one account for concurrent sign-ups with the same invitation', async () => {
    const invitation = await invite();
    const answers = await Promise.all(['u-1', 'u-2', 'u-3', 'u-4'].map((name) => signUp(name, { invitation })));
    expect(answers.map((answer) => answer.status).sort()).toEqual([201, 403, 403, 403]);
  });

  it('keeps an invitation valid when the sign-up fails for another reason', async () => {
    expectStatus(await signUp('taken', { invitation: await invite() }), 201);
    const invitation = await invite();
    expect((await signUp('taken', { invitation })).status).toBe(409);
    expectStatus(await signUp('not-taken', { invitation }), 201);
  });

  it('doesn’t reveal usernames without an invitation', async () => {
    expectStatus(await signUp('secretive', { invitation: await invite() }), 201);
    expect((await signUp('secretive', { invitation: 'invented' })).status).toBe(403);
  });

  it('rejects an invitation after seven days, and not before', async () => {
    const [early, invitation] = [await invite(), await invite()];
    service.advanceClock(7 * DAY - MINUTE);
    expectStatus(await signUp('early', { invitation: early }), 201);
    service.advanceClock(MINUTE);
    expect((await signUp('late', { invitation })).status).toBe(403);
  });
});
