import type { DeviceConnection } from '../device-connection';
import type { DeviceCandidate } from '../relay-call';
import type { PickReply, RouteReply } from './scripts';

/**
 * Commands that combine the presence of an account with leases and channels of instances. One Redis has all of them and
 * executes each command in one script; in a cluster they are on several nodes.
 */
export interface PresenceCommands {
  /**
   * Publishes the presence of a connection, and the message to the instance whose entry it replaces. After an error,
   * the next publication of the connection makes up for both.
   * @returns false if the device has a newer connection, whose entry then stays
   */
  publishPresence(connection: DeviceConnection, entry: string, supersededMessage: string): Promise<boolean>;
  /** Removes an entry of a dead instance. Does nothing if that instance has a lease. */
  removeDeadPresence(accountId: string, deviceId: string, epoch: number, deadInstanceId: string): Promise<void>;
  /** Picks the first candidate that is reachable and has the capability. */
  pickDevice(accountId: string, candidates: readonly DeviceCandidate[], capability: string): Promise<PickReply>;
  /**
   * Publishes a call to the instance that its device is connected to.
   * @param signed `request` envelope without its first character `{`: the epoch of the entry comes in front
   */
  routeCall(
    accountId: string,
    deviceId: string,
    capability: string,
    acceptBy: number,
    signed: string,
  ): Promise<RouteReply>;
  /** Publishes a message once to every other instance that has a connection of the account. */
  publishNotification(accountId: string, message: string): Promise<void>;
  /**
   * Publishes a message to the instance that the device is connected to, if the device has the capability.
   * @returns the number of entries of dead instances that were removed
   */
  publishWatch(accountId: string, deviceId: string, capability: string, message: string): Promise<number>;
}
