import { isMissing } from '../../support/dependencies';
import { createBackend, type Backend } from '../../support/backend';
import { ForeignAccountDevice } from '../../support/device/foreign-device';
import type { HttpClient } from '../../support/http-client';
import { ServiceProcess } from '../../support/service-process';
import { Bystander } from './bystander';

/** Service process under attack, with a bystander of another account. */
export class AttackTarget {
  private constructor(
    private readonly backend: Backend,
    readonly service: ServiceProcess,
    readonly bystander: Bystander,
  ) {}

  /** Starts the service on PostgreSQL and Redis if both are available, and on the embedded database otherwise. */
  static async start(env: NodeJS.ProcessEnv = {}): Promise<AttackTarget> {
    const backend = await createBackend(isMissing('PostgreSQL', 'Redis') ? 'embedded' : 'services');
    const service = await ServiceProcess.start({
      // All tests of a file pair devices and fail to sign in from one address.
      RATE_LIMIT_ADDRESS: '1000000',
      RATE_LIMIT_METADATA: '1000000',
      LOG_LEVEL: 'warn',
      ...backend.env,
      ...env,
    });
    const owner = await ForeignAccountDevice.signUp(service.http);
    const { token } = await owner.createToken(['sessions:read']);
    const bystander = await Bystander.start(`${service.http.url}/external/v1/sessions`, token);
    return new AttackTarget(backend, service, bystander);
  }

  /** Environment with its database and Redis. */
  get env(): NodeJS.ProcessEnv {
    return this.backend.env;
  }

  get http(): HttpClient {
    return this.service.http;
  }

  /** Attacked process. */
  get pid(): number {
    return this.service.pid;
  }

  async stop(): Promise<void> {
    await this.bystander.stop();
    await this.service.stop('SIGKILL');
    await this.backend.dispose();
  }
}
