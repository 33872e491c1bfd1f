import { ConsoleClient } from '../../support/console-client';
import { ForeignAccountDevice, type ForeignDevice } from '../../support/device/foreign-device';
import { Service } from '../../support/service';
import { ReportedTurn } from '../../support/turns/turn-reports';

describe('the console’s home page', () => {
  let service: Service;
  beforeAll(async () => {
    service = await Service.start();
  });
  afterAll(() => service?.stop());

  it('counts the open turns of the account, of which each device may have several in a session', async () => {
    const ada = await ForeignAccountDevice.signUp(service.http);
    const bob = await ForeignAccountDevice.signUp(service.http);
    const visitor = await ConsoleClient.signIn(service.url, ada);
    const report = async (machine: ForeignDevice, sessionId: string, ...states: ('running' | 'requires_action')[]) => {
      const turn = new ReportedTurn(machine, sessionId);
      for (const state of states) await turn.report(state);
      return turn;
    };
    const [machine, other] = [await ada.pairDevice('machine'), await bob.pairDevice('machine')];
    const [first, second] = [await ada.createSession(machine), await ada.createSession(machine)];
    await report(other, (await bob.createSession(other)).id, 'running');
    await report(machine, first.id, 'running');
    await report(machine, first.id, 'running', 'requires_action');
    const ended = await report(machine, second.id, 'running');

    const readTiles = async () => {
      const { html } = await visitor.get('/console');
      const tiles = /<ul class="tiles"[^]*?<\/ul>/.exec(html)![0].split('<li').slice(1);
      return tiles.slice(1, 3).map((tile) => `<li${tile}`.replace(/<[^>]+>/g, ''));
    };
    expect(await readTiles()).toEqual(['Running turns2', 'Waiting for approval1']);
    await ended.report('completed');
    expect(await readTiles()).toEqual(['Running turns1', 'Waiting for approval1']);
  });
});
