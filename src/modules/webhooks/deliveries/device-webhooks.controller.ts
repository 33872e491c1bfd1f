import { Body, Controller, Get, Header, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import { CurrentDevice, DeviceOnly, type DevicePrincipal } from '../../../access/auth';
import { WebhookDto, WebhookWithSecretDto } from '../subscriptions/webhook.response.dto';
import { WebhookControlService } from '../subscriptions/webhook-control.service';
import { RotateWebhookSecretDto, UpdateWebhookDto } from '../subscriptions/webhooks.dto';
import { listResponse, noContentResponse, Operation, singleResponse, unwrappedResponse } from '../../../common/http';
import { DeliveryDto, DeliveryWithAttemptsDto, ReplayedDeliveriesDto } from './delivery.response.dto';
import { DeliveriesService } from './deliveries.service';
import { ListDeliveriesQueryDto, ReplayFailedDeliveriesDto } from './deliveries.dto';

/** Manages webhooks and their delivery log for account devices (docs/protocol/webhooks.md#management). */
@Controller('v1/webhooks/:id')
export class DeviceWebhooksController {
  constructor(
    private readonly deliveries: DeliveriesService,
    private readonly control: WebhookControlService,
  ) {}

  @Patch()
  @DeviceOnly('webhooks.manage')
  @Operation({
    id: 'updateWebhook',
    tag: 'Webhooks',
    summary: 'Change a webhook',
    description: 'Changes the given members. The signing secret and the delivery log do not change.',
    response: singleResponse(WebhookDto),
    responseDescription: 'The changed webhook.',
    errorCodes: ['insufficient_scope'],
    examples: {
      request: { url: 'https://example.com/hooks', events: ['session.ended'] },
    },
  })
  async updateWebhook(
    @CurrentDevice() { accountId }: DevicePrincipal,
    @Param('id') id: string,
    @Body() changes: UpdateWebhookDto,
  ) {
    return { data: await this.control.updateWebhook(accountId, id, changes) };
  }

  @Get('deliveries')
  @DeviceOnly('webhooks.manage')
  @Operation({
    id: 'listDeliveries',
    tag: 'Webhooks',
    summary: 'List deliveries of a webhook',
    description: 'Lists the delivery log, the newest delivery first.',
    response: listResponse(DeliveryDto),
  })
  listDeliveries(
    @CurrentDevice() { accountId }: DevicePrincipal,
    @Param('id') id: string,
    @Query() query: ListDeliveriesQueryDto,
  ) {
    return this.deliveries.listDeliveries(accountId, id, query);
  }

  @Get('deliveries/:deliveryId')
  @DeviceOnly('webhooks.manage')
  @Operation({
    id: 'getDelivery',
    tag: 'Webhooks',
    summary: 'Get a delivery',
    description: 'Returns the delivery with the log of its attempts.',
    response: singleResponse(DeliveryWithAttemptsDto),
  })
  async getDelivery(
    @CurrentDevice() { accountId }: DevicePrincipal,
    @Param('id') id: string,
    @Param('deliveryId') deliveryId: string,
  ) {
    return { data: await this.deliveries.getDelivery(accountId, id, deliveryId) };
  }

  @Post('deliveries/:deliveryId/replay')
  @DeviceOnly('webhooks.manage')
  @Operation({
    id: 'replayDelivery',
    tag: 'Webhooks',
    summary: 'Replay a delivery',
    description: 'Creates a new delivery of the same event, whatever the state of the old one.',
    response: singleResponse(DeliveryDto),
    responseDescription: 'The new delivery.',
    errorCodes: ['plan_limit_exceeded'],
  })
  async replayDelivery(
    @CurrentDevice() { accountId }: DevicePrincipal,
    @Param('id') id: string,
    @Param('deliveryId') deliveryId: string,
  ) {
    return { data: await this.deliveries.replayDelivery(accountId, id, deliveryId) };
  }

  @Post('replay')
  @HttpCode(202)
  @DeviceOnly('webhooks.manage')
  @Operation({
    id: 'replayFailedDeliveries',
    tag: 'Webhooks',
    summary: 'Replay failed and missed events',
    description:
      'Creates a new delivery of each event since then whose last delivery failed, and of each that the webhook has ' +
      'missed, for example while it was disabled, as long as the event log has it.',
    response: unwrappedResponse(ReplayedDeliveriesDto),
    responseDescription: 'The number of new deliveries.',
    errorCodes: ['plan_limit_exceeded'],
    examples: {
      request: { since: 1_788_255_000_000 },
    },
  })
  async replayFailedDeliveries(
    @CurrentDevice() { accountId }: DevicePrincipal,
    @Param('id') id: string,
    @Body() { since }: ReplayFailedDeliveriesDto,
  ) {
    return this.deliveries.replayEvents(accountId, id, new Date(since));
  }

  @Post('test')
  @HttpCode(202)
  @DeviceOnly('webhooks.manage')
  @Operation({
    id: 'sendTestEvent',
    tag: 'Webhooks',
    summary: 'Send a test event',
    description: 'Sends the event `webhook.test` to the webhook.',
    response: noContentResponse,
    responseDescription: 'The event is queued.',
    errorCodes: ['plan_limit_exceeded'],
  })
  sendTestEvent(@CurrentDevice() { accountId }: DevicePrincipal, @Param('id') id: string): Promise<void> {
    return this.control.sendTestEvent(accountId, id);
  }

  @Post('pause')
  @HttpCode(200)
  @DeviceOnly('webhooks.manage')
  @Operation({
    id: 'pauseWebhook',
    tag: 'Webhooks',
    summary: 'Pause a webhook',
    description: 'Deliveries wait until the webhook is resumed. A disabled webhook cannot be paused.',
    response: singleResponse(WebhookDto),
    responseDescription: 'The paused webhook.',
    errorCodes: ['conflict'],
  })
  async pauseWebhook(@CurrentDevice() { accountId }: DevicePrincipal, @Param('id') id: string) {
    return { data: await this.control.pauseWebhook(accountId, id) };
  }

  @Post('resume')
  @HttpCode(200)
  @DeviceOnly('webhooks.manage')
  @Operation({
    id: 'resumeWebhook',
    tag: 'Webhooks',
    summary: 'Resume a webhook',
    description: 'Sends the waiting deliveries of a paused or disabled webhook.',
    response: singleResponse(WebhookDto),
    responseDescription: 'The active webhook.',
  })
  async resumeWebhook(@CurrentDevice() { accountId }: DevicePrincipal, @Param('id') id: string) {
    return { data: await this.control.resumeWebhook(accountId, id) };
  }

  @Post('rotate-secret')
  @HttpCode(200)
  @Header('Cache-Control', 'no-store')
  @DeviceOnly('webhooks.manage')
  @Operation({
    id: 'rotateWebhookSecret',
    tag: 'Webhooks',
    summary: 'Rotate the signing secret',
    description:
      'Replaces the signing secret. With `overlapSeconds`, deliveries have the signatures of both secrets for that ' +
      'time. The secret is returned only once.',
    response: unwrappedResponse(WebhookWithSecretDto),
    responseDescription: 'The webhook and its new secret.',
    examples: {
      request: { overlapSeconds: 3600 },
    },
  })
  rotateWebhookSecret(
    @CurrentDevice() { accountId }: DevicePrincipal,
    @Param('id') id: string,
    @Body() { overlapSeconds }: RotateWebhookSecretDto,
  ) {
    return this.control.rotateSecret(accountId, id, overlapSeconds);
  }
}
