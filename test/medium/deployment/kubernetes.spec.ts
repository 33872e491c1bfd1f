import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadConfig, SETTING_NAMES } from '../../../src/core/config';
import { TEST_GRANT_KEYS } from '../../support/grant-keys';
import { createTempFolder } from '../../support/temp-folder';
import { readDockerfile, REPOSITORY_ROOT } from './dockerfile';
import { readManifests, type Manifest } from './kubernetes-manifests';

/** A graceful shutdown ends within a minute (`GracefulShutdownService`). */
const SHUTDOWN_SECONDS = 60;
/** `max_connections` of PostgreSQL without those that are reserved for superusers. */
const MAX_CONNECTIONS = 97;
/** How long a migration waits for that of another process (`advisory-locks.ts`). */
const MIGRATION_LOCK_WAIT_SECONDS = 600;

type ModelClass = new (manifest: object) => { validate(): void };

/** Validates a manifest against the schema of its kind. */
function validateManifest(manifest: Manifest): void {
  // oxlint-disable-next-line typescript/no-require-imports -- the module depends on the kind
  const models = require(`kubernetes-models/${manifest.apiVersion}`) as Record<string, ModelClass>;
  new models[manifest.kind]!(manifest).validate();
}

describe('deploy/kubernetes', () => {
  const manifests = readManifests();
  const { Deployment: deployment, Job: job, ConfigMap: configMap, Secret: secret } = manifests;
  const image = readDockerfile().at(-1)!;
  const pods = [deployment, job].map(({ spec }) => spec.template.spec);
  const api = pods[0].containers[0];
  const settings = configMap.data as Record<string, string>;

  it.each(Object.values(manifests).map((manifest) => [manifest.kind, manifest] as const))(
    'has a %s that its Kubernetes schema accepts, in no namespace',
    (_, manifest) => {
      expect(() => validateManifest(manifest)).not.toThrow();
      expect(manifest.metadata.namespace).toBeUndefined();
      expect(manifest.metadata.name).toMatch(/^external-api(-migrate)?$/);
    },
  );

  it('would not be accepted with a wrong type or without a required field', () => {
    const { selector: _selector, ...spec } = deployment.spec;
    expect(() => validateManifest({ ...deployment, spec })).toThrow();
    expect(() => validateManifest({ ...manifests.Service, spec: { ports: [{ port: 'eighty' }] } })).toThrow();
  });

  it('has only settings of the service, which are valid with the files of the Secret', () => {
    const known = SETTING_NAMES.flatMap((name) => [name, `${name}_FILE`]);
    expect(Object.keys(settings).filter((name) => !known.includes(name))).toEqual([]);
    const load = (files: Record<string, string>) => {
      const folder = createTempFolder();
      for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), `${text}\n`);
      const env = Object.entries(settings).map(([name, value]) => [name, value.replace(/^\/secrets\//, `${folder}/`)]);
      return loadConfig({ ...image.env, ...(Object.fromEntries(env) as NodeJS.ProcessEnv) });
    };
    const example = secret.stringData as Record<string, string>;
    expect(() => load(example)).toThrow(/APP_SECRET must be .*\n.*GRANT_KEYS must be /);
    expect(load({ ...example, 'app-secret': 'x'.repeat(32), 'grant-keys': TEST_GRANT_KEYS })).toMatchObject({
      host: '0.0.0.0',
      port: api.ports[0].containerPort,
      metricsPort: api.ports[1].containerPort,
      database: { kind: 'postgres', migratesOnStart: false },
      redisUrl: example['redis-url'],
      signup: 'closed',
    });
    const mounted = Object.values(settings).flatMap((value) => /^\/secrets\/(.+)/.exec(value)?.[1] ?? []);
    expect(mounted.sort()).toEqual(Object.keys(example).sort());
  });

  it.each([0, 1])('runs pod %d unprivileged, on a read-only root file system, with settings and secrets', (index) => {
    const { containers, securityContext, volumes, ...pod } = pods[index];
    const [container] = containers;
    const user = securityContext.runAsUser;
    expect(`${user}:${securityContext.runAsGroup}`).toBe(image.settings.USER);
    expect(securityContext).toMatchObject({
      runAsNonRoot: true,
      fsGroup: user,
      seccompProfile: { type: 'RuntimeDefault' },
    });
    expect(pod).toMatchObject({ automountServiceAccountToken: false, enableServiceLinks: false });
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    expect(container.envFrom).toEqual([{ configMapRef: { name: configMap.metadata.name } }]);
    expect(container.env).toBeUndefined();
    expect(container.image).toBe(api.image);
    expect(container.resources.limits.memory).toBeDefined();
    expect(container.volumeMounts).toEqual([{ name: 'secrets', mountPath: '/secrets', readOnly: true }]);
    // 0440 for the group of the process.
    expect(volumes).toEqual([{ name: 'secrets', secret: { secretName: secret.metadata.name, defaultMode: 0o440 } }]);
  });

  it('migrates in the Job with a program of the image, and starts the command of the image otherwise', () => {
    expect(pods[1].containers[0].command).toEqual(['node', 'dist/programs/admin.js', 'migrate']);
    expect(pods[1].restartPolicy).toBe('Never');
    expect([api.command, api.args]).toEqual([undefined, undefined]);
  });

  it('gives a migration time for the indexes of large tables after the longest wait for another one', () => {
    expect(job.spec.activeDeadlineSeconds).toBeGreaterThan(2 * MIGRATION_LOCK_WAIT_SECONDS);
  });

  it('lets only readiness depend on the database', () => {
    expect(api.startupProbe.httpGet).toEqual({ path: '/health/live', port: 'http' });
    expect(api.livenessProbe.httpGet).toEqual({ path: '/health/live', port: 'http' });
    expect(api.readinessProbe.httpGet).toEqual({ path: '/health/ready', port: 'http' });
    const { periodSeconds, failureThreshold } = api.startupProbe;
    expect(periodSeconds * failureThreshold).toBeGreaterThanOrEqual(120);
  });

  it('leaves a pod the time of preStop and of a graceful shutdown', () => {
    const [program, seconds] = api.lifecycle.preStop.exec.command as [string, string];
    expect(program).toBe('sleep');
    expect(pods[0].terminationGracePeriodSeconds).toBe(65);
    expect(Number(seconds) + SHUTDOWN_SECONDS).toBeLessThan(pods[0].terminationGracePeriodSeconds);
    expect(api.readinessProbe.timeoutSeconds).toBeGreaterThan(2);
  });

  it('selects the instances everywhere, and not the migration', () => {
    const { labels } = deployment.spec.template.metadata;
    const selectors = [
      deployment.spec.selector.matchLabels,
      manifests.Service.spec.selector,
      manifests.PodDisruptionBudget.spec.selector.matchLabels,
      manifests.NetworkPolicy.spec.podSelector.matchLabels,
      ...pods[0].topologySpreadConstraints.map((each: any) => each.labelSelector.matchLabels),
    ];
    for (const selector of selectors) expect(selector).toEqual(labels);
    expect(job.spec.template.metadata.labels).not.toEqual(labels);
    expect(manifests.HorizontalPodAutoscaler.spec.scaleTargetRef).toEqual({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      name: deployment.metadata.name,
    });
  });

  it('opens the port of the service to everyone, and that of the metrics to the monitoring only', () => {
    const ports = api.ports.map(({ name }: { name: string }) => name);
    const [open, restricted] = manifests.NetworkPolicy.spec.ingress;
    expect(open).toEqual({ ports: [{ protocol: 'TCP', port: 'http' }] });
    expect(restricted.ports).toEqual([{ protocol: 'TCP', port: 'metrics' }]);
    const monitoring = { matchLabels: { 'kubernetes.io/metadata.name': 'monitoring' } };
    expect(restricted.from).toEqual([{ namespaceSelector: monitoring }]);
    expect(manifests.NetworkPolicy.spec.policyTypes).toEqual(['Ingress']);
    expect(ports).toEqual(['http', 'metrics']);
    expect(manifests.Service.spec.ports.map((each: any) => each.targetPort)).toEqual(['http']);
    const [{ backend }] = manifests.Ingress.spec.rules[0].http.paths;
    expect(backend.service).toEqual({ name: manifests.Service.metadata.name, port: { name: 'http' } });
  });

  it('serves without session affinity, and stops one instance at a time', () => {
    expect(manifests.Service.spec).toMatchObject({ type: 'ClusterIP', sessionAffinity: 'None' });
    expect(manifests.PodDisruptionBudget.spec.maxUnavailable).toBe(1);
    expect(deployment.spec.strategy).toMatchObject({ type: 'RollingUpdate', rollingUpdate: { maxSurge: 1 } });
    const [policy] = manifests.HorizontalPodAutoscaler.spec.behavior.scaleDown.policies;
    expect(policy).toMatchObject({ type: 'Pods', value: 1 });
  });

  it('is applied with the commands of the documentation', () => {
    const page = readFileSync(join(REPOSITORY_ROOT, 'docs', 'production.md'), 'utf8');
    const files = [...page.matchAll(/--from-file=([\w-]+)/g)].map(([, name]) => name);
    expect(files.sort()).toEqual(Object.keys(secret.stringData as object).sort());
    const [, waitSeconds, name] = /kubectl wait .*--timeout=(\d+)s job\/(\S+)/.exec(page)!;
    expect(Number(waitSeconds)).toBeGreaterThan(job.spec.activeDeadlineSeconds as number);
    expect(name).toBe(job.metadata.name);
    expect(page).toContain(`kubectl rollout status deployment/${deployment.metadata.name}\n`);
    expect(page).toContain(`create secret generic ${secret.metadata.name} `);
  });

  it('stays below the connections of PostgreSQL, also during a rolling update', () => {
    const { maxReplicas, minReplicas } = manifests.HorizontalPodAutoscaler.spec;
    const { maxSurge, maxUnavailable } = deployment.spec.strategy.rollingUpdate;
    expect((maxReplicas + maxSurge) * Number(settings.DATABASE_POOL_SIZE)).toBeLessThan(MAX_CONNECTIONS);
    expect(deployment.spec.replicas).toBeUndefined();
    expect([minReplicas, maxUnavailable]).toEqual([2, 0]);
  });
});
