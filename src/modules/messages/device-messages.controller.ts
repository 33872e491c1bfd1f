import { Body, Controller, Get, Param, Post, Query, Res } from '@nestjs/common';
import type { Response } from 'express';
import { CurrentDevice, DeviceOnly, DeviceOrBrowserOnly, type DevicePrincipal } from '../../access/auth';
import { ReserveResponseBytes } from '../../access/backpressure';
import { MaxBodyBytes, Operation, streamedListResponse, streamPage, unwrappedResponse } from '../../common/http';
import { MAX_PAGE_BYTES } from '../../common/pages';
import { AppendedMessagesDto, DeviceMessageDto } from './message.response.dto';
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
  @Operation({
    id: 'appendMessages',
    tag: 'Sessions',
    summary: 'Append messages',
    description:
      'Appends a batch of encrypted messages as a whole or not at all. Each `localId` is stored once per session. A ' +
      'repeat returns the stored message.',
    response: unwrappedResponse(AppendedMessagesDto),
    responseDescription: 'The ids of the messages.',
    existingResponseDescription: 'The ids of the messages, all of which were stored before.',
    errorCodes: ['plan_limit_exceeded'],
    examples: {
      request: {
        messages: [{ localId: 'm-0012', role: 'assistant', content: 'eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIn0..….….…' }],
      },
    },
  })
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
  @DeviceOrBrowserOnly('sessions.read')
  @Operation({
    id: 'listMessagesForDevice',
    tag: 'Sessions',
    summary: 'List messages',
    description:
      'Lists the messages of the session with their ciphertext, the oldest first. A page ends early at 8 MiB of ' +
      'content.',
    response: streamedListResponse(DeviceMessageDto),
  })
  async listMessages(
    @CurrentDevice() device: DevicePrincipal,
    @Param('id') sessionId: string,
    @Query() query: ListMessagesQueryDto,
    @Res() response: Response,
  ): Promise<void> {
    await streamPage(response, await this.messages.listMessagesForDevice(device, sessionId, query));
  }
}
