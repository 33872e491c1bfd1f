import { EVENT_TYPES, type EventType } from '../../../core/events';
import { formatDelivery } from './delivery-format';

const HOST = 'https://api.example';
const idOf = (prefix: string) => `${prefix}_01m7xsah51f6ctt8c84t8wbh7e`;
const eventOf = (type: EventType, data: object) => ({ type, payload: JSON.stringify({ type, timestamp: 1, data }) });

describe('the format of deliveries', () => {
  it('is the event itself, unchanged, by default', () => {
    const event = { type: 'session.created' as const, payload: '{"data": {"id": 1}}' };
    expect(formatDelivery('standard', event, HOST)).toEqual({ body: event.payload, headers: {} });
  });

  it('is a text with a link for Slack', () => {
    const { body, headers } = formatDelivery('slack', eventOf('machine.offline', { id: idOf('mch') }), HOST);
    const text = `A machine is offline. <${HOST}/console/machines/${idOf('mch')}|Open the console>`;
    expect(JSON.parse(body)).toEqual({ text });
    expect(headers).toEqual({});
  });

  it('is a plain line with a title and a link for ntfy', () => {
    expect(formatDelivery('ntfy', eventOf('turn.ended', { id: idOf('turn'), sessionId: idOf('ses') }), HOST)).toEqual({
      body: 'A turn of an agent ends',
      headers: {
        'content-type': 'text/plain; charset=utf-8',
        title: 'External API',
        click: `${HOST}/console/sessions/${idOf('ses')}`,
      },
    });
  });

  it.each([
    ['permission.requested', { id: idOf('perm'), sessionId: idOf('ses') }, '/approvals'],
    ['turn.requires_action', { id: idOf('turn'), sessionId: idOf('ses') }, '/approvals'],
    ['session.deleted', { id: idOf('ses') }, '/sessions'],
    ['message.created', { id: idOf('msg'), sessionId: idOf('ses') }, `/sessions/${idOf('ses')}`],
    ['artifact.created', { id: idOf('art'), sessionId: idOf('ses') }, `/artifacts/${idOf('art')}`],
    ['artifact.deleted', { id: idOf('art'), sessionId: idOf('ses') }, '/artifacts'],
    ['invocation.ended', { id: idOf('inv'), machineId: idOf('mch') }, `/machines/${idOf('mch')}`],
    ['token.expiring', { id: idOf('tok') }, `/tokens/${idOf('tok')}`],
    ['webhook.disabled', { id: idOf('whk') }, `/webhooks/${idOf('whk')}`],
    ['relay.failed', { requestId: idOf('req'), sessionId: null, machineId: idOf('mch') }, `/activity/${idOf('req')}`],
    ['relay.completed', { requestId: idOf('req'), sessionId: idOf('ses') }, `/activity/${idOf('req')}`],
    ['turn.ended', { id: idOf('turn'), requestId: idOf('req'), sessionId: idOf('ses') }, `/sessions/${idOf('ses')}`],
    ['key_grant.created', { id: idOf('grt') }, ''],
    ['session.created', { id: 'ses_"><script>' }, ''],
  ] as const)('links %s of %j to %s', (type, data, path) => {
    expect(formatDelivery('ntfy', eventOf(type, data), HOST).headers.click).toBe(`${HOST}/console${path}`);
  });

  it.each(['slack', 'ntfy'] as const)('has no text of the event for %s', (format) => {
    for (const type of EVENT_TYPES) {
      const data = { id: idOf('mch'), name: 'A name', title: 'A title', description: 'About' };
      const sent = JSON.stringify(formatDelivery(format, eventOf(type, data), HOST));
      for (const text of ['A name', 'A title', 'About']) expect(sent).not.toContain(text);
    }
  });
});
