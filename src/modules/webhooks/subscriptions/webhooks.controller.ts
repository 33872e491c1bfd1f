import { Body, Controller, Delete, Get, Header, HttpCode, Param, Post, Query, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { CurrentToken, RequireScopes, type TokenPrincipal } from '../../../access/auth';
import { unwrappedResponse, noContentResponse, singleResponse, Operation } from '../../../common/http';
import { EVENT_TYPES } from '../../../core/events';
import { createIdempotentCall, IdempotencyKey } from '../../../access/idempotency';
import { toEventRecipient } from '../../event-access';
import { WebhookPageDto, WebhookDto, WebhookWithSecretDto } from './webhook.response.dto';
import { CreateWebhookDto, ListWebhooksQueryDto } from './webhooks.dto';
import { WebhooksService } from './webhooks.service';

/** Manages webhooks for scripts and apps (docs/protocol/webhooks.md#subscription). */
@Controller('external/v1/webhooks')
export class WebhooksController {
  constructor(private readonly webhooks: WebhooksService) {}

  @Get()
  @RequireScopes('webhooks:manage')
  @Operation({
    id: 'listWebhooks',
    tag: 'Webhooks',
    summary: 'List webhooks',
    description: "The account's webhooks, newest first, and all event types. An app sees only its own webhooks.",
    response: unwrappedResponse(WebhookPageDto),
    responseDescription: 'A page of webhooks.',
    errorCodes: ['invalid_cursor'],
  })
  async listWebhooks(@CurrentToken() token: TokenPrincipal, @Query() query: ListWebhooksQueryDto) {
    return { ...(await this.webhooks.listWebhooks(token, query)), availableEvents: EVENT_TYPES };
  }

  @Post()
  @Header('Cache-Control', 'no-store')
  @RequireScopes('webhooks:manage')
  @Operation({
    id: 'createWebhook',
    tag: 'Webhooks',
    summary: 'Create a webhook',
    description:
      'Deliveries are signed with `signingSecret` (Standard Webhooks 1.0.0), which is shown only once. An event ' +
      'type requires the read scope of its data. Events of tokens, key grants, relayed calls and webhooks are not ' +
      'available to apps. `["*"]` means all events that the caller may see, now and later. A webhook outlives the ' +
      "personal access token that created it. An app's webhooks are deleted when the person revokes its authorization.",
    response: unwrappedResponse(WebhookWithSecretDto),
    responseDescription: 'The webhook and its signing secret.',
    errorCodes: ['plan_limit_exceeded', 'conflict'],
    examples: {
      request: {
        url: 'https://example.com/hooks',
        events: ['session.created', 'session.ended'],
        description: 'Posts to the release channel',
      },
    },
  })
  async createWebhook(
    @CurrentToken() token: TokenPrincipal,
    @Body() body: CreateWebhookDto,
    @IdempotencyKey() idempotencyKey: string | null,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<WebhookWithSecretDto> {
    const idempotentRequest = createIdempotentCall(token, body, idempotencyKey, request);
    const created = await this.webhooks.createWebhook(toEventRecipient(token), body, idempotentRequest);
    if (created.replayed) response.setHeader('Idempotency-Replayed', 'true');
    return created.body;
  }

  @Get(':id')
  @RequireScopes('webhooks:manage')
  @Operation({
    id: 'getWebhook',
    tag: 'Webhooks',
    summary: 'Get a webhook',
    description: 'One webhook of the account.',
    response: singleResponse(WebhookDto),
    responseDescription: 'The webhook.',
  })
  async getWebhook(@CurrentToken() token: TokenPrincipal, @Param('id') id: string) {
    return { data: await this.webhooks.getWebhook(token, id) };
  }

  @Delete(':id')
  @HttpCode(204)
  @RequireScopes('webhooks:manage')
  @Operation({
    id: 'deleteWebhook',
    tag: 'Webhooks',
    summary: 'Delete a webhook',
    description: 'Deletes the webhook and drops its pending deliveries.',
    response: noContentResponse,
    responseDescription: 'The webhook was deleted.',
  })
  deleteWebhook(@CurrentToken() token: TokenPrincipal, @Param('id') id: string): Promise<void> {
    return this.webhooks.deleteWebhook(token, id);
  }
}
