import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { CurrentDevice, DeviceOrBrowserOnly, type DevicePrincipal } from '../../access/auth';
import { noContentResponse, Operation, singleResponse, unwrappedResponse } from '../../common/http';
import { PageQueryDto } from '../../common/pages';
import { PushSubscriptionDto, PushSubscriptionPageDto } from './push-subscription.response.dto';
import { CreatePushSubscriptionDto } from './push-subscriptions.dto';
import { PushSubscriptionsService } from './push-subscriptions.service';

/** Turns the notifications of browsers on and off (docs/protocol/push.md). */
@Controller('v1/push-subscriptions')
export class PushSubscriptionsController {
  constructor(private readonly service: PushSubscriptionsService) {}

  @Post()
  @DeviceOrBrowserOnly('push-subscriptions.manage')
  @Operation({
    id: 'createPushSubscription',
    tag: 'Notifications',
    summary: 'Turn notifications on',
    description:
      'Subscribes the browser that calls, instead of its subscription before, and of one of another account with the ' +
      'same endpoint. 409 `conflict` if the operator has not turned notifications on.',
    response: singleResponse(PushSubscriptionDto),
    responseDescription: 'The subscription.',
    errorCodes: ['plan_limit_exceeded', 'conflict'],
  })
  async createPushSubscription(@CurrentDevice() device: DevicePrincipal, @Body() body: CreatePushSubscriptionDto) {
    return { data: await this.service.createSubscription(device, body) };
  }

  @Get()
  @DeviceOrBrowserOnly('push-subscriptions.manage')
  @Operation({
    id: 'listPushSubscriptions',
    tag: 'Notifications',
    summary: 'List browsers with notifications',
    description:
      'The browsers of the account that get notifications, newest first, and the key with which they subscribe.',
    response: unwrappedResponse(PushSubscriptionPageDto),
    responseDescription: 'A page of push subscriptions.',
    errorCodes: ['invalid_cursor'],
  })
  listPushSubscriptions(@CurrentDevice() { accountId }: DevicePrincipal, @Query() query: PageQueryDto) {
    return this.service.listSubscriptions(accountId, query);
  }

  @Delete(':id')
  @HttpCode(204)
  @DeviceOrBrowserOnly('push-subscriptions.manage')
  @Operation({
    id: 'deletePushSubscription',
    tag: 'Notifications',
    summary: 'Turn notifications off',
    description: 'Deletes the subscription of any browser of the account.',
    response: noContentResponse,
    responseDescription: 'The subscription was deleted.',
  })
  deletePushSubscription(@CurrentDevice() { accountId }: DevicePrincipal, @Param('id') id: string): Promise<void> {
    return this.service.deleteSubscription(accountId, id);
  }
}
