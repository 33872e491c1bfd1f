import { Module } from '@nestjs/common';
import { AddressPolicy } from './address-policy';
import { EgressProxy } from './egress-proxy';
import { GuardedAgent } from './guarded-agent';
import { HostResolver } from './host-resolver';
import { TargetUrlValidator } from './target-url-validator';
import { WebhookSender } from './webhook-sender';

/** Sends signed requests to URLs that others chose, and to no address inside of the network. */
@Module({
  providers: [AddressPolicy, EgressProxy, GuardedAgent, HostResolver, TargetUrlValidator, WebhookSender],
  exports: [TargetUrlValidator, WebhookSender],
})
export class WebhookSendingModule {}
