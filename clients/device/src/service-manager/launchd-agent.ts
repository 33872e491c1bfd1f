import { requirePrintable, type ServiceDefinition } from './service-manager';

/** Variable that tells the program of a launchd agent to exit with 0 when a restart would do harm. */
export const LAUNCHD_VARIABLE = 'XAPI_DEVICE_LAUNCHD';

/** Formats the property list of a user's agent of launchd. @throws Error when an argument has control characters */
export function formatLaunchdAgent(
  { command, environment }: ServiceDefinition,
  { label, logFile }: { label: string; logFile: string },
): string {
  const variables = Object.entries({ ...environment, [LAUNCHD_VARIABLE]: '1' });
  requirePrintable([...command, ...variables.flat(), logFile]);
  return `${[
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">',
    '<plist version="1.0">',
    '<dict>',
    `  <key>Label</key>${formatText(label)}`,
    '  <key>ProgramArguments</key>',
    '  <array>',
    ...command.map((arg) => `    ${formatText(arg)}`),
    '  </array>',
    '  <key>EnvironmentVariables</key>',
    '  <dict>',
    ...variables.map(([name, value]) => `    <key>${escapeXml(name)}</key>${formatText(value)}`),
    '  </dict>',
    '  <key>RunAtLoad</key><true/>',
    '  <key>KeepAlive</key><dict><key>SuccessfulExit</key><false/></dict>',
    '  <key>ThrottleInterval</key><integer>30</integer>',
    '  <key>ExitTimeOut</key><integer>20</integer>',
    '  <key>Umask</key><integer>63</integer>',
    `  <key>StandardOutPath</key>${formatText(logFile)}`,
    `  <key>StandardErrorPath</key>${formatText(logFile)}`,
    '</dict>',
    '</plist>',
  ].join('\n')}\n`;
}

const formatText = (text: string): string => `<string>${escapeXml(text)}</string>`;

const escapeXml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
