import { Body, Controller, Get, Param, Put, Query, Res } from '@nestjs/common';
import type { Response } from 'express';
import { CurrentDevice, DeviceOnly, type DevicePrincipal } from '../../access/auth';
import { Operation, singleResponse, streamedListResponse, streamPage } from '../../common/http';
import { TurnDto } from './turn.response.dto';
import { ReportTurnService } from './report-turn.service';
import { ListTurnsQueryDto, toTurnReport, TurnReportDto } from './turns.dto';
import { TurnsService } from './turns.service';

/** Turn routes for devices (docs/protocol/device-api.md#sync). */
@Controller('v1/sessions/:id/turns')
export class DeviceTurnsController {
  constructor(
    private readonly reportTurnService: ReportTurnService,
    private readonly turns: TurnsService,
  ) {}

  @Put(':localId')
  @DeviceOnly('sessions.write')
  @Operation({
    id: 'reportTurn',
    tag: 'Sessions',
    summary: 'Report a turn',
    description:
      'Reports the state of a turn, whose `localId` is the id of the relayed call that began it, or one that the ' +
      'device makes for a turn that its agent began (`origin`). A report with a revision that is not newer than the ' +
      'stored one changes nothing.',
    response: singleResponse(TurnDto),
    responseDescription: 'The new turn.',
    existingResponseDescription: 'The turn as stored.',
    errorCodes: ['plan_limit_exceeded', 'conflict'],
    examples: {
      request: { revision: 2, state: 'running', pendingPermissions: 0, startedAt: 1_788_255_000_000 },
    },
  })
  async reportTurn(
    @CurrentDevice() device: DevicePrincipal,
    @Param('id') sessionId: string,
    @Param('localId') requestId: string,
    @Body() body: TurnReportDto,
    @Res({ passthrough: true }) response: Response,
  ) {
    const { turn, created } = await this.reportTurnService.reportTurn(device, sessionId, requestId, toTurnReport(body));
    response.status(created ? 201 : 200);
    return { data: turn };
  }

  @Get()
  @DeviceOnly('sessions.read')
  @Operation({
    id: 'listTurnsForDevice',
    tag: 'Sessions',
    summary: 'List turns',
    description:
      'Lists the turns of the session, the newest first. A device finds the open turns there that it no longer knows.',
    response: streamedListResponse(TurnDto),
  })
  async listTurns(
    @CurrentDevice() device: DevicePrincipal,
    @Param('id') sessionId: string,
    @Query() query: ListTurnsQueryDto,
    @Res() response: Response,
  ): Promise<void> {
    await streamPage(response, await this.turns.listTurnsForDevice(device, sessionId, query));
  }
}
