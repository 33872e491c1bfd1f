import { Body, Controller, Get, Param, Put, Query, Res } from '@nestjs/common';
import type { Response } from 'express';
import { CurrentDevice, DeviceOnly, type DevicePrincipal } from '../../access/auth';
import { streamPage } from '../../common/http';
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
  async listTurns(
    @CurrentDevice() device: DevicePrincipal,
    @Param('id') sessionId: string,
    @Query() query: ListTurnsQueryDto,
    @Res() response: Response,
  ): Promise<void> {
    await streamPage(response, await this.turns.listTurnsForDevice(device, sessionId, query));
  }
}
