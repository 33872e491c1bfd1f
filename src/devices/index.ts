export type { DevicePresence, EndedPresence } from './device-presence';
export * from './devices.module';
export { DevicesService } from './devices.service';
export { DeviceTokens } from './identity/device-tokens';
