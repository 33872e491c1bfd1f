import type { IncomingMessage, Server, ServerResponse } from 'node:http';

const awaitingContinue = new WeakSet<IncomingMessage>();
const requestsWithUnmetExpectation = new WeakSet<IncomingMessage>();

/**
 * Passes requests with an `Expect` header (RFC 9110 §10.1.1) to the application. By default, Node.js sends 100 Continue
 * before the credential has been checked.
 */
export function handleExpectHeaders(server: Server): void {
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    awaitingContinue.add(request);
    server.emit('request', request, response);
  });
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    requestsWithUnmetExpectation.add(request);
    server.emit('request', request, response);
  });
}

/** Returns whether the client waits for 100 Continue before it sends the body. */
export function awaitsContinue(request: IncomingMessage): boolean {
  return awaitingContinue.has(request);
}

/** Sends 100 Continue if the client waits for it. Called just before the body is read. */
export function sendContinue(request: IncomingMessage, response: ServerResponse): void {
  if (awaitingContinue.delete(request)) response.writeContinue();
}

/** Returns whether the client expects anything other than `100-continue`. */
export function hasUnmetExpectation(request: IncomingMessage): boolean {
  return requestsWithUnmetExpectation.has(request);
}
