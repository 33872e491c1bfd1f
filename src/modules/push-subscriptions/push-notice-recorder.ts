import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Subject } from 'rxjs';
import { Clock, HOUR, MINUTE } from '../../common/clock';
import { Config } from '../../core/config';
import { UnitOfWork } from '../../core/database';
import { EventOutboxService } from '../../core/events';
import type { PermissionRequestDto } from '../permission-requests';
import type { TurnDto } from '../turns';
import { PushNoticesRepository } from './push-notices.repository';

/** Notices of a session to one browser are at least as far apart. */
const NOTICE_INTERVAL_MS = MINUTE;
/** How long the end of a turn is worth a notice. */
const TURN_NOTICE_LIFETIME_MS = 12 * HOUR;

/** Records what browsers are to be told, in the transactions of the events, so that a kill loses nothing. */
@Injectable()
export class PushNoticeRecorder implements OnModuleInit {
  /** Emits when this instance has committed notices. */
  readonly committedNotices = new Subject<void>();

  constructor(
    private readonly config: Config,
    private readonly unitOfWork: UnitOfWork,
    private readonly notices: PushNoticesRepository,
    private readonly eventOutboxService: EventOutboxService,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    const { push } = this.config;
    if (!push) return;
    const add = async (notice: Parameters<PushNoticesRepository['addNotices']>[0]): Promise<void> =>
      this.announce(
        await this.notices.addNotices(notice, push.publicKey, this.clock.currentDate(), NOTICE_INTERVAL_MS),
      );
    this.eventOutboxService.registerRecorder('permission.requested', ({ accountId, data }) => {
      const { id, sessionId, expiresAt } = data as PermissionRequestDto;
      const event = 'permission.requested';
      return add({ accountId, sessionId, event, recordId: id, expiresAt: new Date(expiresAt) });
    });
    this.eventOutboxService.registerRecorder('permission.decided', async ({ data }) => {
      const request = data as PermissionRequestDto;
      const deciderId = request.decidedBy?.deviceId ?? null;
      const now = this.clock.currentDate();
      const isTakenBack = await this.notices.takeBack(request.sessionId, request.id, deciderId, now);
      const isReplaced = await this.notices.replaceShown(request, deciderId, now);
      this.announce(isTakenBack || isReplaced);
    });
    this.eventOutboxService.registerRecorder('turn.ended', async ({ accountId, data }) => {
      const { id, sessionId, state } = data as TurnDto;
      if (state !== 'completed' && state !== 'failed') return;
      const expiresAt = new Date(this.clock.now() + TURN_NOTICE_LIFETIME_MS);
      await add({ accountId, sessionId, event: `turn.${state}`, recordId: id, expiresAt });
    });
  }

  private announce(isRecorded: boolean): void {
    if (isRecorded) this.unitOfWork.afterCommit(() => this.committedNotices.next());
  }
}
