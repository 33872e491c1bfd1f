import type { Cluster, Command, Pipeline, Redis } from 'ioredis';
import { failSpan, startClientSpan } from '../../common/tracing';

const REDIS = 'redis';

/**
 * Adds a span for each command that a request or another traced work sends to Redis, without its arguments. The
 * channels of `diagnostics_channel` don't suit: concurrent requests share a pipeline, which is sent in the context of
 * the request that sent the first command. A pipeline gets each command in the context of its own request.
 */
export function traceCommands(redis: Redis | Cluster): void {
  const tracedCommands = new WeakSet<Command>();
  const startOnce = (command: Command) => {
    // A pipeline sends its commands to the connection later.
    if (tracedCommands.has(command)) return;
    tracedCommands.add(command);
    traceCommand(command);
  };
  const sendCommand = redis.sendCommand.bind(redis);
  redis.sendCommand = (command: Command, ...more: [stream?: never, node?: never]) => {
    startOnce(command);
    return sendCommand(command, ...more);
  };
  const createPipeline = redis.pipeline.bind(redis);
  redis.pipeline = (...args) => {
    const commands = createPipeline(...args);
    const pipeline = commands as unknown as Pipeline;
    const addCommand = pipeline.sendCommand.bind(pipeline);
    pipeline.sendCommand = (command) => {
      startOnce(command);
      return addCommand(command);
    };
    return commands;
  };
}

function traceCommand({ name, promise }: Command): void {
  const operation = name.toUpperCase();
  const span = startClientSpan(operation, { 'db.system.name': REDIS, 'db.operation.name': operation });
  if (!span) return;
  promise.then(
    () => span.end(),
    (error: Error) => {
      // Redis begins an error with its code, such as `NOSCRIPT`.
      failSpan(span, /^[A-Z]+(?= )/.exec(error.message)?.[0] ?? error.name);
      span.end();
    },
  );
}
