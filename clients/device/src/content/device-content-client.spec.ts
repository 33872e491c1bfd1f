import { MemoryKeyStore, signUp } from '../index';
import { FakeService } from '../testing/fake-service';

let service: FakeService;
beforeEach(async () => (service = await new FakeService().start()));
afterEach(() => service.stop());

it('finds a session by its id, and by a tag that looks like one', async () => {
  const { content } = await signUp({ url: service.url, store: new MemoryKeyStore(), username: 'ada' });
  for (const [id, tag] of [
    ['ses_1', 'work'],
    ['ses_2', 'ses_work'],
  ] as const)
    service.sessions.set(tag, { id, tag, state: 'active', version: 1, metadata: null });
  for (const [name, id] of Object.entries({ ses_1: 'ses_1', work: 'ses_1', ses_work: 'ses_2' }))
    expect(await content.getSession(name)).toMatchObject({ id });
});
