import { Body, Controller, Delete, Get, Header, HttpCode, Param, Post, Query, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { CurrentToken, RequireScopes, type TokenPrincipal } from '../../auth';
import { bare, nothing, one, Operation } from '../../common/http';
import { EVENT_TYPES } from '../../events';
import { IdempotencyKey } from '../../idempotency';
import { creatorOf } from './creator';
import { WebhookPageRecord, WebhookRecord, WebhookWithSecretRecord } from './webhook-record';
import { CreateWebhookDto, WebhookQuery } from './webhooks.dto';
import { WebhooksService } from './webhooks.service';

/** Subscriptions, for scripts and apps (webhooks.md, Subscription). */
@Controller('external/v1/webhooks')
export class WebhooksController {
  constructor(private readonly webhooks: WebhooksService) {}

  @Get()
  @RequireScopes('webhooks:manage')
  @Operation({
    id: 'listWebhooks',
    tag: 'Webhooks',
    summary: 'List webhooks',
    description:
      "The account's webhooks, newest first, and every event type that there is. An app sees those alone that it made.",
    answer: bare(WebhookPageRecord),
    returns: 'A page of webhooks.',
    errors: ['invalid_cursor'],
  })
  async list(@CurrentToken() token: TokenPrincipal, @Query() query: WebhookQuery) {
    return { ...(await this.webhooks.list(token, query)), availableEvents: EVENT_TYPES };
  }

  @Post()
  @Header('Cache-Control', 'no-store')
  @RequireScopes('webhooks:manage')
  @Operation({
    id: 'createWebhook',
    tag: 'Webhooks',
    summary: 'Create a webhook',
    description:
      'Deliveries are signed by Standard Webhooks 1.0.0 with `signingSecret`, which is shown this once. An event type is ' +
      'subscribed to with the read scope of what it tells; those of tokens, key grants and relayed calls are not for ' +
      'apps. `["*"]` means all that the caller may see, now and later. What a personal access token made outlives it; ' +
      "what an app made ends with the person's authorization.",
    answer: bare(WebhookWithSecretRecord),
    returns: 'The webhook and its signing secret.',
    errors: ['plan_limit_exceeded', 'conflict'],
    examples: {
      request: {
        url: 'https://example.com/hooks',
        events: ['session.created', 'session.ended'],
        description: 'Posts to the release channel',
      },
    },
  })
  async create(
    @CurrentToken() token: TokenPrincipal,
    @Body() body: CreateWebhookDto,
    @IdempotencyKey() key: string | null,
    @Req() { id: requestId, path }: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<WebhookWithSecretRecord> {
    const keyed = key === null ? null : { caller: token, method: 'POST', path, key, request: body, requestId };
    const { answer, replayed } = await this.webhooks.create(creatorOf(token), body, keyed);
    if (replayed) response.setHeader('Idempotency-Replayed', 'true');
    return answer;
  }

  @Get(':id')
  @RequireScopes('webhooks:manage')
  @Operation({
    id: 'getWebhook',
    tag: 'Webhooks',
    summary: 'Get a webhook',
    description: 'One webhook of the account.',
    answer: one(WebhookRecord),
    returns: 'The webhook.',
  })
  async get(@CurrentToken() token: TokenPrincipal, @Param('id') id: string) {
    return { data: await this.webhooks.get(token, id) };
  }

  @Delete(':id')
  @HttpCode(204)
  @RequireScopes('webhooks:manage')
  @Operation({
    id: 'deleteWebhook',
    tag: 'Webhooks',
    summary: 'Delete a webhook',
    description: 'Ends the subscription; deliveries that wait are dropped.',
    answer: nothing,
    returns: 'It is gone.',
  })
  delete(@CurrentToken() token: TokenPrincipal, @Param('id') id: string): Promise<void> {
    return this.webhooks.delete(token, id);
  }
}
