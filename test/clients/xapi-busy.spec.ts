import { ApprovalFixture } from '../support/approval-fixture';
import { readJson, runXapi, type XapiEnv } from '../support/clients/xapi';
import { createScratchFolder } from '../support/scratch-folder';
import { waitFor } from '../support/wait-for';

const SCOPES = ['sessions:read', 'sessions:write', 'sessions:content'];

describe('xapi send, while the agent works', () => {
  let fixture: ApprovalFixture;
  let env: XapiEnv;
  let sessionId: string;

  beforeAll(async () => {
    fixture = await ApprovalFixture.start();
    const { token } = await fixture.ada.createToken(SCOPES);
    env = { XAPI_HOST: fixture.service.url, XAPI_TOKEN: token, XDG_CONFIG_HOME: createScratchFolder() };
    sessionId = await fixture.startSession(await fixture.startMachine());
  });
  afterAll(() => fixture?.stop());

  const xapi = (...args: string[]) => runXapi(args, env);

  it('interrupts the turn that runs, and says if it can not be steered', async () => {
    const { turnId } = await readJson(['send', sessionId, 'silent'], env);
    const readSession = () => fixture.get(`/sessions/${sessionId}`);
    await waitFor(async () => expect(await readSession()).toMatchObject({ activity: 'running' }));
    await xapi('send', sessionId, 'say queued');
    const steered = await xapi('send', sessionId, 'say steered', '--steer');
    expect(steered).toMatchObject({ code: 4, err: expect.stringContaining("can't join the running turn") });
    expect(await xapi('send', sessionId, 'say now', '--interrupt', '--wait')).toMatchObject({ code: 0, out: 'now\n' });
    expect(await fixture.get(`/sessions/${sessionId}/turns/${turnId as string}`)).toMatchObject({ state: 'cancelled' });
    expect(await xapi('send', sessionId, 'x', '--steer', '--interrupt')).toMatchObject({ code: 2 });
  });
});
