import { Redis } from 'ioredis';
import { waitFor } from '../../support/wait-for';

/** Attacker with every command of Redis and none of the service's secrets. Uses database 0, unlike the service. */
export class RedisWiretap {
  /** All messages to the instances that the attacker subscribed to, in order. */
  readonly capturedMessages: { instance: string; message: string }[] = [];
  private readonly listener: Redis;
  readonly redis: Redis;

  private constructor(url: string) {
    const first = new URL(url);
    first.pathname = '/0';
    this.redis = new Redis(first.href);
    this.listener = new Redis(first.href);
    this.listener.on('message', (channel: string, message: string) => {
      this.capturedMessages.push({ instance: channel.slice('relay:to:'.length), message });
    });
  }

  static async start(url: string, ...instances: string[]): Promise<RedisWiretap> {
    const wiretap = new RedisWiretap(url);
    if (instances.length > 0) await wiretap.listener.subscribe(...instances.map((name) => `relay:to:${name}`));
    return wiretap;
  }

  /** Waits for the message of this type that contains the call id. */
  waitForMessage(type: string, callId: string): Promise<string> {
    return waitFor(() => {
      const markers = [`"type":"${type}"`, callId];
      const found = this.capturedMessages.find(({ message }) => markers.every((mark) => message.includes(mark)));
      if (!found) throw new Error(`No ${type} of ${callId} was captured.`);
      return found.message;
    });
  }

  /** Returns the number of instances that received the message. */
  publishMessage(instance: string, message: string): Promise<number> {
    return this.redis.publish(`relay:to:${instance}`, message);
  }

  publishForgedMessage(instance: string, head: object, body: object | string = ''): Promise<number> {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    return this.publishMessage(instance, `${JSON.stringify({ version: 1, ...head })}\n${text}`);
  }

  stop(): void {
    this.redis.disconnect();
    this.listener.disconnect();
  }
}
