import { Body, Controller, Get, Param, Post, Query, Res } from '@nestjs/common';
import type { Response } from 'express';
import { CurrentDevice, DeviceOnly, type DevicePrincipal } from '../auth';
import { BodyLimit } from '../common/http';
import { AppendMessagesService } from './append-messages.service';
import { AppendMessagesDto, MessageQuery } from './messages.dto';
import { MessagesService } from './messages.service';

const BATCH_BYTES = 8 * 1_048_576;

/** A session's encrypted history as devices keep it (device-api.md, Sync). */
@Controller('v1/sessions/:id/messages')
export class DeviceMessagesController {
  constructor(
    private readonly messages: MessagesService,
    private readonly appending: AppendMessagesService,
  ) {}

  @Post()
  @BodyLimit(BATCH_BYTES)
  @DeviceOnly('sessions.write')
  async append(
    @CurrentDevice() device: DevicePrincipal,
    @Param('id') sessionId: string,
    @Body() body: AppendMessagesDto,
    @Res({ passthrough: true }) response: Response,
  ) {
    const { messages, created } = await this.appending.append(device, sessionId, body.messages);
    response.status(created ? 201 : 200);
    return { data: messages };
  }

  @Get()
  @DeviceOnly('sessions.read')
  list(@CurrentDevice() device: DevicePrincipal, @Param('id') sessionId: string, @Query() query: MessageQuery) {
    return this.messages.listForDevice(device, sessionId, query);
  }
}
