import { createBackend } from '../../support/backend';
import { ForeignAccountDevice, expectStatus } from '../../support/device/foreign-device';
import { describeWithServices } from '../../support/postgres';
import { Service } from '../../support/service';
import { ReportedTurn } from '../../support/turns/turn-reports';

describeWithServices('a wait on another instance than the report', () => {
  it('ends before the next look at the database', async () => {
    const backend = await createBackend('services');
    const first = await Service.start({}, backend);
    const second = await Service.start({}, { env: backend.env, dispose: () => Promise.resolve() });
    try {
      const ada = await ForeignAccountDevice.signUp(first.http);
      const { token } = await ada.createToken(['sessions:read']);
      const turn = new ReportedTurn(ada, (await ada.createSession(ada)).id);
      expectStatus(await turn.report('running'), 201);
      const delays: number[] = [];
      for (let version = 1; version <= 6; version += 1) {
        const answer = second.http
          .get(`${turn.path}?waitMs=20000&afterVersion=${version}`, token)
          .then((response) => ({ ...expectStatus(response, 200).data, at: performance.now() }));
        await new Promise((resolve) => setTimeout(resolve, 300));
        const reportedAt = performance.now();
        await turn.report(version % 2 ? 'requires_action' : 'running');
        const { at, ...record } = await answer;
        expect(record).toMatchObject({ version: version + 1 });
        delays.push(at - reportedAt);
      }
      // Without signals, half of the waits would end after more than a second.
      expect(delays.filter((ms) => ms < 500).length).toBeGreaterThanOrEqual(5);
    } finally {
      await second.stop();
      await first.stop();
    }
  });
});
