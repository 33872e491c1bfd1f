import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { Test } from '@nestjs/testing';
import type { Response } from 'express';
import type { DevicePrincipal } from '../../../access/auth';
import { RelayActivityService, type RelayActivityEntry } from '../../../modules/relay';
import { ActivityExportController } from './activity-export.controller';

/** Response that a test reads, with the methods of Express that the controller calls. */
class TestResponse extends PassThrough {
  /** Passes what is written on uncompressed. */
  headersSent = true;
  type = () => this;
  attachment = () => this;
}

describe('ActivityExportController', () => {
  let controller: ActivityExportController;
  /** Ends the scans that have begun. */
  let finish: () => void;

  beforeEach(async () => {
    const finished = new Promise<void>((resolve) => (finish = resolve));
    async function* scanActivity(): AsyncGenerator<RelayActivityEntry[]> {
      yield [];
      await finished;
    }
    const module = await Test.createTestingModule({
      controllers: [ActivityExportController],
      providers: [{ provide: RelayActivityService, useValue: { scanActivity } }],
    }).compile();
    controller = module.get(ActivityExportController);
  });

  const startExport = (accountId: string) => {
    const response = new TestResponse();
    response.resume();
    const done = controller.exportActivity({ accountId } as DevicePrincipal, {}, response as unknown as Response);
    return { response, done };
  };
  const expectRefusal = (accountId: string) =>
    expect(startExport(accountId).done).rejects.toMatchObject({
      code: 'service_unavailable',
      detail: '2 exports of this account are running. Try again when one has finished.',
      extras: { members: { outcome: 'not_delivered' }, headers: { 'Retry-After': '5' } },
    });

  it('runs two exports of an account at once, and refuses the third until one has finished', async () => {
    const exports = [startExport('acc_1'), startExport('acc_1')];
    await expectRefusal('acc_1');
    finish();
    await Promise.all(exports.map(({ done }) => done));
    await startExport('acc_1').done;
  });

  it('counts each account alone', async () => {
    const exports = [startExport('acc_1'), startExport('acc_1'), startExport('acc_2')];
    await expectRefusal('acc_1');
    finish();
    await Promise.all(exports.map(({ done }) => done));
  });

  it('doesn’t count an export whose client has disconnected', async () => {
    const cancelled = startExport('acc_1');
    const running = startExport('acc_1');
    cancelled.response.destroy();
    await Promise.all([once(cancelled.response, 'close'), expect(cancelled.done).rejects.toThrow()]);
    const next = startExport('acc_1');
    await expectRefusal('acc_1');
    finish();
    await Promise.all([running.done, next.done]);
  });
});
