import type { Page } from 'playwright-core';
import { ContentFixture } from './support/content-fixture';
import { emitEvent, fakeStreams } from './support/fake-streams';

const MACHINES = ['machine.registered', 'machine.online', 'machine.offline'];
const SESSIONS = ['session.created', 'session.updated', 'session.ended', 'session.deleted'];
const ACTIVITIES = ['turn.started', 'turn.requires_action', 'turn.ended', 'permission.decided'];

describe('a page of the console reads its records again after each event that changes them', () => {
  let fixture: ContentFixture;
  let page: Page;
  beforeAll(async () => {
    fixture = await ContentFixture.start();
  });
  afterEach(() => page?.close());
  afterAll(() => fixture?.stop());

  const open = async (path: string, read: RegExp, hasNotices = false) => {
    page = await fixture.ada.context.newPage();
    await fakeStreams(page, hasNotices);
    const isRead = page.waitForResponse((response) => read.test(response.url()));
    await page.goto(path);
    await (await isRead).finished();
  };
  const expectReadAfter = async (types: readonly string[], read: RegExp) => {
    const { sessionId } = fixture.machine;
    for (const type of types) {
      const isRead = page.waitForResponse((response) => read.test(response.url()));
      await emitEvent(page, type, { id: sessionId, sessionId });
      await (await isRead).finished();
    }
  };

  it('on the page of machines', async () => {
    await open('/console/machines', /\/machines\?/);
    await expectReadAfter(MACHINES, /\/machines\?/);
  });

  it('on the page of a machine', async () => {
    await open(`/console/machines/${fixture.machine.machineService.identity.machineId}`, /\/invocations\?/);
    await expectReadAfter([...MACHINES, 'invocation.ended', ...SESSIONS, ...ACTIVITIES], /\/invocations\?/);
  });

  it('on the page that starts a session', async () => {
    await open('/console/sessions/new', /\/machines\?/);
    await expectReadAfter(MACHINES, /\/machines\?/);
  });

  it('on the page of a session, and when its stream opens', async () => {
    const requests = /\/sessions\/ses_\w+\/permission-requests\?/;
    await open(`/console/sessions/${fixture.machine.sessionId}`, requests);
    await expectReadAfter(['permission.requested', 'turn.ended', 'stream.opened'], requests);
    await expectReadAfter(['stream.opened'], /\/artifacts\?/);
  });

  it('on the page of approvals', async () => {
    const types = ['permission.requested', 'permission.decided', 'turn.started', 'turn.requires_action', 'turn.ended'];
    await open('/console/approvals', /\/permission-requests\?state=pending/);
    await expectReadAfter(types, /\/permission-requests\?state=pending/);
  });

  it('on every page, for the number of requests that wait', async () => {
    const types = ['permission.requested', 'permission.decided', 'turn.ended', 'session.deleted'];
    await open('/console/usage', /\/permission-requests\?state=pending/, true);
    await expectReadAfter(types, /\/permission-requests\?state=pending/);
  });

  it.each(['/console', '/console/sessions'])(
    'of sessions, of which it reads only the changed one: %s',
    async (path) => {
      const types = [...SESSIONS, 'message.created', 'turn.started', 'permission.requested'];
      await open(path, /\/v1\/sessions\?/);
      await expectReadAfter(types, new RegExp(`/v1/sessions/${fixture.machine.sessionId}$`));
    },
  );
});
