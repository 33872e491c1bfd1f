import { ServerResponse, type IncomingMessage } from 'node:http';
import type { Socket as TcpSocket } from 'node:net';
import { Injectable } from '@nestjs/common';
import type { Server, Socket } from 'socket.io';
import { ApiError, PROBLEM_MEDIA_TYPE, toProblemDocument } from '../../../common/errors';
import { generateId } from '../../../common/ids';
import { Config } from '../../../core/config';
import { LiveOutputReceiver, type LiveOutputSender } from '../live/live-output-receiver';
import type { EngineConnection } from '../../relay-bus';
import { ByteBudgetRegistry } from './byte-budget-registry';
import { ClientAddressResolver } from './client-address-resolver';
import { GuardedSocket } from './guarded-socket';
import { SocketMetrics } from './socket-metrics';
import { UnjoinedSocketLimiter, type UnjoinedLimit } from './unjoined-socket-limiter';

const RETRY_AFTER_SECONDS = 5;

/**
 * Limits the number of unjoined device sockets, and the packets and bytes that each socket may send
 * (docs/decisions/0028).
 */
@Injectable()
export class SocketGuard {
  private readonly guardedSockets = new WeakMap<TcpSocket, GuardedSocket>();

  constructor(
    private readonly unjoinedSocketLimiter: UnjoinedSocketLimiter,
    private readonly byteBudgetRegistry: ByteBudgetRegistry,
    private readonly clientAddressResolver: ClientAddressResolver,
    private readonly socketMetrics: SocketMetrics,
    private readonly liveOutputReceiver: LiveOutputReceiver,
    private readonly config: Config,
  ) {}

  guardServer({ engine }: Server): void {
    engine.use(refuseKnownConnection);
    engine.opts.allowRequest = (request, decide) => {
      if (this.admitUpgrade(request)) decide(null, true);
    };
    engine.on('connection', (connection: EngineConnection) =>
      this.findGuardedSocket(connection)?.watchConnection(connection),
    );
  }

  /** Called when the handshake of the device was accepted. */
  acceptJoin(socket: Socket, sender: LiveOutputSender): void {
    const { deviceId } = sender.device;
    const tcpSocket = socket.conn.request.socket;
    const budget = this.byteBudgetRegistry.acquireBudget(deviceId);
    const release = () => this.byteBudgetRegistry.releaseBudget(deviceId);
    const receiveEvent = (packet: string) => this.liveOutputReceiver.receivePacket(sender, packet);
    if (this.guardedSockets.get(tcpSocket)?.acceptJoin(socket, budget, receiveEvent)) tcpSocket.once('close', release);
    else release();
  }

  /** Called when the handshake was refused. */
  refuseJoin(socket: Socket): void {
    this.findGuardedSocket(socket.conn)?.refuseJoin();
  }

  private findGuardedSocket({ request }: EngineConnection): GuardedSocket | undefined {
    return this.guardedSockets.get(request.socket);
  }

  private admitUpgrade(request: IncomingMessage): boolean {
    const address = this.clientAddressResolver.resolveAddress(request);
    const exceededLimit = this.unjoinedSocketLimiter.acquireSlot(address);
    if (exceededLimit) {
      this.socketMetrics.refusedSockets.inc({ limit: exceededLimit });
      this.sendProblem(request, unjoinedLimitError(exceededLimit));
      return false;
    }
    const guardedSocket = new GuardedSocket(request.socket, {
      onViolation: (violation) => this.socketMetrics.closedSockets.inc({ violation }),
      onSettled: () => this.unjoinedSocketLimiter.releaseSlot(address),
    });
    this.guardedSockets.set(request.socket, guardedSocket);
    return true;
  }

  /** Responds to an upgrade with a problem document. engine.io itself would always respond with 400. */
  private sendProblem(request: IncomingMessage, error: ApiError): void {
    const { socket } = request;
    socket.on('error', () => socket.destroy());
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    response.assignSocket(socket);
    response.once('finish', () => socket.destroySoon());
    const requestId = generateId('req');
    const body = JSON.stringify(toProblemDocument(error, this.config.publicUrl, requestId));
    response.writeHead(error.status, {
      'Content-Type': PROBLEM_MEDIA_TYPE,
      'Content-Length': Buffer.byteLength(body),
      'X-Request-Id': requestId,
      ...error.extras.headers,
    });
    response.end(body);
  }
}

/**
 * Refuses a request that names an open connection, which engine.io serves without `allowRequest`, also with
 * `allowUpgrades: false`. It would reach that connection past all limits of this guard.
 */
function refuseKnownConnection(request: object, _response: unknown, next: (error?: Error) => void): void {
  const { sid } = (request as { _query: { sid?: string } })._query;
  next(sid ? new Error('A request may not name a connection.') : undefined);
}

function unjoinedLimitError(limit: UnjoinedLimit): ApiError {
  const headers = { 'Retry-After': String(RETRY_AFTER_SECONDS) };
  if (limit === 'address') {
    const detail = 'Too many sockets from this address have not joined yet.';
    return new ApiError('rate_limited', detail, { members: { bucket: 'unjoined-sockets' }, headers });
  }
  const detail = 'Too many sockets have not joined yet.';
  return new ApiError('service_unavailable', detail, { members: { outcome: 'not_delivered' }, headers });
}
