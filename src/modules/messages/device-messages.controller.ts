import { Body, Controller, Get, Param, Post, Query, Res } from '@nestjs/common';
import type { Response } from 'express';
import { CurrentDevice, DeviceOnly, type DevicePrincipal } from '../../access/auth';
import { ReserveResponseBytes } from '../../access/backpressure';
import { MaxBodyBytes, streamPage } from '../../common/http';
import { MAX_PAGE_BYTES } from '../../common/pages';
import { AppendMessagesService } from './append-messages.service';
import { AppendMessagesDto, ListMessagesQueryDto } from './messages.dto';
import { MessagesService } from './messages.service';

const MESSAGE_BATCH_MAX_BYTES = 8 * 1_048_576;

/** Message routes for devices (docs/protocol/device-api.md#sync). */
@Controller('v1/sessions/:id/messages')
export class DeviceMessagesController {
  constructor(
    private readonly messages: MessagesService,
    private readonly appendMessagesService: AppendMessagesService,
  ) {}

  @Post()
  @MaxBodyBytes(MESSAGE_BATCH_MAX_BYTES)
  @DeviceOnly('sessions.write')
  async appendMessages(
    @CurrentDevice() device: DevicePrincipal,
    @Param('id') sessionId: string,
    @Body() body: AppendMessagesDto,
    @Res({ passthrough: true }) response: Response,
  ) {
    const { messages, created } = await this.appendMessagesService.appendMessages(device, sessionId, body.messages);
    response.status(created ? 201 : 200);
    return { data: messages };
  }

  @Get()
  @ReserveResponseBytes(MAX_PAGE_BYTES)
  @DeviceOnly('sessions.read')
  async listMessages(
    @CurrentDevice() device: DevicePrincipal,
    @Param('id') sessionId: string,
    @Query() query: ListMessagesQueryDto,
    @Res() response: Response,
  ): Promise<void> {
    await streamPage(response, await this.messages.listMessagesForDevice(device, sessionId, query));
  }
}
