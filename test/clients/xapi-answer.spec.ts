import { ApprovalFixture } from '../support/approval-fixture';
import { readJson, runOnTerminal, runXapi, type XapiEnv } from '../support/clients/xapi';
import { itWith } from '../support/dependencies';
import { createScratchFolder } from '../support/scratch-folder';

const SCOPES = ['sessions:read', 'sessions:write', 'sessions:content', 'sessions:approve'];
const onTerminal = itWith('script');

describe('xapi answer', () => {
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

  it('shows a question, and answers or declines it', async () => {
    const sent = await xapi('send', sessionId, 'question', '--wait');
    expect(sent).toMatchObject({ code: 3, err: expect.stringContaining(`xapi answer ${sessionId}`) });
    expect(await xapi('answer', sessionId)).toMatchObject({ code: 2 });
    expect(await xapi('answer', sessionId, '--set', 'colour=red')).toMatchObject({
      code: 2,
      err: expect.stringContaining('database, port, tests'),
    });
    expect(await xapi('approve', sessionId, '--allow')).toMatchObject({
      code: 1,
      err: expect.stringContaining('xapi answer'),
    });
    const unfit = await xapi('answer', sessionId, '--set', 'database=sqlite', '--set', 'port=80');
    expect(unfit).toMatchObject({ code: 1, err: expect.stringContaining('The field "port" must be at least 1024.') });
    const { code, out } = await xapi('answer', sessionId, '--defaults', '--set', 'database=sqlite');
    expect(code).toBe(0);
    expect(out).toContain('Choose a database');
    expect(out).toMatch(/\nAnswered\.\n$/);
    expect(await xapi('wait', sessionId)).toMatchObject({
      code: 0,
      out: 'accept {"database":"sqlite","tests":true}\n',
    });
    await xapi('send', sessionId, 'question', '--wait');
    expect(await readJson(['answer', sessionId, '--decline'], env)).toMatchObject([{ sessionId, state: 'rejected' }]);
    expect(await xapi('wait', sessionId)).toMatchObject({ code: 0, out: 'decline\n' });
    await xapi('send', sessionId, 'question', '--wait');
    const [answered] = await readJson(['answer', sessionId, '--defaults', '--message', 'say And now this.'], env);
    expect(answered).toMatchObject({ state: 'allowed', nextTurnId: expect.stringMatching(/^turn_/) });
    expect(await xapi('wait', sessionId, answered.nextTurnId)).toMatchObject({ code: 0, out: 'And now this.\n' });
  });

  onTerminal('asks for the answers on a terminal', async () => {
    await xapi('send', sessionId, 'question', '--wait');
    const { code, text } = await runOnTerminal(`xapi answer ${sessionId}`, env, {
      dialogue: [
        ['[Y/n]', 'y\n'],
        ['database [postgres]: ', '3\n'],
        ['database [postgres]: ', '2\n'],
        ['port: ', '\n'],
        ['tests [yes]: ', 'no\n'],
      ],
    });
    expect(text).toContain('SQLite: A file');
    expect({ code, isAnswered: text.includes('Answered.') }).toEqual({ code: 0, isAnswered: true });
    expect(await xapi('wait', sessionId)).toMatchObject({ out: 'accept {"database":"sqlite","tests":false}\n' });
  });
});
