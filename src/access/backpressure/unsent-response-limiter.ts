import type { Socket } from 'node:net';
import { getHeapStatistics } from 'node:v8';
import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { Response } from 'express';
import { Counter, Registry } from 'prom-client';
import { ApiError } from '../../common/errors';
import { PeriodicTask } from '../../common/periodic-task';
import { Config } from '../../core/config';
import { addGauge } from '../../core/metrics';

const MIB = 1_048_576;
/** Eight pages of content. */
const MAX_BYTES_PER_OWNER = 64 * MIB;
/** Eight owners at their limit. Beyond it, only owners above `FAIR_SHARE_BYTES` are refused. */
const MAX_BYTES_PER_INSTANCE = 512 * MIB;
/** The rows, the objects and the text of a response are in the heap at once, beside everything else. */
const MAX_HEAP_SHARE = 1 / 8;
/** The largest reservation, that of an export. */
const MIN_BYTES_PER_INSTANCE = 16 * MIB;
/** Beyond this multiple of the instance's limit, responses with content are refused to every owner. */
const HARD_LIMIT_FACTOR = 2;
const FAIR_SHARE_BYTES = MIB;
const RETRY_AFTER_SECONDS = 1;
const CHECKS_PER_STALL_TIMEOUT = 6;
const MAX_CHECK_INTERVAL_MS = 1_000;

/** Response whose bytes are not all sent. */
class UnsentResponse {
  /** Bytes currently counted for the owner. */
  chargedBytes = 0;
  private lastProgressAt: number;
  private lastProgressMark = '';

  constructor(
    readonly owner: string,
    readonly response: Response,
    private readonly reservedBytes: number,
    now: number,
  ) {
    this.lastProgressAt = now;
  }

  /** Bytes that the kernel has not accepted; until the response is written, at least its reservation. */
  get pendingBytes(): number {
    const { writableEnded, writableLength } = this.response;
    return writableEnded ? writableLength : Math.max(this.reservedBytes, writableLength);
  }

  /** Returns for how many ms the kernel has accepted no byte although data was pending. */
  getStalledMs(now: number): number {
    const { socket, writableLength } = this.response;
    const progressMark = socket && writableLength > 0 ? readProgressMark(socket) : '';
    if (progressMark === '' || progressMark !== this.lastProgressMark) this.lastProgressAt = now;
    this.lastProgressMark = progressMark;
    return now - this.lastProgressAt;
  }
}

/** Returns the limits in bytes, which are lower in a small heap. */
export function computeLimits(heapLimitBytes: number): { perOwner: number; perInstance: number; hard: number } {
  const heapShare = Math.max(MIN_BYTES_PER_INSTANCE, Math.floor(heapLimitBytes * MAX_HEAP_SHARE));
  const perInstance = Math.min(MAX_BYTES_PER_INSTANCE, heapShare);
  return { perOwner: Math.min(MAX_BYTES_PER_OWNER, perInstance), perInstance, hard: HARD_LIMIT_FACTOR * perInstance };
}

/** Limits the unsent response bytes per caller and closes stalled responses. */
@Injectable()
export class UnsentResponseLimiter implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly responses = new Set<UnsentResponse>();
  private readonly bytesByOwner = new Map<string, number>();
  private totalBytes = 0;
  private readonly limits = computeLimits(getHeapStatistics().heap_size_limit);
  private readonly stallTimeoutMs: number;
  private readonly stallCheckTask: PeriodicTask;
  private readonly refusedRequests: Counter;
  private readonly stalledResponses: Counter;

  constructor({ responseStallSeconds }: Config, registry: Registry) {
    this.stallTimeoutMs = responseStallSeconds * 1_000;
    const checkIntervalMs = Math.min(MAX_CHECK_INTERVAL_MS, this.stallTimeoutMs / CHECKS_PER_STALL_TIMEOUT);
    this.stallCheckTask = new PeriodicTask('stalled response check', checkIntervalMs, () =>
      this.closeStalledResponses(),
    );
    const registers = [registry];
    this.refusedRequests = new Counter({
      name: 'http_unsent_refused_total',
      help: 'Requests refused because the caller left too many response bytes unread',
      registers,
    });
    this.stalledResponses = new Counter({
      name: 'http_stalled_responses_total',
      help: 'Responses closed because the client read nothing for too long',
      registers,
    });
    addGauge(
      registry,
      'http_unsent_bytes',
      'Unsent response bytes of this instance, including reservations',
      () => this.totalBytes,
    );
  }

  onApplicationBootstrap(): void {
    this.stallCheckTask.start();
  }

  onApplicationShutdown(): Promise<void> {
    return this.stallCheckTask.stop();
  }

  /**
   * Counts the bytes of a response until it is sent.
   * @param owner account id, or the address of an unauthenticated caller
   * @param reservedBytes upper bound of the content's bytes
   * @throws ApiError 503 `service_unavailable` if the owner has too many unsent bytes
   */
  admitResponse(owner: string, response: Response, reservedBytes: number): void {
    // The client has disconnected, so nothing is buffered.
    if (response.destroyed) return;
    const ownerBytes = this.bytesByOwner.get(owner) ?? 0;
    const { perOwner, perInstance, hard } = this.limits;
    const total = this.totalBytes + reservedBytes;
    const isOverShare = total > perInstance && ownerBytes > FAIR_SHARE_BYTES;
    if (ownerBytes + reservedBytes > perOwner || isOverShare || (reservedBytes > 0 && total > hard)) {
      this.refusedRequests.inc();
      throw tooManyUnsentBytesError();
    }
    const unsentResponse = new UnsentResponse(owner, response, reservedBytes, performance.now());
    this.responses.add(unsentResponse);
    this.chargeOwner(unsentResponse, unsentResponse.pendingBytes);
    // The response is completely written, and a part of it may be sent already.
    response.on('prefinish', () => this.chargeOwner(unsentResponse, unsentResponse.pendingBytes));
    response.on('close', () => {
      this.responses.delete(unsentResponse);
      this.chargeOwner(unsentResponse, 0);
    });
  }

  private chargeOwner(unsentResponse: UnsentResponse, bytes: number): void {
    const addedBytes = bytes - unsentResponse.chargedBytes;
    if (addedBytes === 0) return;
    unsentResponse.chargedBytes = bytes;
    this.totalBytes += addedBytes;
    const ownerBytes = (this.bytesByOwner.get(unsentResponse.owner) ?? 0) + addedBytes;
    if (ownerBytes > 0) this.bytesByOwner.set(unsentResponse.owner, ownerBytes);
    else this.bytesByOwner.delete(unsentResponse.owner);
  }

  private closeStalledResponses(): void {
    const now = performance.now();
    for (const unsentResponse of this.responses) {
      this.chargeOwner(unsentResponse, unsentResponse.pendingBytes);
      if (unsentResponse.getStalledMs(now) < this.stallTimeoutMs) continue;
      this.stalledResponses.inc();
      unsentResponse.response.socket?.destroy();
    }
  }
}

function tooManyUnsentBytesError(): ApiError {
  return new ApiError(
    'service_unavailable',
    'Too many bytes of earlier responses are unread. Read them, then try again.',
    {
      members: { outcome: 'not_delivered' },
      headers: { 'Retry-After': String(RETRY_AFTER_SECONDS) },
    },
  );
}

/**
 * Returns a value that changes with every byte that the kernel accepts. Node counts a chunk only when all of it is
 * accepted; only the handle knows the rest of a chunk.
 */
function readProgressMark(socket: Socket): string {
  const { _handle: handle } = socket as Socket & { _handle?: { writeQueueSize?: number } | null };
  return `${socket.bytesWritten - socket.writableLength}/${handle?.writeQueueSize ?? 0}`;
}
