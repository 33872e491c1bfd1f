import { createSecretKey } from 'node:crypto';
import type { Resolver } from 'node:dns/promises';
import { Clock } from '../../../src/common/clock';
import { loadConfig } from '../../../src/config';
import { AddressRules } from '../../../src/webhooks/sending/address-rules';
import { GuardedAgent } from '../../../src/webhooks/sending/guarded-agent';
import { Names } from '../../../src/webhooks/sending/names';
import { Sender } from '../../../src/webhooks/sending/sender';
import { TargetUrls } from '../../../src/webhooks/sending/target-url';
import { scratchFolder } from '../scratch';
import type { NameServer } from './name-server';

class NamesOf extends Names {
  constructor(private readonly server: NameServer | null) {
    super();
  }

  protected override resolver(): Resolver {
    const resolver = super.resolver();
    if (this.server) resolver.setServers([this.server.address]);
    return resolver;
  }
}

/** The sending part as the service puts it together, with a name server of the test's. */
export function sending(env: NodeJS.ProcessEnv = {}, server: NameServer | null = null) {
  const config = loadConfig({ DATA_DIR: scratchFolder(), WEBHOOK_ALLOW_HTTP: 'true', ...env });
  const rules = new AddressRules(config);
  const names = new NamesOf(server);
  const agent = new GuardedAgent(rules, names);
  const sender = new Sender(agent, new Clock());
  return {
    urls: new TargetUrls(config, rules, names),
    agent,
    send: (url: string) =>
      sender.send({
        url,
        eventId: 'evt_1',
        body: '{}',
        keys: [createSecretKey(Buffer.alloc(32))],
        traceparent: null,
      }),
  };
}
