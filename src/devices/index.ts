export type { DevicePresence, EndedPresence } from './device-presence';
export * from './devices.module';
export { DevicesService } from './devices.service';
export { DeviceTokens } from './identity/device-tokens';
export { SignInDto } from './identity/identity.dto';
export { SignInService } from './identity/sign-in.service';
