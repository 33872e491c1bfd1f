import { Injectable, type OnModuleInit } from '@nestjs/common';
import { AccountExporter } from '../accounts';
import type { DevicePrincipal, Principal } from '../../access/auth';
import { notFoundError } from '../../common/errors';
import { mapPage, type Page } from '../../common/pages';
import { ChangeWaitsService, type WaitedRecords } from '../../core/waits';
import { SessionAuthorizer, SessionsService } from '../sessions';
import { toTurnDto, type TurnDto, type TurnRow } from './turn.response.dto';
import { buildTurnKey, isAnswerDue, type TurnProgress } from './turn-wait-rules';
import type { ListTurnsQueryDto } from './turns.dto';
import { TurnsRepository } from './turns.repository';

/** Reads turns for callers, devices and exports, and lets callers wait for a change. */
@Injectable()
export class TurnsService implements OnModuleInit {
  private readonly waitedTurns: WaitedRecords = {
    metric: { name: 'turn_waits', help: 'Calls of this instance that wait for a turn' },
    readProgress: (keys) => this.turns.findProgress(keys),
  };

  constructor(
    private readonly turns: TurnsRepository,
    private readonly sessions: SessionsService,
    private readonly sessionAuthorizer: SessionAuthorizer,
    private readonly changeWaitsService: ChangeWaitsService,
    private readonly accountExporter: AccountExporter,
  ) {}

  onModuleInit(): void {
    this.changeWaitsService.registerRecords(this.waitedTurns);
    this.accountExporter.registerSection({
      name: 'turns',
      readRecords: (accountId) => this.exportTurns(accountId),
    });
  }

  /** Returns undefined for an unknown or malformed id, and for a turn that the device has not reported yet. */
  findTurn(accountId: string, sessionId: string, turnId: string): Promise<TurnRow | undefined> {
    return this.turns.find(accountId, sessionId, turnId);
  }

  /** Returns how many turns of the account run, and how many wait for an approval. */
  async countOpenTurns(accountId: string): Promise<{ running: number; waiting: number }> {
    const counts = await this.turns.countOpenTurns(accountId);
    return { running: counts.running ?? 0, waiting: counts.requires_action ?? 0 };
  }

  /**
   * Returns the turn, after a change if the caller waits (docs/protocol/agents.md#waiting).
   * @throws ApiError 404, 429 `too_many_waits`
   */
  async getTurn(
    caller: Principal,
    sessionId: string,
    turnId: string,
    { waitMs = 0, afterVersion = null }: { waitMs?: number; afterVersion?: number | null },
    disconnectSignal: AbortSignal,
  ): Promise<TurnDto> {
    const row = await this.requireTurn(caller.accountId, sessionId, turnId);
    if (waitMs === 0 || isAnswerDue(row, afterVersion)) return toTurnDto(row);
    const wait = {
      accountId: row.account_id,
      records: this.waitedTurns,
      key: buildTurnKey(row.session_id, row.id),
      isDue: (progress: TurnProgress) => isAnswerDue(progress, afterVersion ?? row.version),
      waitMs,
    };
    await this.changeWaitsService.waitForChange(wait, disconnectSignal);
    if (disconnectSignal.aborted) return toTurnDto(row);
    return toTurnDto(await this.requireTurn(caller.accountId, sessionId, turnId));
  }

  /** @throws ApiError 404 */
  async listTurns(caller: Principal, sessionId: string, query: ListTurnsQueryDto): Promise<Page<TurnDto>> {
    await this.sessions.getSessionRoute(caller.accountId, sessionId);
    return mapPage(await this.turns.findPage(sessionId, query), toTurnDto);
  }

  /** Lists turns as callers see them. @throws ApiError 404, 403 for a session of another host */
  async listTurnsForDevice(
    device: DevicePrincipal,
    sessionId: string,
    query: ListTurnsQueryDto,
  ): Promise<Page<TurnDto>> {
    await this.sessionAuthorizer.getSession(device, sessionId);
    return mapPage(await this.turns.findPage(sessionId, query), toTurnDto);
  }

  private async requireTurn(accountId: string, sessionId: string, turnId: string): Promise<TurnRow> {
    const row = await this.turns.find(accountId, sessionId, turnId);
    if (!row) throw notFoundError('turn');
    return row;
  }

  /** Yields the account's turns as callers see them. */
  private async *exportTurns(accountId: string): AsyncGenerator<object> {
    for await (const row of this.turns.scanByAccount(accountId)) yield toTurnDto(row);
  }
}
