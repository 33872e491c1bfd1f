import { rm } from 'node:fs/promises';
import type { Command } from 'commander';
import { findKeyFileHolder, KeyFileInUseError } from '../key-file-lock';
import { readMachineStatus } from '../machine-status';
import { writePrivateEnvironment } from '../private-environment';
import { findServiceManager } from '../service-manager/find-service-manager';
import { ManagerUnavailableError } from '../service-manager/service-manager';
import type { CommandContext } from './command-context';
import { addMachineOptions, readAgentOptions, type MachineCommandOptions } from './machine-command';
import { planService, type GivenOption } from './service-definition';
import { formatTimestamp } from './text-format';

/** Adds `service install`, `service status` and `service uninstall`. */
export function addServiceCommands(program: Command, context: CommandContext): void {
  const service = program.command('service').description('Run the machine of this computer at each login');
  const install = service
    .command('install')
    .description('Write and start a systemd user unit or a launchd agent; takes the options of "machine"');
  addMachineOptions(install);
  const given: GivenOption[] = [];
  for (const option of install.options)
    install.on(`option:${option.name()}`, (text?: string) => given.push({ flag: option.long ?? '', text }));
  install.action((options: MachineCommandOptions) => installService(context, options, given));
  service
    .command('status')
    .description('Show whether it is installed and runs, and its last lines')
    .action(() => showService(context));
  service
    .command('uninstall')
    .description('Stop and remove it; the keys of the machine stay')
    .action(() => uninstallService(context));
}

async function installService(
  context: CommandContext,
  options: MachineCommandOptions,
  given: GivenOption[],
): Promise<void> {
  const { terminal } = context;
  readAgentOptions(context, options);
  const store = context.createKeyStore('machine');
  const state = await store.loadState('machine');
  if (!state?.account)
    throw new Error(`This computer is not linked to an account yet. Run: ${context.formatCommand('link')}`);
  const { username } = state.account;
  if (options.account !== undefined && options.account !== username)
    throw new Error(`This device was paired with "${username}", not with "${options.account}".`);
  const manager = findServiceManager(store.location);
  const holder = await findKeyFileHolder(store.location);
  if (holder?.isSeen && holder.pid !== (await manager.readStatus()).pid)
    throw new KeyFileInUseError(`The machine runs already, as process ${holder.pid}. Stop it first.`);
  const plan = await planService({
    keyFile: store.location,
    addresses: context.getAddressOptions(),
    given,
    options,
    environment: process.env,
    program: [process.execPath, process.argv[1] ?? ''],
  });
  for (const name of plan.missing)
    terminal.writeNotice(`${name} is not set here, so agents of the service don't get it.`);
  if (Object.keys(plan.secrets).length > 0) await writePrivateEnvironment(plan.environmentFile, plan.secrets);
  else await rm(plan.environmentFile, { force: true });
  const advice = await manager.install(plan.definition);
  if (context.isJsonOutput) return terminal.writeJson({ installed: true, file: manager.file, advice });
  terminal.writeLine(`Installed and started: ${manager.file}`);
  for (const line of [...advice, `See: ${context.formatCommand('service status')}`]) terminal.writeLine(line);
}

async function showService(context: CommandContext): Promise<void> {
  const { terminal, isJsonOutput } = context;
  const manager = findServiceManager(context.createKeyStore('machine').location);
  const { isInstalled, isRunning, pid, detail, lastLines } = await manager.readStatus();
  if (isJsonOutput)
    return terminal.writeJson({
      installed: isInstalled,
      running: isRunning,
      pid,
      detail,
      file: manager.file,
      lastLines,
    });
  terminal.writeFields([
    ['Installed', isInstalled ? manager.file : 'no'],
    ['Running', isRunning ? `yes, process ${pid}` : isRunning === null ? 'unknown' : 'no'],
    ['State', detail],
  ]);
  if (lastLines.length > 0) terminal.writeLine(`\n${lastLines.join('\n')}`);
}

async function uninstallService(context: CommandContext): Promise<void> {
  const store = context.createKeyStore('machine');
  const manager = findServiceManager(store.location);
  const [status, holder] = await Promise.all([manager.readStatus(), findKeyFileHolder(store.location)]);
  // Without its file, a service that goes on would be out of reach.
  if (status.isInstalled && status.isRunning === null && holder?.isSeen)
    throw new ManagerUnavailableError(
      `The machine runs, as process ${holder.pid}, and its service can't be stopped from here: ${status.detail}.\n` +
        'Run this in a login of this user.',
    );
  const wasInstalled = await manager.uninstall();
  await rm(`${store.location}.environment`, { force: true });
  if (context.isJsonOutput) return context.terminal.writeJson({ uninstalled: wasInstalled });
  const text = wasInstalled ? `Stopped and removed: ${manager.file}` : 'There was no service.';
  context.terminal.writeLine(`${text}\nThe keys are still in ${store.location}.`);
}

/** Adds `status`. */
export function addStatusCommand(program: Command, context: CommandContext): void {
  program
    .command('status')
    .description('Show whether the machine of this computer runs and is connected, and what waits')
    .action(() => showStatus(context));
}

async function showStatus(context: CommandContext): Promise<void> {
  const { terminal } = context;
  const store = context.createKeyStore('machine');
  const { location: keyFile } = store;
  const holder = await findKeyFileHolder(keyFile);
  const status = holder && (await readMachineStatus(store.statusFile, holder.pid));
  const { waiting, setAside } = await store.countMessages();
  const { account } = (await store.loadState('machine')) ?? {};
  const { state = null, since = null, reason = null, machineId = null, outage = null } = status ?? {};
  const { waitingReports = null, waitingArtifacts = null } = status ?? {};
  const historyProblem = waiting > 0 ? (status?.historyProblem ?? null) : null;
  const running = holder ? (holder.isSeen ? true : null) : false;
  if (context.isJsonOutput) {
    const process = { running, pid: holder?.pid ?? null, host: holder?.host ?? null };
    const progress = { state, since, reason, outage, historyProblem };
    const counts = { waitingMessages: waiting, waitingReports, waitingArtifacts, setAside };
    return terminal.writeJson({ ...process, ...progress, ...counts, account, machineId, keyFile });
  }
  const shown = running === false ? 'not running' : (state ?? 'unknown');
  const files = `${store.rejectedFolder}`;
  terminal.writeFields([
    ['State', since === null ? shown : `${shown}, since ${formatTimestamp(since)}`],
    ...optional('Reason', reason),
    ...optional('Network', outage && `no answer of the service since ${formatTimestamp(outage.since)}`),
    ...optional('', outage?.reason),
    ...optional('Process', holder && `${holder.pid} on ${holder.host}${holder.isSeen ? '' : ', if it still runs'}`),
    ['Account', account?.username ?? `none. Run: ${context.formatCommand('link')}`],
    ...optional('Machine', machineId),
    ['Messages', `${waiting} waiting`],
    ...optional('', historyProblem),
    ...optional('Reports', waitingReports === null ? null : `${waitingReports} waiting`),
    ...optional('Artifacts', waitingArtifacts ? `${waitingArtifacts} waiting, in memory` : null),
    ['Set aside', setAside === 0 ? 'none' : `${setAside} messages that the service rejected, in ${files}`],
    ['Key file', keyFile],
  ]);
}

const optional = (name: string, text: string | null | undefined): [string, string][] => (text ? [[name, text]] : []);
