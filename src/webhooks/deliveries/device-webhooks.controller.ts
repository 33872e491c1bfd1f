import { Body, Controller, Get, Header, HttpCode, Param, Post, Query } from '@nestjs/common';
import { CurrentDevice, DeviceOnly, type DevicePrincipal } from '../../auth';
import { WebhookControl } from '../subscriptions/webhook-control.service';
import { RotateSecretDto } from '../subscriptions/webhooks.dto';
import { DeliveriesService } from './deliveries.service';
import { DeliveryQuery, ReplayDto } from './deliveries.dto';

/** The delivery log and the switches of a webhook, for account devices (webhooks.md). */
@Controller('v1/webhooks/:id')
export class DeviceWebhooksController {
  constructor(
    private readonly deliveries: DeliveriesService,
    private readonly control: WebhookControl,
  ) {}

  @Get('deliveries')
  @DeviceOnly('webhooks.manage')
  list(@CurrentDevice() { accountId }: DevicePrincipal, @Param('id') id: string, @Query() query: DeliveryQuery) {
    return this.deliveries.list(accountId, id, query);
  }

  @Get('deliveries/:deliveryId')
  @DeviceOnly('webhooks.manage')
  async get(
    @CurrentDevice() { accountId }: DevicePrincipal,
    @Param('id') id: string,
    @Param('deliveryId') deliveryId: string,
  ) {
    return { data: await this.deliveries.get(accountId, id, deliveryId) };
  }

  @Post('deliveries/:deliveryId/replay')
  @DeviceOnly('webhooks.manage')
  async replay(
    @CurrentDevice() { accountId }: DevicePrincipal,
    @Param('id') id: string,
    @Param('deliveryId') deliveryId: string,
  ) {
    return { data: await this.deliveries.replay(accountId, id, deliveryId) };
  }

  @Post('replay')
  @HttpCode(202)
  @DeviceOnly('webhooks.manage')
  async replayFailed(
    @CurrentDevice() { accountId }: DevicePrincipal,
    @Param('id') id: string,
    @Body() { since }: ReplayDto,
  ) {
    return { count: await this.deliveries.replayFailed(accountId, id, new Date(since)) };
  }

  @Post('test')
  @HttpCode(202)
  @DeviceOnly('webhooks.manage')
  test(@CurrentDevice() { accountId }: DevicePrincipal, @Param('id') id: string): Promise<void> {
    return this.control.test(accountId, id);
  }

  @Post('pause')
  @HttpCode(200)
  @DeviceOnly('webhooks.manage')
  async pause(@CurrentDevice() { accountId }: DevicePrincipal, @Param('id') id: string) {
    return { data: await this.control.pause(accountId, id) };
  }

  @Post('resume')
  @HttpCode(200)
  @DeviceOnly('webhooks.manage')
  async resume(@CurrentDevice() { accountId }: DevicePrincipal, @Param('id') id: string) {
    return { data: await this.control.resume(accountId, id) };
  }

  @Post('rotate-secret')
  @HttpCode(200)
  @Header('Cache-Control', 'no-store')
  @DeviceOnly('webhooks.manage')
  rotateSecret(
    @CurrentDevice() { accountId }: DevicePrincipal,
    @Param('id') id: string,
    @Body() { overlapSeconds }: RotateSecretDto,
  ) {
    return this.control.rotateSecret(accountId, id, overlapSeconds);
  }
}
