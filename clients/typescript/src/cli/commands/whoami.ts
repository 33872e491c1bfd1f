import type { CommandAction } from '../command-line/command-spec.ts';
import { formatRelativeTime } from '../output/relative-time.ts';

export const whoami: CommandAction = async (context) => {
  const { terminal, credential } = context;
  const { data, meta } = await context.createClient().me();
  if (terminal.isJson) {
    terminal.writeJson({ host: credential.host, ...data, rateLimits: meta.rateLimits });
    return;
  }
  const { account, token } = data;
  const kind = token.type === 'oauth' ? 'app' : 'personal access token';
  const { metadata, relay } = meta.rateLimits;
  terminal.writeFields([
    ['Host', credential.host],
    ['Account', `${terminal.show(account.username)} (${account.id})`],
    [
      'Credential',
      `${terminal.show(token.name)}, ${kind}${credential.origin === 'environment' ? ' of XAPI_TOKEN' : ''}`,
    ],
    ['Scopes', token.scopes.join(', ')],
    // A service of the previous release sends no list.
    ['Machines', token.machineIds?.join(', ') ?? 'all'],
    ['Expires', token.expiresAt === null ? 'never' : formatRelativeTime(token.expiresAt, context.now)],
    ['Calls left', `${metadata.remaining} of ${metadata.limit}, and ${relay.remaining} of ${relay.limit} relayed`],
  ]);
};
