import { Registry } from 'prom-client';
import type { WebhookExchange } from '../../webhook-sending';
import { WebhookMetrics } from './webhook-metrics';

describe('WebhookMetrics', () => {
  it('exports renamed metrics under their new and their old name', async () => {
    const registry = new Registry();
    const webhookMetrics = new WebhookMetrics(registry);
    webhookMetrics.recordAttemptStart();
    webhookMetrics.recordAttemptStart();
    webhookMetrics.recordAttemptEnd();
    webhookMetrics.recordLeasedQueues(3);
    webhookMetrics.recordAttempt('delivered', { status: 204, error: null, durationMs: 20 } as WebhookExchange);
    const lines = (await registry.metrics()).split('\n');
    expect(lines).toContain('webhook_deliveries_total{state="delivered"} 1');
    for (const [name, oldName] of [
      ['webhook_in_flight_attempts 1', 'webhook_in_flight_tries 1'],
      ['webhook_leased_endpoint_queues 3', 'webhook_leased_lanes 3'],
      ['webhook_attempt_seconds_sum{outcome="success"} 0.02', 'webhook_try_seconds_sum{outcome="success"} 0.02'],
    ]) {
      expect(lines).toContain(name);
      expect(lines).toContain(oldName);
    }
  });
});
