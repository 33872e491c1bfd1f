import type { OpenApiNode } from '../../../support/conformance';
import { createDeviceApiBaselines, type BaselineFactory } from './device-api-baselines';
import { DeviceApiFixture } from './device-api-fixture';
import type { FuzzedOperation } from './fuzzed-operations';
import { startFuzzedService, type FuzzedService } from './fuzzed-service';
import type { RequestDraft } from './request-draft';

/** Returns whether a response means that the record of a request, or the attempts of its account, may be used up. */
export const isRenewing = (status: number) => status < 300 || status === 429;

/** Real service with an account for the operations of the device API. */
export class DeviceApiEnvironment {
  private constructor(
    private readonly fuzzed: FuzzedService,
    private readonly fixture: DeviceApiFixture,
    readonly document: OpenApiNode,
    private readonly baselines: Record<string, BaselineFactory>,
  ) {}

  static async start(): Promise<DeviceApiEnvironment> {
    const fuzzed = await startFuzzedService();
    const { http } = fuzzed.service;
    const fixture = await DeviceApiFixture.create(http.url);
    const document = (await http.get('/v1/openapi.json')).body as OpenApiNode;
    return new DeviceApiEnvironment(fuzzed, fixture, document, await createDeviceApiBaselines(fixture));
  }

  get url(): string {
    return this.fixture.http.url;
  }

  get logs(): readonly string[] {
    return this.fuzzed.logs;
  }

  get isRunning(): boolean {
    return this.fuzzed.service.isRunning;
  }

  /**
   * Returns a request that succeeds, with new records where a request uses them up.
   * @param present draft to keep where it does not
   */
  async createBaselineDraft(operation: FuzzedOperation, present?: RequestDraft): Promise<RequestDraft> {
    const factory = this.baselines[operation.id] ?? {};
    if (present && typeof factory !== 'function') return present;
    const { ids = [], json, token } = typeof factory === 'function' ? await factory() : factory;
    const remainingIds = [...ids];
    return {
      method: operation.method,
      path: operation.path.replace(/\{\w+\}/g, () => remainingIds.shift() ?? 'missing'),
      query: [],
      headers: [
        ...(operation.body ? [['Content-Type', operation.body.type] as [string, string]] : []),
        ...(operation.security === 'device'
          ? [['Authorization', `Bearer ${token ?? this.pickCaller(operation)}`] as [string, string]]
          : []),
      ],
      ...(operation.body && { json: json ?? operation.body.example }),
    };
  }

  /** Returns the credential of the request, and valid ones of other kinds, none of which may delete the account. */
  listCredentials({ headers }: RequestDraft): string[] {
    const own = headers.find(([name]) => name === 'Authorization')?.[1].replace('Bearer ', '');
    const { token, machine } = this.fixture;
    return [...new Set([own ?? token, token, machine.token])];
  }

  async stop(): Promise<void> {
    this.fixture.socket.close();
    await this.fuzzed.service.stop('SIGKILL');
    await this.fuzzed.backend.dispose();
  }

  /** Returns the token of a device, which only a few operations share. */
  private pickCaller({ id }: FuzzedOperation): string {
    const { callers } = this.fixture;
    const hash = [...id].reduce((sum, character) => sum + character.charCodeAt(0), 0);
    return callers[hash % callers.length]!.token;
  }
}
