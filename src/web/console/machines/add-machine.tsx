import { Copyable } from '../components/copyable';

/** Line that installs the device, pairs it with the account and starts it with an agent. */
export function AddMachine({ publicUrl, username }: { publicUrl: string; username: string }) {
  const install = `curl -fsS ${publicUrl}/install.sh | sh`;
  const command = `~/.local/bin/xapi-device --url ${publicUrl} machine --account ${username} --agent 'opencode acp'`;
  return (
    <>
      <p>Run this line on the computer, with the command of your coding agent at its end:</p>
      <Copyable isBlock label="Line that adds a machine" text={`${install} && ${command}`} />
      <p>
        It needs Node.js on Linux or macOS. The computer shows an address of this console, a code and a fingerprint.
        Open the address, or enter the code under <a href="/console/devices">Devices</a>, compare the fingerprint, and
        approve. <a href="/docs/install">More about the installation</a>
      </p>
    </>
  );
}
