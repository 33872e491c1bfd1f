import { Invitations } from '../../../src/accounts';
import { databaseImage } from '../../support/database';
import { AccountDevice, ok } from '../../support/device/foreign-device';
import { Service } from '../../support/service';

const DAY = 86_400_000;

describe('closed sign-up', () => {
  let service: Service;
  const invite = async () => (await service.app.get(Invitations, { strict: false }).create()).code;
  const signUp = (username: string, extra: object = {}) => new AccountDevice(service.http).trySignUp(username, extra);

  beforeAll(async () => {
    service = await Service.start({ SIGNUP: 'closed' });
  });
  afterAll(() => service?.stop());

  it('refuses without a good invitation, and writes nothing', async () => {
    const image = await databaseImage(service);
    for (const extra of [{}, { invitation: null }, { invitation: '' }, { invitation: 'invented' }]) {
      const answer = await signUp('ada', extra);
      expect(answer.status).toBe(403);
      expect(answer.body.code).toBe('forbidden');
    }
    expect(await databaseImage(service)).toEqual(image);
  });

  it('lets one account in for each invitation', async () => {
    const invitation = await invite();
    ok(await signUp('ada', { invitation }), 201);
    expect((await signUp('bob', { invitation })).status).toBe(403);
  });

  it('lets one of many in that come with the same invitation at once', async () => {
    const invitation = await invite();
    const answers = await Promise.all(['u-1', 'u-2', 'u-3', 'u-4'].map((name) => signUp(name, { invitation })));
    expect(answers.map((answer) => answer.status).sort()).toEqual([201, 403, 403, 403]);
  });

  it('leaves an invitation good when the sign-up fails for another reason', async () => {
    ok(await signUp('taken', { invitation: await invite() }), 201);
    const invitation = await invite();
    expect((await signUp('taken', { invitation })).status).toBe(409);
    ok(await signUp('not-taken', { invitation }), 201);
  });

  it('does not tell the uninvited which usernames exist', async () => {
    ok(await signUp('secretive', { invitation: await invite() }), 201);
    expect((await signUp('secretive', { invitation: 'invented' })).status).toBe(403);
  });

  it('refuses an invitation after seven days', async () => {
    const invitation = await invite();
    service.advance(7 * DAY);
    expect((await signUp('late', { invitation })).status).toBe(403);
  });
});
