import type { HttpClient } from '../../support/http-client';
import { Service } from '../../support/service';
import { Cluster } from '../../multi-instance/support/cluster';

/** The service as a browser meets it: one process on the embedded database, or two behind the load balancer. */
export interface BrowserEnvironment {
  readonly url: string;
  readonly http: HttpClient;
  stop(): Promise<void>;
}

/** Which of the two, the jest project says. */
export async function startBrowserEnvironment(env: NodeJS.ProcessEnv = {}): Promise<BrowserEnvironment> {
  if (process.env.TEST_STAGE !== 'cluster') return Service.start(env);
  const cluster = await Cluster.start({ instances: 2, redis: 'shared', env });
  return { url: cluster.balancer.url, http: cluster.http, stop: () => cluster.stop() };
}
