import { createSecretKey } from 'node:crypto';
import type { Resolver } from 'node:dns/promises';
import { Clock } from '../../../src/common/clock';
import { loadConfig } from '../../../src/core/config';
import { AddressPolicy } from '../../../src/modules/webhook-sending/address-policy';
import { EgressProxy } from '../../../src/modules/webhook-sending/egress-proxy';
import { GuardedAgent } from '../../../src/modules/webhook-sending/guarded-agent';
import { HostResolver } from '../../../src/modules/webhook-sending/host-resolver';
import { WebhookSender } from '../../../src/modules/webhook-sending/webhook-sender';
import { TargetUrlValidator } from '../../../src/modules/webhook-sending/target-url-validator';
import { createScratchFolder } from '../scratch-folder';
import type { DnsServer } from './dns-server';

class TestHostResolver extends HostResolver {
  constructor(private readonly server: DnsServer | null) {
    super();
  }

  protected override createResolver(): Resolver {
    const resolver = super.createResolver();
    if (this.server) resolver.setServers([this.server.address]);
    return resolver;
  }
}

/** Creates the services that send webhooks, with the test's DNS server. */
export function createSendingServices(env: NodeJS.ProcessEnv = {}, server: DnsServer | null = null) {
  const config = loadConfig({ DATA_DIR: createScratchFolder(), WEBHOOK_ALLOW_HTTP: 'true', ...env });
  const addressPolicy = new AddressPolicy(config);
  const hostResolver = new TestHostResolver(server);
  const agent = new GuardedAgent(addressPolicy, hostResolver, new EgressProxy(config, new Clock()));
  const webhookSender = new WebhookSender(config, agent, new Clock());
  return {
    urls: new TargetUrlValidator(config, addressPolicy, hostResolver),
    agent,
    send: (url: string) =>
      webhookSender.sendRequest({
        url,
        eventId: 'evt_1',
        body: '{}',
        signingKeys: [createSecretKey(Buffer.alloc(32))],
        traceparent: null,
      }),
  };
}
