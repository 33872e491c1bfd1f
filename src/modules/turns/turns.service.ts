import { Injectable, type OnModuleInit } from '@nestjs/common';
import { AccountExporter } from '../accounts';
import type { DevicePrincipal, Principal } from '../../access/auth';
import { notFoundError } from '../../common/errors';
import { mapPage, type Page } from '../../common/pages';
import { ChangeWaitsService, type ChangeQueryDto, type WaitedRecords } from '../../core/waits';
import { SessionAuthorizer, SessionsService } from '../sessions';
import { toTurnDto, type TurnDto, type TurnRow } from './turn.response.dto';
import { buildTurnKey, isAnswerDue } from './turn-wait-rules';
import type { ListTurnsQueryDto } from './turns.dto';
import { TurnsRepository } from './turns.repository';

/** Reads turns for callers, devices and exports, and lets callers wait for a change. */
@Injectable()
export class TurnsService implements OnModuleInit {
  private readonly waitedTurns: WaitedRecords = {
    metric: { name: 'turn_waits', help: 'Calls of this instance that wait for a turn' },
    readProgress: (keys) => this.turns.findProgress(keys),
    isAnswerDue,
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
      scanRows: (accountId) => this.turns.scanByAccount(accountId),
      toRecord: toTurnDto,
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
    { accountId }: Principal,
    sessionId: string,
    turnId: string,
    query: ChangeQueryDto,
    disconnectSignal: AbortSignal,
  ): Promise<TurnDto> {
    const turn = { accountId, records: this.waitedTurns, key: buildTurnKey(sessionId, turnId) };
    const read = () => this.requireTurn(accountId, sessionId, turnId);
    return toTurnDto(await this.changeWaitsService.readAfterChange(turn, query, read, disconnectSignal));
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
}
