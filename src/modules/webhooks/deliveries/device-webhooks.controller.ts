import { Body, Controller, Get, Header, HttpCode, Param, Post, Query } from '@nestjs/common';
import { CurrentDevice, DeviceOnly, type DevicePrincipal } from '../../../access/auth';
import { WebhookControlService } from '../subscriptions/webhook-control.service';
import { RotateWebhookSecretDto } from '../subscriptions/webhooks.dto';
import { DeliveriesService } from './deliveries.service';
import { ListDeliveriesQueryDto, ReplayFailedDeliveriesDto } from './deliveries.dto';

/** Manages webhooks and their delivery log for account devices (docs/protocol/webhooks.md#management). */
@Controller('v1/webhooks/:id')
export class DeviceWebhooksController {
  constructor(
    private readonly deliveries: DeliveriesService,
    private readonly control: WebhookControlService,
  ) {}

  @Get('deliveries')
  @DeviceOnly('webhooks.manage')
  listDeliveries(
    @CurrentDevice() { accountId }: DevicePrincipal,
    @Param('id') id: string,
    @Query() query: ListDeliveriesQueryDto,
  ) {
    return this.deliveries.listDeliveries(accountId, id, query);
  }

  @Get('deliveries/:deliveryId')
  @DeviceOnly('webhooks.manage')
  async getDelivery(
    @CurrentDevice() { accountId }: DevicePrincipal,
    @Param('id') id: string,
    @Param('deliveryId') deliveryId: string,
  ) {
    return { data: await this.deliveries.getDelivery(accountId, id, deliveryId) };
  }

  @Post('deliveries/:deliveryId/replay')
  @DeviceOnly('webhooks.manage')
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
  async replayFailedDeliveries(
    @CurrentDevice() { accountId }: DevicePrincipal,
    @Param('id') id: string,
    @Body() { since }: ReplayFailedDeliveriesDto,
  ) {
    return { count: await this.deliveries.replayFailedDeliveries(accountId, id, new Date(since)) };
  }

  @Post('test')
  @HttpCode(202)
  @DeviceOnly('webhooks.manage')
  sendTestEvent(@CurrentDevice() { accountId }: DevicePrincipal, @Param('id') id: string): Promise<void> {
    return this.control.sendTestEvent(accountId, id);
  }

  @Post('pause')
  @HttpCode(200)
  @DeviceOnly('webhooks.manage')
  async pauseWebhook(@CurrentDevice() { accountId }: DevicePrincipal, @Param('id') id: string) {
    return { data: await this.control.pauseWebhook(accountId, id) };
  }

  @Post('resume')
  @HttpCode(200)
  @DeviceOnly('webhooks.manage')
  async resumeWebhook(@CurrentDevice() { accountId }: DevicePrincipal, @Param('id') id: string) {
    return { data: await this.control.resumeWebhook(accountId, id) };
  }

  @Post('rotate-secret')
  @HttpCode(200)
  @Header('Cache-Control', 'no-store')
  @DeviceOnly('webhooks.manage')
  rotateWebhookSecret(
    @CurrentDevice() { accountId }: DevicePrincipal,
    @Param('id') id: string,
    @Body() { overlapSeconds }: RotateWebhookSecretDto,
  ) {
    return this.control.rotateSecret(accountId, id, overlapSeconds);
  }
}
